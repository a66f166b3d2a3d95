"""
A band of quantiles
===================

A conditional quantile for every level between 0.05 and 0.95, from one path: the level itself is
what moves.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(0, 4, 250))
y = np.sin(2 * x) + rng.gamma(1.5, 0.1 + 0.15 * x)  # skewed noise that grows

model = wp.QuantileSVR(C=5, gamma=1.0, quantile=0.05).fit(x[:, None], y)
path = model.move(quantile=0.95)
path.n_events

# %%
levels = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
line = np.linspace(0, 4, 300)
bands = path.decision_function(line[:, None], (levels - 0.05) / 0.9)

ax = plt.figure().gca()
ax.plot(x, y, ".", color="0.65", markersize=4)
ax.fill_between(line, bands[0], bands[4], alpha=0.2, color="C0", label="0.1 to 0.9")
ax.fill_between(line, bands[1], bands[3], alpha=0.35, color="C0", label="0.25 to 0.75")
ax.plot(line, bands[2], color="C0", label="median")
ax.set(xlabel="x", ylabel="y")
ax.legend(loc="upper left")

# %%
# How many new values lie below each curve? And do curves cross? Each is exact for its own
# problem, which does not forbid crossings where rows are few.

x_new = rng.uniform(0, 4, 5000)
y_new = np.sin(2 * x_new) + rng.gamma(1.5, 0.1 + 0.15 * x_new)
fitted = path.decision_function(x_new[:, None], (levels - 0.05) / 0.9)
for level, values in zip(levels, fitted, strict=True):
    print(f"level {level:.2f}: {np.mean(y_new <= values):.3f} of the new values lie below")
print("rows where two curves cross:", np.count_nonzero((np.diff(fitted, axis=0) < 0).any(axis=0)))
