"""
Inputs that shift
=================

The inputs in use lie elsewhere than those of the training; the answer to an input is the same.
Rows are weighted by the ratio of the two densities, and how far to trust these weights is a theta
on a path.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(0)
X, X_new = rng.normal(0.0, 1.0, (300, 2)), rng.normal((0.9, 0.0), 0.5, (200, 2))


def truth(X):
    return np.where(X[:, 0] ** 2 + X[:, 1] > 1, 1, -1)


y = truth(X)
model = wp.CovariateShiftSVC(wp.SVC(C=1, kernel="linear"), cv=5).fit(X, y, X_new)
print(f"chosen theta: {model.flattening_:.3f}  (0: equal weights, 1: full importance)")

# %%
# A straight line cannot follow the parabola. The best line depends on where it will be used.

first, second = np.meshgrid(np.linspace(-3, 3, 120), np.linspace(-3, 3, 120))
grid = np.column_stack([first.ravel(), second.ravel()])
ax = plt.figure(figsize=(6, 4.4)).gca()
ax.scatter(*X.T, s=3 + 12 * model.importance_, c=np.where(y > 0, "C0", "C1"), linewidths=0)
ax.scatter(*X_new.T, s=4, color="black", marker="x", linewidths=0.6, label="new inputs")
ax.contour(first, second, first**2 + second, [1], colors="0.6")
for theta, style in ((0.0, "dotted"), (model.flattening_, "solid")):
    values = model.path_.decision_function(grid, theta).reshape(first.shape)
    ax.contour(first, second, values, [0], colors="black", linestyles=style)
ax.set(title="grey: the truth; dotted: equal weights", xticks=[], yticks=[])
ax.legend(loc="lower left")

# %%
# Theta is chosen where the importance-weighted error of the held-out rows is least:

model.curve_.plot()

# %%
# The new labels are unknown to the model; here they can be looked up. The curve of the path at
# the new rows is exact, too:

seen = model.path_.curve(X_new, truth(X_new), "zero_one")
for name, theta in (("equal weights", 0.0), ("chosen", model.flattening_), ("full", 1.0)):
    print(f"{name:14} error on the new inputs {seen(theta):.3f}")
print(f"best possible  {seen.best.value:.3f} at theta = {seen.best.theta:.3f}")
