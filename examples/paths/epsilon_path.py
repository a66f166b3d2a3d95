"""
The width of a tube
===================

Support vector regression forgives errors smaller than epsilon. From a wide tube, in which a
constant fits, to one of no width, all solutions lie on one path, and so does the best epsilon.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

rng = np.random.default_rng(0)


def noisy_sine(n):
    x = np.sort(rng.uniform(0, 10, n))
    return x[:, None], np.sin(x) + 0.25 * rng.normal(size=n)


X, y = noisy_sine(120)
X_val, y_val = noisy_sine(400)

model = wp.SVR(C=5, gamma=0.5, epsilon=1.2).fit(X, y)
path = model.move(epsilon=0.0)
curve = path.curve(X_val, y_val, "squared")
print(f"{path.n_events} events; the least squared error is {curve.best.value:.4f},")
print(f"at epsilon = {1.2 * (1 - curve.best.theta):.4f}")

# %%
# Between breakpoints the squared error is a parabola, so its least value is found in closed form.
# The number of support vectors is what a narrow tube costs.

theta = np.linspace(0, 1, 400)
widths = 1.2 * (1 - theta)
support = [np.count_nonzero(path.at(t).dual_coef) for t in theta]

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
left.plot(widths, curve(theta))
left.axvline(1.2 * (1 - curve.best.theta), color="C1", linestyle="dashed", label="best")
left.set(xlabel="epsilon", ylabel="squared error, new rows")
left.legend()
twin = left.twinx()
twin.plot(widths, support, color="0.6", linewidth=1)
twin.set_ylabel("support vectors", color="0.4")
twin.spines["right"].set_visible(True)

line = np.linspace(0, 10, 400)[:, None]
right.plot(X, y, ".", color="0.6")
for t, label in ((0.15, "wide"), (curve.best.theta, "best"), (1.0, "none")):
    right.plot(line, path.decision_function(line, t), label=f"{label}: {1.2 * (1 - t):.2f}")
right.set(xlabel="x")
right.legend(title="epsilon", ncols=3, fontsize=8)
