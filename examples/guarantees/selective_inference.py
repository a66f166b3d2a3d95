r"""
p-values after the lasso has selected
=====================================

Features that a lasso has chosen look good because they were chosen for that. Ordinary p-values do
not know it. ``inference.selective`` asks how surprising an estimate is among those targets for
which the lasso would have chosen the same features; these are found along exact paths.
"""

# %%
# First where nothing is true: 20 features of pure noise, again and again. p-values should then be
# uniform, 5 % of them below 0.05.
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import kstest, norm
from sklearn.datasets import load_diabetes

import weightpath as wp
from weightpath import inference

rng = np.random.default_rng(0)


def ordinary(table):
    """Two-sided p-values of the same estimates, as if the features had been fixed before."""
    return 2 * norm.sf(np.abs(table.estimates / table.standard_errors))


X = rng.normal(size=(60, 20))
before, given = [], []
for _ in range(300):
    table = inference.selective(wp.Lasso(alpha=0.15).fit(X, rng.normal(size=60)), sigma=1.0)
    before.extend(ordinary(table)[:1])
    given.extend(table.p_values[:1])
for name, p_values in (("ordinary", before), ("selective", given)):
    share, test = np.mean(np.array(p_values) < 0.05), kstest(p_values, "uniform").pvalue
    print(f"{name:10s} p-values below 0.05: {share:.0%}; p-value of uniform: {test:.2g}")

# %%
# Then the diabetes data, its ten features and ten columns of noise. The deviation of the targets is
# taken from the residuals of the fit with all features; the guarantee is for a known one.
data = load_diabetes(scaled=False)
noise = rng.normal(size=(len(data.target), 10))
X = np.column_stack([data.data, noise])
X = (X - X.mean(axis=0)) / X.std(axis=0)
y = data.target - data.target.mean()
names = [*data.feature_names, *(f"noise {k}" for k in range(10))]

residual = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
sigma = float(np.sqrt(residual @ residual / (len(y) - X.shape[1] - 1)))
lasso = wp.Lasso(alpha=1.0).fit(X, y)
table = inference.selective(lasso, sigma)
for k, feature in enumerate(table.features):
    print(
        f"{names[feature]:8s} p = {ordinary(table)[k]:8.1e} ordinary, "
        f"{table.p_values[k]:8.1e} given the selection"
    )

# %%
# Left: p-values under the null; the ordinary ones pile up at zero. Right: intervals of the selected
# features, ordinary and given the selection.
figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
for name, p_values, colour in (("ordinary", before, "C1"), ("selective", given, "C0")):
    left.plot(np.sort(p_values), np.linspace(0, 1, len(p_values)), color=colour, label=name)
left.plot([0, 1], [0, 1], color="0.6", lw=1, ls="--", label="uniform")
left.set(xlabel="p-value where nothing is true", ylabel="fraction below", aspect="equal")
left.legend(frameon=False)

place = np.arange(len(table))[::-1]
half = norm.isf(0.025) * table.standard_errors
blind = np.column_stack([table.estimates - half, table.estimates + half])
right.axvline(0, color="0.7", lw=0.8)
for name, ends, colour, shift in (
    ("ordinary", blind, "C1", 0.13),
    ("given the selection", table.intervals, "C0", -0.13),
):
    right.hlines(place + shift, *ends.T, color=colour, label=name)
    right.plot(table.estimates, place + shift, ".", color=colour)
right.set(
    yticks=place,
    yticklabels=[names[k] for k in table.features],
    xlabel="coefficient, 95 % interval",
)
_ = right.legend(frameon=False)
