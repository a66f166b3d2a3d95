"""
Two class costs: the whole plane
================================

The costs of the two classes are two numbers, and a grid over them has thousands of points. The
exact solution tiles the plane by polygons; the validation error over it is known everywhere, its
least value included.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

train = wp.datasets.make_toy(60, random_state=0)
new = wp.datasets.make_toy(400, random_state=1, like=train)

model = wp.SVC(C=0.1, gamma=0.5).fit(train.X, train.y)
plane = wp.region_map(model, [{"class_weight": {-1: 100}}, {"class_weight": {1: 100}}])
plane

# %%
# Each polygon is one set of support vectors. In each, the solution is an affine function of the
# two costs.

_, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
plane.plot(left)
surface = plane.surface(new.X, new.y, "zero_one")
surface.plot(right)
for ax in (left, right):
    ax.set(xlabel="cost of class -1 (from 0.1 to 10)", ylabel="cost of class +1")

print(f"least error {surface.best.value:.4f} at z = {np.round(surface.best.z, 3)}")

# %%
# No grid has less, however fine. This one has 2,500 points, which would be 2,500 fits.

z = np.linspace(0.01, 0.99, 50)
grid = np.array([[surface((a, b)) for a in z] for b in z])
print(f"least error of a grid of 50 x 50: {grid.min():.4f}")
assert grid.min() >= surface.best.value - 1e-12

# %%
# A minimum over so many models is optimistic. :class:`~weightpath.RegionSearchCV` finds the least
# *mean* error over folds, and even that should be judged by rows that the search has not seen:

test = wp.datasets.make_toy(20000, random_state=2, like=train)
chosen = 1 + 99 * np.asarray(surface.best.z)
best = wp.SVC(C=0.1, gamma=0.5, class_weight={-1: chosen[0], 1: chosen[1]})
best.fit(train.X, train.y)
print(f"on 20,000 further rows: {np.mean(best.predict(test.X) != test.y):.4f}")
