"""
A ROC curve of all class weights
================================

Moving the threshold of one model is not the only way to trade one kind of error for the other:
the model that was trained for a trade-off may be better there. The hull of all class weights at
all thresholds shows by how much.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

import weightpath as wp

X, y = make_classification(
    900, n_features=5, n_informative=3, weights=[0.8], class_sep=0.7, random_state=4
)
X, X_val, y, y_val = train_test_split(X, y, train_size=250, stratify=y, random_state=0)

model = wp.SVC(C=1, gamma=0.3).fit(X, y)
hull = wp.roc_hull(model, X_val, y_val)
print(f"area under the curve of thresholds alone: {hull.auc_of_thresholds:.4f}")
print(f"area under the hull of all class weights: {hull.auc:.4f}")

# %%
ax = plt.figure(figsize=(7, 5.4)).gca()
hull.plot(ax)

# %%
# Each vertex is one model with one threshold.

hull.to_frame().iloc[::4].round(4)

# %%
# The hull is never below the curve of thresholds, since that is part of it; on rows that chose
# neither, part of the gain is lost. Use it to see what is possible, and a search over folds to
# decide.
