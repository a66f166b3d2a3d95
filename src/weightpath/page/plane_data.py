"""A region map as the script of a page reads it: regions, the problem, names, predicted rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.metrics import Outputs
from weightpath.metrics.validation import check_rows
from weightpath.page.judged_data import Judged, index_names, with_classes
from weightpath.page.packing import packed
from weightpath.page.path_data import ROWS_MB, STRAIGHT, matrix_data, number_data, words_data
from weightpath.page.region_data import on_unit_square, regions_data
from weightpath.path import certificate
from weightpath.path.given import check_points
from weightpath.problems.kind import kind_called
from weightpath.problems.position import n_positions

__all__ = ["judged_on_plane", "plane_data"]

Reals = NDArray[np.float64]


def plane_data(
    region_map: Any, outputs: Outputs, names: Sequence[Any] | None, n_checks: int
) -> dict[str, Any]:
    """Return everything about a map but its metric and the rows that it predicts."""
    problem, training = region_map.problem, region_map.problem.fitted.training
    reading = problem.subproblem.reading
    kind = kind_called(reading.kind)
    classes = outputs.classes
    return {
        "kind": kind.name,
        "estimator": type(region_map.estimator).__name__,
        "rowsAre": kind.rows_are,
        "n": len(training),
        "pairs": None,
        "outputs": {
            "classes": None if classes is None else [str(one) for one in classes.tolist()],
            "oneVsRest": False,
            "breakTies": False,
            "detects": bool(kind.detects),
            "predicts": bool(outputs.predicts and classes is None),
        },
        "wording": words_data(kind.wording),
        "names": _names(training, names),
        "classOf": None if classes is None else packed(training.labels),
        "axes": [str(name) for name in region_map.axis_names],
        "bounds": region_map.bounds.tolist(),
        "regions": regions_data(region_map),
        "part": _part_data(region_map),
        "weights": _weights(region_map),
        "expansion": _expansion(region_map),
        "tube": _tube(region_map),
        "certificate": _certificate(region_map, n_checks),
    }


def _names(training: Any, names: Sequence[Any] | None) -> list[str] | None:
    if names is not None:
        found = list(names)
        if len(found) != len(training):
            raise ValueError(
                f"names has {len(found)} entries, but the map has {len(training)} training rows."
            )
        return [str(name) for name in found]
    known = training.per_row.get("name")
    return None if known is None else ["" if one is None else str(one) for one in known]


def _columns(parts: Reals) -> list[dict[str, Any]]:
    """Return the three coefficients of functions on the unit square, one after the other."""
    return [packed(np.ascontiguousarray(parts[..., c])) for c in range(3)]


def _part_data(region_map: Any) -> dict[str, Any]:
    """Return the staircase of the one problem as a function of the plane."""
    problem, bounds = region_map.problem, region_map.bounds
    reading, n = problem.subproblem.reading, len(problem)
    knots, levels = (on_unit_square(own, bounds) for own in (problem.knots, problem.levels))
    signs, code = np.unique(reading.sign, return_inverse=True)
    positions = np.arange(n_positions(knots.shape[1]))
    table = [reading.meaning.sets(np.full(positions.size, s), positions) for s in signs]
    rows = np.asarray(problem.subproblem.rows)
    return {
        "n": n,
        "rows": None if np.array_equal(rows, np.arange(n)) else packed(rows),
        "knots": [_columns(knots[:, j]) for j in range(knots.shape[1])],
        "levels": [_columns(levels[:, j]) for j in range(levels.shape[1])],
        "target": _columns(on_unit_square(problem.target, bounds)),
        "hasTarget": bool(reading.meaning.has_targets),
        "total": on_unit_square(problem.total, bounds).tolist(),
        "ridge": problem.ridge,
        "sign": packed(code),
        "sets": [row.tolist() for row in table],
    }


def _weights(region_map: Any) -> dict[str, Any]:
    """Return the weights at three corners of the plane, and whether they are affine."""
    problem = region_map.problem
    low, high = region_map.bounds.T
    rows, weights = problem.subproblem.rows, problem.subproblem.reading.weights

    def at(unit: Sequence[float]) -> Reals:
        found = np.zeros(len(problem.fitted.training))
        found[rows] = weights(problem.staircase(low + np.asarray(unit) * (high - low)))
        return found

    corners = [at(unit) for unit in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))]
    middle = at((0.375, 0.25))
    off = np.abs(0.375 * corners[0] + 0.375 * corners[1] + 0.25 * corners[2] - middle)
    straight = bool((off <= STRAIGHT * np.abs(corners).max(axis=0)).all())
    return {"corners": [packed(one) for one in corners], "straight": straight}


def _expansion(region_map: Any) -> dict[str, Any]:
    kernel = region_map.kernel
    known: dict[str, Any] = {"rows": "instances", "kernel": None, "X": None}
    if kernel.is_native:
        known |= {"kernel": kernel.to_dict(), "X": matrix_data(region_map.X)}
    return known


def _tube(region_map: Any) -> list[float] | None:
    """Return half the width of a tube over the unit square, if it is the same for all rows."""
    if not hasattr(region_map.estimator, "epsilon_"):
        return None
    levels = on_unit_square(region_map.problem.levels, region_map.bounds)[:, -2]
    found: list[float] = levels[0].tolist()
    return found if (levels == levels[0]).all() and np.isfinite(levels).all() else None


def judged_on_plane(region_map: Any, outputs: Outputs, judged: Judged) -> dict[str, Any]:
    """Return what a page needs to predict rows: given ones, or the training rows."""
    kind = kind_called(region_map.problem.subproblem.reading.kind)
    known = with_classes(replace(outputs, detects=True)) if kind.detects else outputs
    own, training = judged.X is None, region_map.problem.fitted.training
    if own:
        given = next((n for n in ("y", "sample_weight") if getattr(judged, n) is not None), None)
        if given is not None:
            raise ValueError(f"{given} belongs to rows: give X, too.")
        X, weight = region_map.X, None
        y = training.labels if outputs.classes is not None or kind.has_targets else None
    else:
        X, y, weight = check_points(region_map, judged.X), None, None
        if judged.y is not None:
            rows = check_rows(X, judged.y, judged.sample_weight, known)
            y, weight = rows.target, None if judged.sample_weight is None else rows.weight
        elif judged.sample_weight is not None:
            raise ValueError("sample_weight needs y, too: it weights the confusion matrix.")
    classes = known.classes
    return {
        "own": own,
        "n": int(X.shape[0]),
        "X": None if own or not region_map.kernel.is_native else matrix_data(X),
        "products": _products(region_map, X),
        "y": None if y is None or classes is not None else packed(np.asarray(y, dtype=float)),
        "weight": None if weight is None else packed(weight),
        "names": None if own else index_names(judged.X, int(X.shape[0])),
        "qid": None,
        "labels": None
        if classes is None
        else {
            "classes": [str(one) for one in np.asarray(classes).tolist()],
            "true": None if y is None else packed(np.asarray(y, dtype=np.intp)),
        },
    }


def _products(region_map: Any, X: Any) -> dict[str, Any] | None:
    """Return kernel values that the browser cannot compute, as far as there is room for them."""
    n, training = len(region_map.problem), region_map.X
    if region_map.kernel.is_native or X.shape[0] * n * 8 > ROWS_MB * 1e6:
        return None
    return packed(region_map.kernel.between(X, training))


def _certificate(region_map: Any, n_checks: int) -> dict[str, Any]:
    """Return how far from optimal the solutions are at some points, computed from the data."""
    problem = region_map.problem
    side = np.linspace(0.0, 1.0, max(2, int(np.ceil(np.sqrt(n_checks)))))
    units = [(float(x), float(y)) for y in side for x in side]
    low, high = region_map.bounds.T
    found = []
    for unit in units:
        z = region_map.checked_point(low + np.asarray(unit) * (high - low))
        stair, state = problem.staircase(z), region_map.state_at(z, region_map.locate(z))
        response = problem.response(state.beta)
        found.append(
            (
                certificate.kkt_violation(stair, state.beta, state.bias, response, problem.kappa),
                certificate.duality_gap(stair, state.beta, state.bias, response),
            )
        )
    violation, gap = zip(*found, strict=True)
    return {
        "status": str(region_map.status),
        "ties": _ties(region_map),
        "points": units,
        "violation": [number_data(one) for one in violation],
        "gap": [number_data(one) for one in gap],
    }


def _ties(region_map: Any) -> str | None:
    """Return what was changed to tell regions apart, in words."""
    shift, ridge = float(np.abs(region_map.tie_shift).max(initial=0.0)), region_map.tie_ridge
    if shift == 0.0 and ridge == 0.0:
        return None
    what = [f"targets were moved by up to {shift:.0e}"] if shift else []
    what += [f"the kernel matrix has {ridge:.0e} on its diagonal"] if ridge else []
    return f"{' and '.join(what)} to tell regions apart; sets of tied rows are not unique"
