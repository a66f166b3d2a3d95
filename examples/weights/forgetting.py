"""
Forgetting in a drifting stream
===============================

In a stream whose concept turns, old rows mislead. An online model keeps a window, fades old rows,
and after every arrival is the model that a fit to the weighted window would give, reached by one
exact path.
"""

import numpy as np
from sklearn.base import clone

import weightpath as wp
from weightpath.applications import prequential

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (700, 2))
angle = np.linspace(0, np.pi, 700)  # the border turns by half a circle
y = np.where(np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1] > 0, "up", "down")

# %%
# Each batch of five rows is predicted first and learnt then.

schemes = {
    "nothing forgotten": wp.OnlineSVC(forgetting=None, C=10, gamma=0.5),
    "window of 100": wp.OnlineSVC(window=100, forgetting=None, C=10, gamma=0.5),
    "window of 100, fading": wp.OnlineSVC(window=100, forgetting=3.0, C=10, gamma=0.5),
}
shown = None
for k, (name, model) in enumerate(schemes.items()):
    model = clone(model)
    result = prequential(model, X, y, batch=5)
    print(f"{name:22} {result.mean:.3f} of the predictions are wrong")
    shown = result.plot(None if shown is None else shown.ax_, rolling=80, label=name, color=f"C{k}")
shown.ax_.set_ylabel("share of wrong predictions")
shown.ax_.legend(ncols=2, fontsize=8)

# %%
# The same as a fit from scratch to the weighted window:

fresh = wp.SVC(C=10, gamma=0.5)
fresh.fit(model.window_X_, model.window_y_, sample_weight=model.window_weight_)
difference = np.abs(model.decision_function(X) - fresh.decision_function(X)).max()
print(f"largest difference of decision values: {difference:.1e}")

# %%
# Where nothing drifts, forgetting has nothing to offer. On the same inputs with a border that
# stands still and noisy labels, a window of 100 is enough, and fading costs a little: fewer rows
# count.

y_still = np.where(X[:, 0] + 0.5 * rng.normal(size=700) > 0, "up", "down")
for name, model in schemes.items():
    print(f"{name:22} {prequential(clone(model), X, y_still, batch=5).mean:.3f}")
