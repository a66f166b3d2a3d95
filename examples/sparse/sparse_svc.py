"""
As few features as possible
===========================

A support vector machine with the 1-norm uses few features, and every model between none and many
is on one path of C. What does each further feature bring?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import weightpath as wp

data = load_breast_cancer()
X, X_val, y, y_val = train_test_split(data.data, data.target, train_size=300, random_state=0)
scaler = StandardScaler().fit(X)
X, X_val = scaler.transform(X), scaler.transform(X_val)

model = wp.L1SVC(C=0.005).fit(X, y)
path = model.path_to(C=0.5)
curve = path.curve(X_val, y_val, "zero_one")
print(f"{path.n_events} events from C = 0.005 to C = 0.5")

# %%
middle = (path.theta[:-1] + path.theta[1:]) / 2
coefficients = np.array([path.at(t).coef for t in middle])
used = np.count_nonzero(coefficients, axis=1)
C = 0.005 + 0.495 * middle

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
left.step(C, coefficients, where="mid", linewidth=1)
left.set(xscale="log", xlabel="C", ylabel="coefficients")
right.step(C, curve(middle), where="mid", label="validation error")
right.step(C, used / 100, where="mid", label="features used / 100", color="0.6")
right.set(xscale="log", xlabel="C")
right.legend()

# %%
# The coefficients are steps: the model sits at a vertex of a linear program and jumps to the
# next. The best error for each number of features:

for count in sorted(set(used)):
    at = middle[used == count]
    print(f"{count:2} features: least error {curve(at).min():.3f}")
