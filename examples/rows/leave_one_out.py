"""
Exact leave-one-out
===================

What would the model say of each row if it had not been trained on it? Each weight goes to zero
along its own path; no model is fitted again.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import weightpath as wp

X, y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
model = wp.SVC(C=10).fit(X, y)

left_out = wp.leave_one_out(model)
print(
    f"leave-one-out error {left_out.error:.4f}, training error {np.mean(model.predict(X) != y):.4f}"
)
print(f"{left_out.n_paths} of {len(y)} rows need a path: the others have no coefficient")

# %%
# The rows whose answer depends most on themselves:

sign = np.where(y == 1, 1, -1)
with_it = sign * model.decision_function(X)
without = sign * left_out.decision_values

ax = plt.figure(figsize=(4.8, 4.4)).gca()
ax.axhline(0, color="0.7", linewidth=0.8)
ax.axvline(0, color="0.7", linewidth=0.8)
ax.scatter(with_it, without, s=10)
wrong_only_without = (with_it > 0) & (without < 0)
ax.scatter(with_it[wrong_only_without], without[wrong_only_without], s=24, color="C1")
ax.set(xlabel="y f(x), trained with the row", ylabel="y f(x), trained without it")
print(f"{wrong_only_without.sum()} rows (orange) are right only because the model has seen them")

# %%
# A fit without a row agrees. Only the kernel must be the same: ``gamma="scale"`` would be
# resolved anew.

i = int(np.argmin(without - with_it))
keep = np.arange(len(y)) != i
again = wp.SVC(C=10, gamma=model.gamma_).fit(X[keep], y[keep])
difference = abs(again.decision_function(X[[i]])[0] - left_out.decision_values[i])
print(f"row {i}: difference from a fit without it {difference:.1e}")
