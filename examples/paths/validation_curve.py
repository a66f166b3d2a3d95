"""
The exact validation error, and a grid beside it
================================================

A grid of retrainings sees the validation error at its points only. A path knows it everywhere: as
a step function of theta, whose steps are where a validation row changes sides.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

train = wp.datasets.make_toy(300, random_state=3)
new = wp.datasets.make_toy(500, random_state=4, like=train)

model = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=train.w_old)
path = model.reweight(train.w_new)
curve = path.curve(new.X, new.y, "zero_one", new.cost)
curve.best

# %%
# Eleven retrainings give eleven of these values. They agree with the curve, as they must, and
# they miss its least value, which is attained on an interval between two of them.

theta = np.linspace(0, 1, 11)
errors = []
for t in theta:
    refit = wp.SVC(C=10, gamma=0.5)
    refit.fit(train.X, train.y, sample_weight=(1 - t) * train.w_old + t * train.w_new)
    errors.append(np.average(refit.predict(new.X) != new.y, weights=new.cost))
assert np.allclose(errors, curve(theta))

ax = plt.figure().gca()
curve.plot(ax)
ax.plot(theta, errors, "o", color="C3", label="eleven retrainings", zorder=3)
ax.legend()

print(f"best of the grid: {min(errors):.4f} at theta = {theta[np.argmin(errors)]:.1f}")
print(f"best of all:      {curve.best.value:.4f} at theta = {curve.best.theta:.4f}")
print(f"it holds from {curve.best.interval[0]:.4f} to {curve.best.interval[1]:.4f}")

# %%
# A minimum over validation rows is optimistic, the exact one too: judge the chosen model by rows
# that have not been used to choose it. :class:`~weightpath.PathSearchCV` takes the mean over
# folds instead.

test = wp.datasets.make_toy(20000, random_state=5, like=train)
for name, t in (("start", 0.0), ("chosen", curve.best.theta), ("end", 1.0)):
    wrong = path.predict(test.X, t) != test.y
    print(f"{name:7} {np.average(wrong, weights=test.cost):.4f} on 20,000 further rows")
