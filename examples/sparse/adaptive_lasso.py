"""
A lasso whose penalties move
============================

The lasso shrinks all coefficients alike, the true ones too. The adaptive lasso gives each feature
its own penalty, small where a first estimate is large. From the one to the other is an exact
path.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(5)
n, p = 80, 30
X = rng.normal(size=(n, p)) + 0.7 * rng.normal(size=(n, 1))  # features that are correlated
truth = np.zeros(p)
truth[:4] = 3.0, -2.0, 1.5, 1.0
y = X @ truth + rng.normal(size=n)

model = wp.Lasso(alpha=0.25).fit(X, y)
first = model.coef_.copy()
path = model.adaptive()
print(f"features used by the lasso: {np.count_nonzero(first)},")
print(f"by the adaptive lasso: {model.active_.size}")

# %%
theta = np.linspace(0, 1, 300)
coefficients = np.array([path.at(t).dual_coef for t in theta])
_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
left.plot(theta, coefficients[:, 4:], color="0.75", linewidth=1)
for j in range(4):
    left.plot(theta, coefficients[:, j], color=f"C{j}")
    left.plot(1.03, truth[j], "<", color=f"C{j}")
left.set(xlabel="theta: from equal to adaptive penalties", ylabel="coefficient (triangles: truth)")

X_new = rng.normal(size=(400, p)) + 0.7 * rng.normal(size=(400, 1))
y_new = X_new @ truth + rng.normal(size=400)
curve = path.curve(X_new, y_new, "squared")
curve.plot(right)

# %%
# False features leave, true ones lose their shrinkage. The certificate of the whole path:

print(
    f"squared error on new rows: {curve(0):.3f} at the lasso, {curve(1):.3f} at the adaptive lasso,"
)
print(f"{curve.best.value:.3f} at theta = {curve.best.theta:.2f}; noise alone is 1")
print(f"largest violation: {path.kkt_violation():.1e}")
