"""A path as the script of a page reads it: a record, names, weights, what decision values mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.metrics import outputs_of_path
from weightpath.page.packing import packed
from weightpath.page.part_data import part_data
from weightpath.path import SolutionPath
from weightpath.path.given import names_of
from weightpath.problems.kind import Wording, kind_called

__all__ = ["ROWS_MB", "STRAIGHT", "matrix_data", "number_data", "path_data", "words_data"]

# Training and other rows that a page holds, so that the browser computes decision values, take no
# more than this each; of larger ones the page has what Python traced.
ROWS_MB = 4.0

# How far weights half way may be off the mean of both ends for a page to move them.
STRAIGHT = 1e-12


def path_data(path: SolutionPath, names: Sequence[Any] | None, n_checks: int) -> dict[str, Any]:
    """Return everything about a path but its metrics."""
    kind = kind_called(path.parts[0].reading.kind)
    wording, expansion = kind.wording, _expansion(path)
    return {
        "kind": kind.name,
        "estimator": str(path.params.get("estimator") or "Model"),
        "rowsAre": kind.rows_are,
        "n": path.n_rows,
        "end": float(path.theta[-1]),
        "single": path.is_single,
        "pairs": None if path.pairs is None else [list(pair) for pair in path.pairs],
        "outputs": _outputs(path),
        "wording": words_data(wording),
        "names": _row_names(path, names),
        "labels": _labels(path),
        "weights": _weights(path),
        "parts": [part_data(part, expansion["X"] is not None) for part in path.parts],
        "expansion": expansion,
        "tube": _tube(path),
        "certificate": _certificate(path, n_checks),
        "segments": len(path),
    }


def words_data(wording: Wording) -> dict[str, Any]:
    """Return the words of a kind of problem."""
    return {
        "coefficient": wording.coefficient.replace("$", ""),
        "signed": wording.signed,
        "row": wording.row,
        "rows": wording.rows,
        "margin": wording.margin,
    }


def _outputs(path: SolutionPath) -> dict[str, Any]:
    """Return what decision values stand for."""
    outputs = outputs_of_path(path)
    classes = outputs.classes
    return {
        "classes": None if classes is None else [str(label) for label in classes.tolist()],
        "oneVsRest": bool(outputs.one_vs_rest),
        "breakTies": bool(outputs.break_ties),
        "detects": bool(outputs.detects),
        "predicts": bool(outputs.predicts),
    }


def _row_names(path: SolutionPath, names: Sequence[Any] | None) -> list[str] | None:
    """Return the names of rows (documents, features), given or known to the training set."""
    features = _rows_are(path) == "features"
    n = path.n_rows if features else int(path.X.shape[0])
    if names is not None:
        found = list(names)
        if len(found) != n:
            what = "features" if features else "training rows"
            raise ValueError(f"names has {len(found)} entries, but the path has {n} {what}.")
        return [str(name) for name in found]
    known: Any = names_of(path) if features else None
    if known is None and not features:
        training = getattr(path.template, "training", None)
        known = getattr(training, "per_row", {}).get("name")
    # Rows that came later may have none.
    return None if known is None else ["" if one is None else str(one) for one in known]


def _labels(path: SolutionPath) -> dict[str, Any] | None:
    """Return the class or the target of each training row."""
    labels, kind = path.params.get("labels"), kind_called(path.parts[0].reading.kind)
    if path.classes is not None:
        return None if labels is None else {"class": packed(labels)}
    if kind.rows_are != "instances" or not kind.has_targets:
        return None
    stair, end = path.parts[0].start, path.parts[0].end
    return {"target": packed(stair.target), "targetEnd": packed(end.target)}


def _weights(path: SolutionPath) -> dict[str, Any]:
    """Return the weights at both ends, and whether they go straight from one to the other."""
    last = float(path.theta[-1])
    ends, middle = np.zeros((2, path.n_rows)), np.zeros(path.n_rows)
    for part in path.parts:
        rows = part.train_rows
        for k, theta in enumerate((0.0, 1.0)):
            ends[k, rows] = part.weights(theta)
        middle[rows] = part.weights(0.5)
    off = np.abs(middle - ends.mean(axis=0))
    straight = bool((off <= STRAIGHT * np.abs(ends).max(axis=0)).all())
    return {"start": packed(ends[0]), "end": packed(ends[1]), "straight": straight, "last": last}


def _expansion(path: SolutionPath) -> dict[str, Any]:
    """Return what decision values are computed from, as far as there is room for it."""
    rows_are, kernel = _rows_are(path), path.kernel
    rows: Any = path.parts[0].own_rows
    known: dict[str, Any] = {"rows": rows_are, "kernel": None, "X": None}
    if rows_are == "features":
        return {**known, "centre": packed(rows.centre), "offset": rows.offset.tolist()}
    if rows_are == "pairs":
        known |= {"first": packed(rows.pairs.first), "second": packed(rows.pairs.second)}
    if kernel.is_native:
        known |= {"kernel": kernel.to_dict(), "X": matrix_data(path.X)}
    return known


def _rows_are(path: SolutionPath) -> str:
    return kind_called(path.parts[0].reading.kind).rows_are


def _tube(path: SolutionPath) -> list[float] | None:
    """Return half the width of a tube at both ends, if it is the same for all rows."""
    ends = (path.params.get(end, {}).get("epsilon") for end in ("start", "end"))
    widths = [np.unique(width) for width in ends if width is not None]
    if len(widths) != 2 or any(width.size != 1 for width in widths):
        return None
    return [float(width[0]) for width in widths]


def matrix_data(X: Any) -> dict[str, Any] | None:
    """Return rows of features; ``None`` where they would take too much room."""
    if X.shape[0] * X.shape[1] * 8 > ROWS_MB * 1e6:
        return None
    dense: NDArray[np.float64] = X.toarray() if issparse(X) else np.asarray(X, dtype=np.float64)
    return {"n": int(dense.shape[0]), "d": int(dense.shape[1]), "x": packed(dense)}


def _certificate(path: SolutionPath, n_checks: int) -> dict[str, Any]:
    """Return how far from optimal the path is at some theta, computed from the data."""
    checks = np.linspace(path.theta[0], path.theta[-1], max(2, n_checks))
    ends = (float(checks[0]), float(checks[-1]))
    status = getattr(path.status, "message", path.status)
    return {
        "status": str(status),
        "theta": checks.tolist(),
        "violation": [number_data(path.kkt_violation(float(theta))) for theta in checks],
        "gap": [number_data(path.duality_gap(theta)) for theta in ends],
        "floor": [number_data(path.rounding_floor(theta)) for theta in ends],
    }


def number_data(value: float) -> float | str:
    """Return a number; as text where JSON has none for it, as for a gap that is infinite."""
    return float(value) if np.isfinite(value) else str(float(value))
