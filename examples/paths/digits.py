"""
Ten classes: how wrong is a 3 that is taken for an 8?
=====================================================

With several classes there is one subproblem for each pair, 45 for ten digits, and all of them
move together. Here one class is made more and more important, and the confusion matrix is
followed exactly.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import weightpath as wp

X, y = load_digits(return_X_y=True)
X, X_val, y, y_val = train_test_split(X / 16, y, train_size=500, stratify=y, random_state=0)

model = wp.SVC(C=0.03, kernel="linear").fit(X, y)  # much regularised: it makes mistakes
path = model.move(class_weight={8: 30.0})
print(f"{path.n_events} events on {len(model.subproblems_)} subproblems")

# %%
# Any function of the confusion matrix is an exact metric: here the recall of the digit 8, and the
# mistakes that its weight costs elsewhere.

recall = wp.metrics.of_confusion(lambda m: m[8, 8] / m[8].sum(), "recall of 8")
others = wp.metrics.of_confusion(
    lambda m: 1 - np.delete(np.diag(m), 8).sum() / np.delete(m, 8, axis=0).sum(),
    "errors on other digits",
    greater_is_better=False,
)
curves = {metric.name: path.curve(X_val, y_val, metric) for metric in (recall, others)}
curves["accuracy"] = path.curve(X_val, y_val, "accuracy")

_, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3))
theta = np.linspace(0, 1, 800)
for name, curve in curves.items():
    left.plot(1 + 29 * theta, curve(theta), label=name)
left.set(xlabel="weight of the digit 8", xscale="log")
left.legend()

best = path.model_at(curves["accuracy"].best.theta)
matrix = np.zeros((10, 10))
np.add.at(matrix, (y_val, best.predict(X_val)), 1)
np.fill_diagonal(matrix, np.nan)
image = right.imshow(matrix, cmap="Blues")
right.set(xticks=range(10), yticks=range(10), xlabel="predicted", ylabel="true")
right.set_title("mistakes at the best accuracy", fontsize=10)
plt.colorbar(image, ax=right)

print(f"accuracy {curves['accuracy'](0):.4f} with equal weights,")
best = curves["accuracy"].best
print(f"{best.value:.4f} with the weight {1 + 29 * best.theta:.2f} for the digit 8")
