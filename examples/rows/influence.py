"""
Rows that harm
==============

Some labels are wrong. Which? For each row the exact change of a validation metric if the row were
gone; the most harmful are looked at first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import weightpath as wp

X, truth = make_moons(240, noise=0.2, random_state=0)
X_val, y_val = make_moons(400, noise=0.2, random_state=1)
rng = np.random.default_rng(0)
flipped = rng.choice(240, 24, replace=False)
y = truth.copy()
y[flipped] = 1 - y[flipped]

model = wp.SVC(C=5, gamma=2.0).fit(X, y)
found = wp.influence(model, X_val, y_val, "hinge")
found.to_frame().tail()  # the most harmful rows: the metric falls without them

# %%
# If rows are looked at in this order, how many of the 24 wrong labels are found? Beside it the
# order of the training loss, and chance.

harmful = found.order[::-1]
by_loss = np.argsort(np.where(y == 1, 1, -1) * model.decision_function(X))
ax = plt.figure().gca()
looked = np.arange(1, 241)
for order, name in ((harmful, "most harmful first"), (by_loss, "largest loss first")):
    ax.plot(looked, np.cumsum(np.isin(order, flipped)), label=name)
ax.plot(looked, 24 * looked / 240, color="0.6", linestyle="dotted", label="by chance")
ax.set(xlabel="rows looked at", ylabel="wrong labels found", xlim=(0, 120))
ax.legend()

# %%
# Honestly: for the search of wrong labels the training loss is the better guide here, and costs
# nothing. Influence answers another question, what the removal of a row does to the validation
# metric. Seven of the wrong labels do no harm to it, so that it does not find them.
#
# Each change is exact for one removal. To take out many, move on: the removal of all flipped rows
# among the first thirty is one path.

before = 1 - model.score(X_val, y_val)
path = model.remove(np.intersect1d(harmful[:30], flipped))
print(
    f"validation error {before:.3f} before, {1 - model.score(X_val, y_val):.3f} after the removal"
)
print(f"{path.n_events} events, largest violation {path.kkt_violation():.1e}")
