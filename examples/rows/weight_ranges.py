"""
How far may each weight move?
=============================

Around every model there is a region of weights in which no row changes its set. For each row
alone: how far may its weight fall or rise before anything happens, and what happens then?
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

toy = wp.datasets.make_toy(120, random_state=1)
model = wp.SVC(C=2, gamma=0.5).fit(toy.X, toy.y)
ranges = wp.weight_ranges(model)
ranges.to_frame().loc[model.support_].head()

# %%
# Rows outside the margin have no influence: their weight may be anything. The model leans on
# those whose range is narrow, here drawn dark.

width = ranges.upper - ranges.lower
finite = np.isfinite(width)
order = np.argsort(width[finite])

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
colors = np.where(toy.y > 0, "C0", "C1")
left.scatter(*toy.X.T, s=8, color="0.85")
dots = left.scatter(*toy.X[finite].T, s=24, c=width[finite], cmap="viridis")
plt.colorbar(dots, ax=left, label="width of the range")
left.set(xticks=[], yticks=[])
rows = np.flatnonzero(finite)[order]
right.vlines(np.arange(rows.size), ranges.lower[rows], ranges.upper[rows], color=colors[rows])
right.axhline(1, color="black", linewidth=0.8)
right.set(xlabel="rows with a finite range, narrowest first", ylabel="weight", ylim=(0, 3))

# %%
# The end of a range is the first event on the path of that weight:

i = rows[0]
weight = np.ones(120)
weight[i] = ranges.upper[i] + 0.5
event = model.path_to(sample_weight=weight).events[0]
print(f"row {i}: at the weight {ranges.upper[i]:.6f} row {ranges.upper_index[i]} changes its set,")
print(f"on the path row {event['index']} at the weight {1 + event['theta'] * (weight[i] - 1):.6f}")
