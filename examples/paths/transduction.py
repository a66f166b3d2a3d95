"""
Eight labels and two hundred rows
=================================

Transduction classifies rows without labels together with the few that have one. Inside, weights
grow and pairs of rows exchange their labels; every step is an exact path from the model before.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import weightpath as wp

X, truth = make_moons(200, noise=0.12, random_state=6)
known = np.zeros(200, dtype=bool)
for label in (0, 1):
    known[np.flatnonzero(truth == label)[:4]] = True
y = np.where(known, truth, -1)

model = wp.TransductiveSVC(C=1, gamma=2.0, positive_fraction=0.5).fit(X, y)
alone = model.initial_svc_  # the ordinary machine, on the eight labelled rows

# %%
first, second = np.meshgrid(np.linspace(-1.6, 2.6, 150), np.linspace(-1.1, 1.6, 150))
grid = np.column_stack([first.ravel(), second.ravel()])
_, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
for ax, one, title in zip(axes, (alone, model), ("labels alone", "transduction"), strict=True):
    values = one.decision_function(grid).reshape(first.shape)
    ax.contourf(first, second, values, [-np.inf, 0, np.inf], colors=["C1", "C0"], alpha=0.15)
    ax.contour(first, second, values, [0], colors="black")
    ax.scatter(*X[~known].T, s=8, color="0.5")
    ax.scatter(*X[known].T, s=60, c=np.where(truth[known] == 1, "C0", "C1"), edgecolors="black")
    right = np.mean(one.predict(X[~known]) == truth[~known])
    ax.set(title=f"{title}: {right:.1%} right", xticks=[], yticks=[])

# %%
# The objective, path by path. Weights grow (it rises), labels are exchanged (it falls).

model.plot()
print(f"{len(model.history_)} paths, {model.n_switches_} pairs exchanged their labels,")
print(f"{sum(step.n_events for step in model.history_)} events in all")

# %%
# It rests on the assumption that classes are separated by a gap in the data, and on labels that
# lie in the right places. It helps in most draws of the data, and in some it harms a lot:

changes = []
for seed in range(20):
    X, truth = make_moons(200, noise=0.12, random_state=seed)
    first_four = [np.flatnonzero(truth == label)[:4] for label in (0, 1)]
    known = np.isin(np.arange(200), np.concatenate(first_four))
    one = wp.TransductiveSVC(C=1, gamma=2.0, positive_fraction=0.5)
    one.fit(X, np.where(known, truth, -1))
    alone, together = (
        np.mean(m.predict(X[~known]) == truth[~known]) for m in (one.initial_svc_, one)
    )
    changes.append(together - alone)
changes = np.array(changes)
print(f"better in {np.sum(changes > 0)} of 20 draws, worse in {np.sum(changes < 0)};")
print(f"change of the accuracy from {changes.min():+.2f} to {changes.max():+.2f}")
