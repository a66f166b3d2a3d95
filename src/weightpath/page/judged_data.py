"""A metric's curve, and predictions on some rows, as the script of a page reads them.

A predicted class changes at single theta only: a page has the list of these changes, so that it
counts the confusion matrix exactly, whatever the kernel is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.curves import Curve
from weightpath.curves.decision_path import Block
from weightpath.curves.labels import label_changes
from weightpath.metrics import Outputs, label_of, outputs_of_path
from weightpath.metrics.ids import encode_ids
from weightpath.metrics.validation import check_rows
from weightpath.page.packing import packed
from weightpath.page.path_data import matrix_data
from weightpath.path import SolutionPath
from weightpath.path.given import check_points
from weightpath.problems.kind import kind_called

__all__ = [
    "Judged",
    "curve_data",
    "index_names",
    "judged_data",
    "judged_rows",
    "with_classes",
]


# The values of training rows on the margin of a detector are zero up to rounding, and zero is an
# inlier: values are raised by this fraction of the bias before their signs are read.
LIFT = 1e-11


class Judged(NamedTuple):
    """Rows that a page shows predictions of.

    Attributes
    ----------
    X : array-like or None
        The rows; ``None`` for the training rows.
    y : array-like or None
        Their labels, values or relevances.
    sample_weight : array-like or None
        Their weights in the confusion matrix.
    qid : array-like or None
        Their queries.
    """

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    qid: Any = None


def curve_data(curve: Curve) -> dict[str, Any]:
    """Return a curve, with where it is best."""
    best = curve.best
    return {
        "metric": curve.metric or "curve",
        "label": _label(curve),
        "greaterIsBetter": bool(curve.greater_is_better),
        "degree": curve.degree,
        "edges": packed(curve.edges),
        "coefficients": packed(curve.coefficients),
        "pointTheta": packed(curve.point_theta),
        "pointValue": packed(curve.point_values),
        "best": {"theta": best.theta, "value": best.value, "interval": list(best.interval)},
    }


def judged_rows(path: SolutionPath, judged: Judged) -> Judged:
    """Return checked rows as the kernel sees them, the training rows where none are given."""
    outputs = outputs_of_path(path)
    if judged.X is None:
        given = [
            name for name in ("y", "sample_weight", "qid") if getattr(judged, name) is not None
        ]
        if given:
            raise ValueError(f"{given[0]} belongs to rows: give X, too.")
        return Judged(
            None, _training_target(path), None, path.params.get("fixed", {}).get("_query")
        )
    X = check_points(path, judged.X)
    y = weight = None
    if judged.y is not None:
        rows = check_rows(X, judged.y, judged.sample_weight, with_classes(outputs))
        y, weight = rows.target, None if judged.sample_weight is None else rows.weight
    elif judged.sample_weight is not None:
        raise ValueError("sample_weight needs y, too: it weights the confusion matrix.")
    if judged.qid is not None:
        encode_ids(judged.qid, X.shape[0], "qid", "query")
    return Judged(X, y, weight, judged.qid)


def judged_data(path: SolutionPath, judged: Judged, given: Any = None) -> dict[str, Any]:
    """Return what a page needs to predict rows.

    Parameters
    ----------
    path : SolutionPath
    judged : Judged
        As :func:`judged_rows` has checked them.
    given : array-like or data frame, optional
        The rows as they were given, for their names.
    """
    own = judged.X is None
    X = path.X if own else judged.X
    outputs = outputs_of_path(path)
    has_classes = outputs.classes is not None or outputs.detects
    rows_are = kind_called(path.parts[0].reading.kind).rows_are
    y = None if judged.y is None else np.asarray(judged.y)
    return {
        "own": own,
        "n": int(X.shape[0]),
        "X": None if own and rows_are != "features" else matrix_data(X),
        "y": None if y is None or has_classes else packed(y.astype(float)),
        "weight": None if judged.sample_weight is None else packed(judged.sample_weight),
        "names": None if own else index_names(given, int(X.shape[0])),
        "labels": _labels(path.on_prepared_rows, X, y, outputs) if has_classes else None,
        "qid": None if judged.qid is None else _queries(judged.qid, int(X.shape[0])),
    }


class _Lifted:
    """The path of a detector whose values are raised a little, so that zero counts as inlier."""

    def __init__(self, path: SolutionPath):
        self._path, self.theta = path, path.theta
        self._lift = LIFT * max(float(np.abs(part.record.bias).max()) for part in path.parts)

    def iter_segments(self, X: Any, block_mb: float = 64.0, part: int = 0) -> Iterator[Block]:
        """Yield blocks of segments; see :class:`weightpath.curves.decision_path.DecisionPath`."""
        for left, right, value, slope in self._path.iter_segments(X, block_mb, part):
            yield left, right, value + self._lift, slope


def with_classes(outputs: Outputs) -> Outputs:
    """Return outputs in which inliers and outliers are classes."""
    return Outputs.of_classes(np.array([-1, 1])) if outputs.detects else outputs


def _label(curve: Curve) -> str:
    try:
        return label_of(curve.metric)
    except ValueError:
        return curve.metric or "curve"


def _training_target(path: SolutionPath) -> NDArray[Any] | None:
    """Return labels (as indices) or targets of the training rows, where the path knows them."""
    kind = kind_called(path.parts[0].reading.kind)
    if path.classes is not None:
        labels = path.params.get("labels")
        return None if labels is None else np.asarray(labels)
    if kind.rows_are == "instances" and kind.has_targets:
        return path.parts[0].start.target
    known = path.params
    target = (
        known.get("labels") if kind.rows_are == "pairs" else known.get("start", {}).get("target")
    )
    return None if target is None else np.asarray(target)


def _labels(path: SolutionPath, X: Any, y: Any, outputs: Outputs) -> dict[str, Any]:
    """Return the predicted classes at the start, all their changes, and the true classes."""
    known = with_classes(outputs)
    lifted = _Lifted(path) if outputs.detects else path
    changes = label_changes(lifted, X, known.n_classes, known.pairs, known.break_ties)
    order = np.argsort(changes.theta, kind="stable")
    data = {
        "classes": [str(label) for label in np.asarray(known.classes).tolist()],
        "true": None if y is None else packed(np.asarray(y, dtype=np.intp)),
        "initial": packed(changes.initial),
        "theta": packed(changes.theta[order]),
        "row": packed(changes.row[order]),
        "before": packed(changes.before[order]),
        "after": packed(changes.after[order]),
    }
    return {**data, "isolated": [_isolated(path, X, theta, known) for theta in path.isolated_theta]}


def _isolated(path: SolutionPath, X: Any, theta: float, outputs: Outputs) -> dict[str, Any]:
    """Return the predicted classes at one theta that differs from both sides of it."""
    values = np.stack([p.decision_values(X, np.array([theta]))[0] for p in path.parts], axis=-1)
    # Of a detector, as its predictions are: zero is an inlier.
    label = outputs.predicted(values) if path.classes is not None else (values[:, 0] >= 0)
    return {"theta": float(theta), "label": packed(label.astype(np.intp))}


def _queries(qid: Any, n: int) -> dict[str, Any]:
    code = encode_ids(qid, n, "qid", "query")
    words = [str(one) for one in np.asarray(qid).tolist()]
    names = [""] * (int(code.max()) + 1)
    for number, word in zip(code.tolist(), words, strict=True):
        names[number] = word
    return {"code": packed(code), "names": names}


def index_names(X: Any, n: int) -> list[str] | None:
    """Return the index of a frame, unless it only counts."""
    index = getattr(X, "index", None) if hasattr(X, "iloc") else None
    if index is None or len(index) != n:
        return None
    names = np.asarray(index)
    if names.dtype.kind in "iu" and np.array_equal(names, np.arange(n)):
        return None
    return [str(one) for one in index]
