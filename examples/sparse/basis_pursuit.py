"""
A signal from too few measurements
==================================

Twenty equations for fifty unknowns have many solutions; the one wanted has few numbers that are
not zero. Basis pursuit finds the solution of least size, and a few rounds of reweighting find
signals that equal weights miss.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(11)
Phi = rng.normal(size=(20, 50))
signal = np.zeros(50)
signal[rng.choice(50, 7, replace=False)] = rng.normal(size=7)
y = Phi @ signal

model = wp.BasisPursuit().fit(Phi, y)
by_equal_weights = model.coef_.copy()
model.reweighted_l1(n_rounds=4, epsilon=0.1)

# %%
_, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True)
for ax, found, title in zip(
    axes, (by_equal_weights, model.coef_), ("equal weights", "after four rounds"), strict=True
):
    ax.stem(signal, linefmt="0.7", markerfmt="o", basefmt="0.7", label="signal")
    ax.plot(np.flatnonzero(found), found[found != 0], "x", color="C1", label="found")
    ax.set_title(f"{title}: largest error {np.abs(found - signal).max():.0e}", fontsize=10)
axes[0].legend()

# %%
# Whether it is the least is no matter of trust. A dual vector with no sum beyond the weights
# proves it:

model = wp.BasisPursuit().fit(Phi, y)
print(f"largest |phi' u|: {np.abs(Phi.T @ model.dual_).max():.12f}, no more than the weights, 1")
print(f"y' u = {y @ model.dual_:.12f}")
print(f"size = {model.objective_:.12f}")

# %%
# How often is a signal found? Signals of growing density, twenty of each:

counts = np.arange(2, 13, 2)
rates = []
for count in counts:
    found = np.zeros(2)
    for _ in range(20):
        signal = np.zeros(50)
        signal[rng.choice(50, count, replace=False)] = rng.normal(size=count)
        model = wp.BasisPursuit().fit(Phi, Phi @ signal)
        found[0] += np.allclose(model.coef_, signal, atol=1e-6)
        model.reweighted_l1(n_rounds=4, epsilon=0.1)
        found[1] += np.allclose(model.coef_, signal, atol=1e-6)
    rates.append(found / 20)

ax = plt.figure().gca()
ax.plot(counts, rates, "o-", label=["equal weights", "after four rounds"])
ax.set(xlabel="numbers that are not zero", ylabel="share of signals found")
ax.legend()
