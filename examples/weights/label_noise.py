r"""
Learning instance weights against label noise
=============================================

Of 300 training labels 20 % are wrong, all of them in one class: two of five of its rows carry the
label of the other. A few rows with labels that can be trusted are there, too. Which weights of the
training rows make the machine best on the trusted ones?

That is a problem in two levels: the machine minimises its own objective for given weights, and the
weights minimise the loss of the trusted rows under the machine. With ``model.gradient`` it is
gradient descent: one solve gives the derivatives by all 300 weights, and ``model.reweight``
follows the exact path to the next ones.
"""

# %%
# The data: two moons. Training rows with wrong labels, 60 trusted rows, and a test set.
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.datasets import make_moons

import weightpath as wp

N, N_TRUSTED, SEED = 300, 60, 0
random = np.random.default_rng(SEED)


def moons(n, seed):
    X, label = make_moons(n, noise=0.15, random_state=seed)
    return X, 2 * label - 1


X, y_true = moons(N, SEED)
X_trusted, y_trusted = moons(N_TRUSTED, SEED + 1)
X_test, y_test = moons(10_000, SEED + 2)

is_wrong = np.zeros(N, dtype=bool)
is_wrong[random.permutation(np.flatnonzero(y_true > 0))[: N // 5]] = True
y = np.where(is_wrong, -y_true, y_true)

# %%
# What the noise costs: the same machine with right and with wrong labels. Another C would not help:
# on the trusted rows no smaller one is much better.
OPTIONS = {"C": 10.0, "gamma": 2.0}


def accuracy(model):
    return float(np.mean(model.predict(X_test) == y_test))


def loss(model):
    return float(np.logaddexp(0.0, -y_trusted * model.decision_function(X_trusted)).mean())


clean = wp.SVC(**OPTIONS).fit(X, y_true)
noisy = wp.SVC(**OPTIONS).fit(X, y)
smoother = min(
    (wp.SVC(C, gamma=OPTIONS["gamma"]).fit(X, y) for C in np.logspace(-2, 1, 13)), key=loss
)

# %%
# Where to begin matters: the weight of a row whose coefficient is below its bound has no effect,
# and so the derivative zero. With small weights all rows are at their bounds, and every weight is
# felt. The weights then move by Adam's rule, in factors, so that they stay positive, and never
# above one.
WEIGHT, STEPS, RATE = 0.03, 30, 0.2

model = wp.SVC(**OPTIONS).fit(X, y, sample_weight=np.full(N, WEIGHT))
weight = np.full(N, WEIGHT)
mean, square = np.zeros(N), np.zeros(N)
losses, best = [], (np.inf, weight)
for step in range(1, STEPS + 1):
    values = model.decision_function(X_trusted)
    losses.append(loss(model))
    best = min(best, (losses[-1], weight), key=lambda pair: pair[0])
    # How the logistic loss of the trusted rows moves with their decision values.
    cotangent = -y_trusted * expit(-y_trusted * values) / N_TRUSTED
    slope = model.gradient(X_trusted, cotangent)["sample_weight"]
    mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
    move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-12)
    weight = np.clip(weight * np.exp(-RATE * move), 1e-3, 1.0)
    model.reweight(weight)
weight = best[1]
model.reweight(weight)

# %%
# Most of what was lost is back, and the weights tell which labels are wrong.
results = {
    "right labels": accuracy(clean),
    "wrong labels": accuracy(noisy),
    "wrong labels, best C": accuracy(smoother),
    "wrong labels, learned weights": accuracy(model),
    "the trusted rows alone": accuracy(wp.SVC(**OPTIONS).fit(X_trusted, y_trusted)),
}
for name, value in results.items():
    print(f"{name:32s}{value:.3f}")
lost = results["right labels"] - results["wrong labels"]
recovered = (results["wrong labels, learned weights"] - results["wrong labels"]) / lost
fell = weight < WEIGHT
print(f"recovered of what the noise cost: {recovered:.0%}")
print(f"weights that fell, wrong labels: {fell[is_wrong].mean():.0%}")
print(f"weights that fell, right labels: {fell[~is_wrong].mean():.0%}")

# %%
# Left and middle: the machine before and after, wrong labels with a cross. Right: the learned
# weights of rows with right and with wrong labels.
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
grid = np.meshgrid(np.linspace(low[0], high[0], 200), np.linspace(low[1], high[1], 200))
where = np.column_stack([axis.ravel() for axis in grid])
for axis, shown, size, title in (
    (axes[0], noisy, np.full(N, 18.0), f"all weights one: {results['wrong labels']:.1%} right"),
    (axes[1], model, 6 + 250 * weight, f"learned: {accuracy(model):.1%} right"),
):
    values = shown.decision_function(where).reshape(grid[0].shape)
    axis.contourf(*grid, values, levels=[-1e9, 0, 1e9], colors=["#d9e6f2", "#f7e3d4"])
    axis.contour(*grid, values, levels=[0], colors="#444444", linewidths=1.2)
    for label, colour in ((-1, "#2166ac"), (1, "#b2532b")):
        right, wrong = (y == label) & ~is_wrong, (y == label) & is_wrong
        axis.scatter(*X[right].T, s=size[right], c=colour, alpha=0.7, lw=0)
        axis.scatter(*X[wrong].T, s=size[wrong] + 14, c=colour, marker="x", lw=1.2)
    axis.set(title=title, xticks=[], yticks=[])
edges = np.geomspace(1e-3, 1.0, 25)
for own, colour, name in (
    (weight >= 0, "#7f9f7f", "right label"),
    (is_wrong, "#c0504d", "wrong label"),
):
    axes[2].hist(weight[own], bins=edges, color=colour, label=name)
axes[2].axvline(WEIGHT, color="#444444", lw=1, ls="--", label="where all began")
axes[2].set(xscale="log", xlabel="learned weight", ylabel="rows", title="the weights")
axes[2].legend(frameon=False)
