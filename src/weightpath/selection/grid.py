"""A plain grid of parameters around exact curves: its points, its results, its winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.model_selection import ParameterGrid

from weightpath.curves import Best, Curve
from weightpath.curves.polynomials import EQUAL

__all__ = ["best_point", "fold_table", "grid_points", "place_table"]


def grid_points(
    estimator: Any, param_grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
) -> list[dict[str, Any]]:
    """All points of a grid (one without parameters if there is none), checked against names."""
    points: list[dict[str, Any]] = [{}] if param_grid is None else list(ParameterGrid(param_grid))
    known = estimator.get_params()
    for name in dict.fromkeys(name for point in points for name in point):
        if name not in known:
            raise ValueError(
                f"param_grid names {name!r}, which is not a parameter of "
                f"{type(estimator).__name__}; it has: {', '.join(sorted(known))}."
            )
    return points


def best_point(curves: Sequence[Curve]) -> int:
    """Index of the curve with the best value; of equal ones that which keeps it longest."""
    bests = [curve.best for curve in curves]
    sign = -1.0 if curves[0].greater_is_better else 1.0
    cost = np.array([sign * best.value for best in bests])
    length = np.array([best.interval[1] - best.interval[0] for best in bests])
    equal = cost <= cost.min() + EQUAL * np.abs(cost).max()
    return int(np.argmax(np.where(equal, length, -1.0)))


def place_table(points: Sequence[dict[str, Any]], chosen: Sequence[Best]) -> dict[str, Any]:
    """The chosen theta of every point of the grid, as columns."""
    table: dict[str, Any] = {"params": list(points)}
    for name in dict.fromkeys(name for point in points for name in point):
        table[f"param_{name}"] = [point.get(name) for point in points]
    table["best_theta"] = np.array([best.theta for best in chosen])
    table["best_value"] = np.array([best.value for best in chosen])
    table["left"] = np.array([best.interval[0] for best in chosen])
    table["right"] = np.array([best.interval[1] for best in chosen])
    return table


def fold_table(
    points: Sequence[dict[str, Any]],
    chosen: Sequence[Best],
    fold_curves: Sequence[Sequence[Curve]],
) -> dict[str, Any]:
    """The values of all folds at each chosen theta, under scikit-learn's names."""
    values = np.array(
        [
            [fold(best.theta) for fold in folds]
            for best, folds in zip(chosen, fold_curves, strict=True)
        ]
    )
    mean = np.array([best.value for best in chosen])
    sign = -1.0 if fold_curves[0][0].greater_is_better else 1.0
    table: dict[str, Any] = {"params": list(points)}
    table["theta"] = np.array([best.theta for best in chosen])
    for k in range(values.shape[1]):
        table[f"split{k}_test_score"] = values[:, k]
    table["mean_test_score"] = mean
    table["std_test_score"] = values.std(axis=1)
    table["rank_test_score"] = rankdata(sign * mean, method="min").astype(np.int32)
    return table
