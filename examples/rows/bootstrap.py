"""
A thousand bootstrap models
===========================

How sure is a model of its border? In the Bayesian bootstrap each model has random weights. A
thousand of them are a thousand short paths from one fitted model.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

train = wp.datasets.make_toy(152, random_state=0)
model = wp.SVC(C=1, gamma=0.5).fit(train.X, train.y)

rng = np.random.default_rng(0)
weights = 152 * rng.dirichlet(np.ones(152), size=1000)

low, high = train.X.min(axis=0) - 0.5, train.X.max(axis=0) + 0.5
first, second = np.meshgrid(*(np.linspace(a, b, 45) for a, b in zip(low, high, strict=True)))
grid = np.column_stack([first.ravel(), second.ravel()])

many = wp.follow_many(model, weights, X=grid)
print(f"{len(weights)} paths, {many.n_events.mean():.0f} events on each in the mean")

# %%
# The share of models that vote for the positive class. Where it is near one half, the border
# could as well run elsewhere.

votes = (many.decision_values > 0).mean(axis=0).reshape(first.shape)
ax = plt.figure(figsize=(5.6, 4.2)).gca()
image = ax.contourf(first, second, votes, np.linspace(0, 1, 11), cmap="RdBu", alpha=0.75)
ax.contour(first, second, votes, [0.05, 0.95], colors="black", linestyles="dashed")
values = model.decision_function(grid).reshape(first.shape)
ax.contour(first, second, values, [0], colors="black")
colors = np.where(train.y > 0, "navy", "darkred")
ax.scatter(*train.X.T, s=22, c=colors, edgecolors="white", linewidths=0.7)
ax.set(xticks=[], yticks=[])
plt.colorbar(image, ax=ax, label="share of votes for the positive class")

# %%
# Each end is verified, and equals a fit with these weights:

refit = wp.SVC(C=1, gamma=0.5).fit(train.X, train.y, sample_weight=weights[7])
difference = np.abs(refit.decision_function(grid) - many.decision_values[7]).max()
print(f"largest difference from a fit: {difference:.1e}")
