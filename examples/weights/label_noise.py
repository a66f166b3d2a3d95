r"""
Learning instance weights against label noise
=============================================

Handwritten digits are labelled even or odd, and 20 % of the labels are wrong, in both classes: most
of the threes, fours and nines were taken for something else. Another 40 digits have labels that can
be trusted, too few to learn from alone. Which weights of the training rows make the machine best on
the trusted ones?

That is a problem in two levels: the machine minimises its own objective for given weights, and the
weights minimise the loss of the trusted rows under the machine. With ``model.gradient`` it is
gradient descent: one solve gives the derivatives by all 600 weights, and ``model.reweight``
follows the exact path to the next ones.
"""

# %%
# The data: 600 rows to train on, 120 of them with a wrong label, 40 trusted rows, and the remaining
# 1,157 to test.
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.datasets import load_digits

import weightpath as wp

N, N_TRUSTED, CONFUSED = 600, 40, (3, 4, 9)
DIGITS = load_digits()


def draw(seed, confused=CONFUSED):
    random = np.random.default_rng(seed)
    order = random.permutation(len(DIGITS.target))
    X, digit = DIGITS.data[order] / 16.0, DIGITS.target[order]
    right = np.where(digit % 2 == 0, 1, -1)
    is_wrong = np.zeros(N, dtype=bool)
    is_wrong[random.permutation(np.flatnonzero(np.isin(digit[:N], confused)))[: N // 5]] = True
    train, trusted, test = slice(N), slice(N, N + N_TRUSTED), slice(N + N_TRUSTED, None)
    return SimpleNamespace(
        X=X[train], y_right=right[train], y=np.where(is_wrong, -right[train], right[train]),
        is_wrong=is_wrong, X_trusted=X[trusted], y_trusted=right[trusted],
        X_test=X[test], y_test=right[test],
    )  # fmt: skip


# %%
# Where to begin matters: the weight of a row whose coefficient is below its bound has no effect,
# and so the derivative zero. With small weights almost all rows are at their bounds, and their
# weights are felt. They then move by Adam's rule, in factors, so that they stay positive, and never
# above one. Ten steps are enough: with many more, 600 weights learn 40 rows by heart.
OPTIONS = {"C": 10.0, "gamma": 0.05}
WEIGHT, STEPS, RATE = 0.1, 10, 0.2


def learn_weights(data):
    weight = np.full(N, WEIGHT)
    model = wp.SVC(**OPTIONS).fit(data.X, data.y, sample_weight=weight)
    mean, square = np.zeros(N), np.zeros(N)
    for step in range(1, STEPS + 1):
        margin = data.y_trusted * model.decision_function(data.X_trusted)
        # How the logistic loss of the trusted rows moves with their decision values.
        cotangent = -data.y_trusted * expit(-margin) / N_TRUSTED
        slope = model.gradient(data.X_trusted, cotangent)["sample_weight"]
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-12)
        weight = np.clip(weight * np.exp(-RATE * move), 1e-3, 1.0)
        model.reweight(weight)
    return model, weight


# %%
# The learned weights beside what one would do without them. Fits to the wrong labels and to the
# trusted rows have the best of nine C for the *test* rows, more than anyone could know; the learned
# weights have one C, that of the fits with right and with wrong labels.
def compare(data):
    def accuracy(model):
        return float(np.mean(model.predict(data.X_test) == data.y_test))

    def best_of_many(X, y):
        costs = np.logspace(-2, 2, 9)
        return max(accuracy(wp.SVC(C, gamma=OPTIONS["gamma"]).fit(X, y)) for C in costs)

    model, weight = learn_weights(data)
    both = np.vstack([data.X, data.X_trusted]), np.concatenate([data.y, data.y_trusted])
    return weight, {
        "right labels": accuracy(wp.SVC(**OPTIONS).fit(data.X, data.y_right)),
        "wrong labels": accuracy(wp.SVC(**OPTIONS).fit(data.X, data.y)),
        "wrong labels, best C": best_of_many(data.X, data.y),
        "trusted rows alone, best C": best_of_many(data.X_trusted, data.y_trusted),
        "both together, best C": best_of_many(*both),
        "learned weights": accuracy(model),
    }


draws = [draw(seed) for seed in range(5)]
weights, results = zip(*(compare(data) for data in draws), strict=True)
names = list(results[0])
table = np.array([list(row.values()) for row in results])
for name, values in zip(names, table.T, strict=True):
    print(f"{name:28s}{values.mean():.3f}   from {values.min():.3f} to {values.max():.3f}")

# %%
# Most of what was lost is back, in every draw, and the weights tell which labels are wrong.
right, wrong, learned = table[:, 0], table[:, 1], table[:, -1]
recovered = (learned - wrong) / (right - wrong)
is_wrong = np.concatenate([data.is_wrong for data in draws])
fell = np.concatenate(weights) < WEIGHT
print(f"recovered of what the noise cost: {recovered.mean():.0%}, at least {recovered.min():.0%}")
print(f"weights that fell, wrong labels: {fell[is_wrong].mean():.0%}")
print(f"weights that fell, right labels: {fell[~is_wrong].mean():.0%}")

# %%
# Where it does not help: wrong labels that are spread over all digits alike cost the machine
# little, and 40 rows do not tell which ones they are.
_, spread = zip(*(compare(draw(seed, range(10))) for seed in range(3)), strict=True)
for name in ("right labels", "wrong labels", "learned weights"):
    print(f"spread over all digits, {name:16s}{np.mean([row[name] for row in spread]):.3f}")

# %%
# Left: the accuracies of all draws, a bar for their mean. Middle: the learned weights of the first
# draw. Right: its twelve rows with the least weights, with the labels that they came with.
figure = plt.figure(figsize=(12, 3.8), layout="constrained")
left, middle, rows = figure.subfigures(1, 3, width_ratios=[1.5, 1, 1.1])
axis = left.subplots()
place = np.arange(len(names))[::-1]
axis.barh(place, table.mean(axis=0), color=["#b9c9b9"] * (len(names) - 1) + ["#5b8f5b"])
axis.plot(table, np.tile(place, (len(table), 1)), "k.", ms=4)
axis.set(yticks=place, yticklabels=names, xlim=(0.5, 1.0), xlabel="accuracy on the test rows")
axis = middle.subplots()
first, edges = weights[0], np.geomspace(0.01, 1.0, 25)
for own, colour, name in (
    (np.ones(N, dtype=bool), "#7f9f7f", "right label"),
    (draws[0].is_wrong, "#c0504d", "wrong label"),
):
    axis.hist(first[own], bins=edges, color=colour, label=name)
axis.axvline(WEIGHT, color="#444444", lw=1, ls="--", label="where all began")
axis.set(xscale="log", xlabel="learned weight", ylabel="rows")
axis.legend(frameon=False, fontsize=8, loc="upper left")
for axis, row in zip(rows.subplots(3, 4).flat, np.argsort(first)[:12], strict=True):
    axis.imshow(draws[0].X[row].reshape(8, 8), cmap="gray_r")
    colour = "#c0504d" if draws[0].is_wrong[row] else "#5b8f5b"
    axis.set(xticks=[], yticks=[])
    axis.set_title("even" if draws[0].y[row] > 0 else "odd", fontsize=9, color=colour)
