"""
weightpath in ten minutes
=========================

You have trained a support vector machine, and now the weights of its rows shall change: old rows
are forgotten, costs are renegotiated, a group counts more. This page takes you from a first fit
to a model chosen among *all* weightings on the way. You need Python, some scikit-learn, and
weightpath :doc:`installed </install>` with the extra for pictures. From the top of the source tree:

.. code-block:: console

   pip install ".[plot]"

What a program prints or draws stands below it; all of it was run when this page was built. At the
bottom you can download the page as a notebook.
"""

import matplotlib.pyplot as plt
import numpy as np

import weightpath as wp

# %%
# Minute one: data and a fit
# --------------------------
#
# These are made-up data: two classes in the plane. Half of the rows cost twice as much to
# misclassify as the others. Each set of rows comes with two weightings. In the old one,
# ``w_old``, the cheaper rows do not count at all; in the new one, ``w_new``, all rows count the
# same.

train = wp.datasets.make_toy(400, random_state=0)
new = wp.datasets.make_toy(1000, random_state=1, like=train)

model = wp.SVC(C=10, gamma=0.5)
model.fit(train.X, train.y, sample_weight=train.w_old)
print(f"error on new rows: {1 - model.score(new.X, new.y):.3f}")

# %%
# So far this is scikit-learn: the same names, the same conventions. One thing is different: a
# weight of zero is a weight like any other. Such rows have no influence, stay in the training
# set, and can come back.
#
# Minute two: reweight
# --------------------
#
# ``reweight`` moves the model to other weights. It does not fit again: it follows the optimal
# solution while the weights go from old to new in a straight line, and returns that path.

path = model.reweight(train.w_new)
path

# %%
# The position on a path is called theta: 0 is the start, 1 the end, where the model is now.

print(f"error on new rows: {1 - model.score(new.X, new.y):.3f}")

# %%
# Minute three: what is on a path
# -------------------------------
#
# The coefficients of the model are *piecewise linear* in theta. A piece ends where a row changes
# its set: a row outside the margin has no coefficient, one inside has the largest that its weight
# allows, and the few on the margin are between. Such a change is an event.

print(f"{len(path)} straight pieces, {path.n_events} events")
print("the first three:")
for event in path.events[:3]:
    row, before, after = event["index"], event["from"], event["to"]
    print(f"  theta = {event['theta']:.5f}: row {row}, {before} -> {after}")

# %%
# Between the breakpoints ``path.theta`` nothing is lost, so every theta has its exact solution:

solution = path.at(0.37)
print(f"intercept {solution.intercept:.4f}, {solution.margin.size} rows on the margin")
print(f"{solution.inside.size} inside, {solution.outside.size} outside")

# %%
# ``plot`` draws all of it: the coefficients that vary most, the size of the margin, a mark for
# each event.

path.plot()

# %%
# Minute four: do not believe it
# ------------------------------
#
# A solver should not grade itself. ``kkt_violation`` computes from the data alone by how much any
# optimality condition fails, at all breakpoints and between them. And a fit from scratch must
# agree:

print(f"largest violation on the path: {path.kkt_violation():.1e}")

weights = 0.63 * train.w_old + 0.37 * train.w_new
fresh = wp.SVC(C=10, gamma=0.5).fit(train.X, train.y, sample_weight=weights)
difference = np.abs(fresh.decision_function(new.X) - path.decision_function(new.X, 0.37)).max()
print(f"largest difference from a fit at theta = 0.37: {difference:.1e}")

# %%
# Minute five: which theta is best?
# ---------------------------------
#
# Validation rows change sides at certain theta, and only there does the error change. ``curve``
# finds all of them: the error as an exact function of theta, with no grid that could be too
# coarse. The last argument has the cost of each row.

curve = path.curve(new.X, new.y, "zero_one", new.cost)
curve.plot()
curve.best

# %%
# ``best`` has the least value, the middle of the longest interval on which it is attained, and
# that interval. The model there is an ordinary fitted estimator, and can be moved on, saved, or
# put into production:

best = path.model_at(curve.best.theta)
best.predict(new.X[:5])

# %%
# There are many other metrics, from ``"f1"`` to ``"auc"``, and any function of the confusion
# matrix: see :doc:`the table </metrics>`.
#
# Minute six: choose honestly
# ---------------------------
#
# The best of a thousand models on the rows that chose it looks better than it is.
# Cross-validation is the usual remedy, and :class:`~weightpath.PathSearchCV` does it with exact
# curves: one path for each fold, the mean of the curves, its best theta.

search = wp.PathSearchCV(wp.SVC(C=10, gamma=0.5), "zero_one", cv=5)
search.fit(train.X, train.y, start=train.w_old, end=train.w_new, validation_weight=train.cost)

ax = plt.figure().gca()
for fold in search.fold_curves_:
    ax.step(fold.edges[:-1], fold.values, where="post", color="0.8", linewidth=1)
search.curve_.plot(ax)
print(f"theta = {search.best_theta_:.3f}, mean error {search.best_score_:.3f}")

# %%
# Other rows, drawn apart, judge the three candidates:

test = wp.datasets.make_toy(20000, random_state=2, like=train)
for name, theta in (("old", 0.0), ("chosen", search.best_theta_), ("new", 1.0)):
    wrong = search.path_.predict(test.X, theta) != test.y
    print(f"{name:7} {np.average(wrong, weights=test.cost):.4f}")

# %%
# Minute seven: other things move, too
# ------------------------------------
#
# ``move`` takes several quantities at once, in one straight line: weights, ``C``, factors of
# classes, margins; for a regression the width of the tube and the targets.

back = model.move(sample_weight=train.w_old, C=3.0)
print(f"{back.n_events} events; C is now {model.C_}")

# %%
# Rows come and go on paths as well. Arrivals begin at weight zero, departures end there:

more = wp.datasets.make_toy(8, random_state=3, like=train)
model.add(more.X, more.y)
model.remove([0, 5])
print(f"{len(model.training_set_.X)} rows, violation {model.kkt_violation():.1e}")

# %%
# A call that fails leaves the model exactly as it was.
#
# Minute eight: what does each row do?
# ------------------------------------
#
# To leave a row out is to take its weight to zero. All rows in turn, each on a path of its own:

left_out = wp.leave_one_out(best)
print(f"leave-one-out error {left_out.error:.3f}; {left_out.n_paths} of 400 rows needed a path")

# %%
# Minute nine: look at it, keep it
# --------------------------------
#
# ``path.to_html("path.html", curve)`` writes one file that any browser opens, in which a slider
# moves theta and everything follows; you have seen it on :doc:`the first page </index>`. In a
# notebook, ``path.show(curve)`` puts it below the cell. Paths are saved as plain arrays, without
# pickle:

import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    path.save(Path(folder) / "path.npz")
    again = wp.load(Path(folder) / "path.npz")
print(np.abs(again.decision_function(new.X, 0.37) - path.decision_function(new.X, 0.37)).max())

# %%
# Minute ten: where to go
# -----------------------
#
# - Your own task: the how-to guides, such as :doc:`class weights </class-weights>`,
#   :doc:`forgetting </forget-old-data>` or :doc:`shift </adapt-to-shift>`.
# - Your own data: :doc:`pipelines and tables </pipelines>`.
# - Whether this is the right tool at all: :doc:`which tool when </which-tool>`.
# - Why it works: :doc:`the staircase form and the path </staircase>`.
