r"""
What rows are worth
===================

Eight clinics have sent rows, and two of them have mixed up labels. What is each clinic worth to
the model, and each row? The *Shapley value* is what it adds to a metric on average, when all come
one after the other in random order. Each comes along an exact path, instead of a fit of its own.
"""

# %%
# The breast cancer data, split at random among eight clinics; in two of
# them half of the labels are wrong.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import weightpath as wp

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
order = rng.permutation(len(y))
train, judge, test = order[:160], order[160:360], order[360:]
X = StandardScaler().fit(X[train]).transform(X)

clinic = np.arange(160) % 8
labels = y[train].copy()
is_wrong = np.zeros(160, dtype=bool)
is_wrong[rng.permutation(np.flatnonzero(clinic >= 6))[:20]] = True
labels[is_wrong] = 1 - labels[is_wrong]
MODEL = wp.SVC(C=10.0, gamma=0.02)

# %%
# Of eight groups all 256 subsets can be looked at: values without any error of sampling.
given = (MODEL, X[train], labels, X[judge], y[judge], "accuracy")
clinics = wp.data_shapley(*given, n_permutations="all", groups=clinic)
for player, value in zip(clinics.players, clinics.values, strict=True):
    print(f"clinic {player}: {value:+.4f}")
print(
    f"sum {clinics.values.sum():.4f}, all rows over none "
    f"{clinics.full_worth - clinics.empty_worth:.4f}"
)

# %%
# Of 160 rows, random permutations, with standard errors. The hinge loss tells rows apart on which
# no predicted label depends; a loss counts negatively, so that helpful rows are positive.
rows = wp.data_shapley(*given[:5], "hinge", n_permutations=200, random_state=0)
worst = rows.order[::-1]
print(f"{rows.n_steps} exact models; largest standard error {rows.standard_errors.max():.1e}")
print(f"wrong labels among the 20 most harmful rows: {is_wrong[worst[:20]].sum()}, of all 160: 20")

# %%
# Rows leave the model, the most harmful first or at random; the test rows judge.


def accuracies(order):
    model = MODEL.fit(X[train], labels)
    found = [np.mean(model.predict(X[test]) == y[test])]
    left = np.arange(len(train))
    for row in order[:40]:
        at = int(np.flatnonzero(left == row)[0])
        model.remove([at])
        left = np.delete(left, at)
        found.append(np.mean(model.predict(X[test]) == y[test]))
    return np.array(found)


by_value = accuracies(worst)
at_random = np.array([accuracies(rng.permutation(len(train))) for _ in range(20)])
print(f"test accuracy {by_value[0]:.3f}, without the 20 most harmful rows {by_value[20]:.3f}")

# %%
# Left: the clinics. Middle: the rows in order, with two standard errors on each side. Right: what
# happens when rows leave.
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
colours = ["#c0504d" if player >= 6 else "#7f9f7f" for player in clinics.players]
left.bar(clinics.players, clinics.values, color=colours)
left.axhline(0, color="0.4", lw=0.8)
left.set(xlabel="clinic", ylabel="Shapley value, accuracy")

place = np.arange(len(rows))
low, high = (rows.values + side * 2 * rows.standard_errors for side in (-1, 1))
middle.fill_between(place, low[rows.order], high[rows.order], color="0.85", lw=0)
for own, colour, name in (
    (~is_wrong, "#5b8f5b", "right label"),
    (is_wrong, "#c0504d", "wrong label"),
):
    shown = own[rows.order]
    middle.scatter(place[shown], rows.values[rows.order][shown], s=9, color=colour, label=name)
middle.axhline(0, color="0.4", lw=0.8)
middle.set(xlabel="rows, most helpful first", ylabel="Shapley value, hinge loss")
middle.legend(frameon=False)

right.plot(by_value, color="#c0504d", label="the most harmful first")
right.plot(at_random.mean(axis=0), color="0.4", label="at random, mean of 20")
right.fill_between(np.arange(41), at_random.min(axis=0), at_random.max(axis=0), color="0.9", lw=0)
right.set(xlabel="rows removed", ylabel="accuracy on test rows")
_ = right.legend(frameon=False)
