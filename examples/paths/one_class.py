"""
What is usual changes
=====================

A one-class machine draws a border around the usual. When the old half of the data fades and the
new half comes in, the border moves; on the path one sees when each row is given up.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(2)
X = np.vstack([rng.normal((-1, 0), 0.7, (120, 2)), rng.normal((1.5, 0.8), 0.7, (120, 2))])
old = np.where(np.arange(240) < 120, 1.0, 0.0)

model = wp.OneClassSVM(nu=0.1, gamma=0.5).fit(X, sample_weight=old)
path = model.reweight(old[::-1])
path

# %%
first, second = np.meshgrid(np.linspace(-4, 4.5, 150), np.linspace(-3, 3.5, 150))
grid = np.column_stack([first.ravel(), second.ravel()])

_, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True)
for ax, theta in zip(axes, (0.0, 0.5, 1.0), strict=True):
    values = path.decision_function(grid, theta).reshape(first.shape)
    ax.contourf(first, second, values, [0, np.inf], colors=["C0"], alpha=0.25)
    ax.contour(first, second, values, [0], colors="C0")
    ax.scatter(*X.T, s=1 + 14 * path.at(theta).weights, color="0.3", linewidths=0)
    ax.set(title=f"theta = {theta}", xticks=[], yticks=[])

# %%
# The value of every old row along theta: it is inside the border while its value is positive.
# Values are linear between breakpoints, so the last theta at which a value falls through zero is
# exact.

theta = path.theta
values = path.decision_function(X[:120], theta)
falls = (values[:-1] > 0) & (values[1:] <= 0)
given_up = np.flatnonzero(falls.any(axis=0) & (values[-1] < 0))
last = len(theta) - 2 - falls[::-1, given_up].argmax(axis=0)
before, after = values[last, given_up], values[last + 1, given_up]
crossing = theta[last] + (theta[last + 1] - theta[last]) * before / (before - after)

ax = plt.figure().gca()
ax.plot(theta, values, color="C0", alpha=0.15)
ax.plot(crossing, np.zeros_like(crossing), "|", color="black", markersize=12)
ax.set(xlabel="theta", ylabel="decision value of old rows")
print(f"{len(given_up)} of 120 old rows are given up on the way,")
print(f"the first at theta = {crossing.min():.3f}, half of them by {np.median(crossing):.3f}")
