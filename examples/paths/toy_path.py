"""
A path on toy data
==================

Half of the training rows start with weight zero and end with the weight of the others. On the way
the classifier bends to take them in: one exact path, made of straight pieces.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

train = wp.datasets.make_toy(200, random_state=0)
model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
path = model.reweight(train.w_new)
path

# %%
# The boundary (solid) and the margin (dashed) at three values of theta. The area of a dot is the
# weight of its row there. Nothing is fitted for this picture: ``path.decision_function`` reads
# the record of the path.

colors = np.where(train.y > 0, "C0", "C1")
low, high = train.X.min(axis=0) - 0.5, train.X.max(axis=0) + 0.5
first, second = np.meshgrid(*(np.linspace(a, b, 120) for a, b in zip(low, high, strict=True)))
grid = np.column_stack([first.ravel(), second.ravel()])

_, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True)
for ax, theta in zip(axes, (0.0, 0.3, 1.0), strict=True):
    values = path.decision_function(grid, theta).reshape(first.shape)
    ax.scatter(*train.X.T, s=2 + 2 * path.at(theta).weights, c=colors, alpha=0.7, linewidths=0)
    ax.contour(
        first, second, values, [-1, 0, 1], colors="black", linestyles=["dashed", "solid", "dashed"]
    )
    ax.set(title=f"theta = {theta}", xticks=[], yticks=[])

# %%
# All coefficients on the way, the size of the margin, and a mark for each event.

path.plot()

# %%
# The certificate is computed from the data alone, at every breakpoint and between them.

print("events:           ", path.n_events)
print("largest violation:", f"{path.kkt_violation():.1e}")
