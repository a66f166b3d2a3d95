r"""
Prediction sets that keep their promise
=======================================

A conformal method puts a set around each prediction that holds the truth with a given probability,
whatever the model and the noise. It asks what the model would be *with the new row in it*, for
every label that the row might have: here each of these models is a point on an exact path.
"""

# %%
# Noise that grows from left to right. A model from 150 rows, and 400 more rows to calibrate with:
# twenty times, as one draw of them says little of a promise.
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

import weightpath as wp
from weightpath.conformal import ConditionalConformal, FullConformal

ALPHA = 0.1
rng = np.random.default_rng(0)


def noisy(n):
    X = rng.uniform(-2, 2, (n, 1))
    return X, np.sin(2 * X[:, 0]) + (0.05 + 0.2 * (X[:, 0] + 2)) * rng.normal(size=n)


# %%
# One cutoff for all rows, a quantile of the scores, holds nine truths of ten on average: too many
# on the left, too few on the right. The conditional cutoff is a quantile regression of the scores
# with the new row among its rows, and each row has its own.
quarters, covered = [], {"one cutoff": [], "conditional cutoff": []}
for _ in range(20):
    model = wp.SVR(C=1.0, gamma=1.0).fit(*noisy(150))
    X_cal, y_cal = noisy(400)
    scores = np.abs(y_cal - model.predict(X_cal))
    plain = np.sort(scores)[int(np.ceil((1 - ALPHA) * (len(scores) + 1))) - 1]
    conditional = ConditionalConformal("rbf", gamma=1.0, C=1.0, alpha=ALPHA).fit(X_cal, scores)

    X_new, y_new = noisy(300)
    error = np.abs(y_new - model.predict(X_new))
    quarters.append(np.digitize(X_new[:, 0], [-1, 0, 1]))
    covered["one cutoff"].append(error <= plain)
    covered["conditional cutoff"].append(error <= conditional.cutoff(X_new))

quarter = np.concatenate(quarters)
print("coverage             all  first quarter  second  third  fourth")
for name, found in covered.items():
    held = np.concatenate(found)
    in_quarters = [held[quarter == k].mean() for k in range(4)]
    print(f"{name:20s}{held.mean():.3f}" + "{:15.3f}{:8.3f}{:7.3f}{:8.3f}".format(*in_quarters))
print(f"{conditional.n_events_.mean():.1f} events a new row")

# %%
# Full conformal prediction needs no rows set aside. For a classifier the sets hold labels: one
# where the model is sure, both where the classes overlap or where there are no rows. A set may be
# empty, too, where either label would be stranger than nine tenths of the others.
toy = wp.datasets.make_toy(120, random_state=0)
labels = FullConformal(wp.SVC(C=1.0, gamma=0.5), alpha=ALPHA).fit(toy.X, toy.y)
test = wp.datasets.make_toy(1500, random_state=1, like=toy)
sets = labels.predict_set(test.X)
held = np.mean([label in one for label, one in zip(test.y, sets, strict=True)])
sizes = np.bincount([len(one) for one in sets], minlength=3)
print(
    f"the label is in its set: {held:.3f} (model alone right: "
    f"{np.mean(labels.predict(test.X) == test.y):.3f})"
)
print(f"sets of no, one and two labels: {sizes.tolist()}")

# %%
# Left: intervals by the conditional cutoff (filled) and by one cutoff (lines), with new rows of the
# last draw. Right: the label sets of the plane, with the training rows.
figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
at = np.linspace(-2, 2, 200)[:, None]
middle, width = model.predict(at), conditional.cutoff(at)
left.fill_between(
    at[:, 0],
    middle - width,
    middle + width,
    color="C0",
    alpha=0.25,
    lw=0,
    label="conditional cutoff",
)
for side in (-1, 1):
    left.plot(at, middle + side * plain, color="C1", lw=1.2, label="one cutoff" * (side > 0))
left.plot(at, middle, color="C0", lw=1.5)
left.scatter(X_new[:, 0], y_new, s=4, color="0.35", lw=0)
left.set(xlabel="feature", ylabel="target", title=f"intervals, {1 - ALPHA:.0%}")
left.legend(frameon=False, loc="upper left")

low, high = toy.X.min(axis=0) - 0.4, toy.X.max(axis=0) + 0.4
grid = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
kept = labels.predict_set(np.column_stack([axis.ravel() for axis in grid]))
code = [{(): 0, (-1,): 1, (1,): 2, (-1, 1): 3}[tuple(np.sort(one).tolist())] for one in kept]
colours = ["#ffffff", "#c6d9ec", "#f3d3bf", "#cfcfcf"]
right.pcolormesh(
    *grid, np.reshape(code, grid[0].shape), cmap=ListedColormap(colours), vmin=0, vmax=3
)
for label, colour in ((-1, "#2166ac"), (1, "#b2532b")):
    right.scatter(*toy.X[toy.y == label].T, s=14, color=colour, lw=0)
for name, colour in zip(("none", "{-1}", "{+1}", "both"), colours, strict=True):
    right.fill_between([], [], color=colour, ec="0.6", label=name)
right.set(xticks=[], yticks=[], title=f"label sets, {1 - ALPHA:.0%}")
_ = right.legend(title="the set", loc="upper left", fontsize=8)
