"""A metric on validation rows over the plane of a map: checks of what users give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.estimators.model_outputs import outputs_of_model
from weightpath.metrics import Metric, Outputs, ValidationRows, get
from weightpath.metrics.registry import resolve
from weightpath.metrics.validation import check_rows
from weightpath.path.given import check_points
from weightpath.regions.surface import Surface

__all__ = ["checked_rows", "surface_of"]

# Quantiles that differ by less than this are the same.
SAME = 1e-9


def surface_of(
    region_map: Any,
    X: Any,
    y: ArrayLike,
    metric: str | Metric,
    sample_weight: ArrayLike | None,
    options: Mapping[str, Any],
) -> Surface:
    """Return the surface of a metric; see ``RegionMap.surface``."""
    chosen, rows, resolved = checked_rows(region_map, X, y, metric, sample_weight, options)
    # A metric that is not known over a plane says so now.
    chosen.in_plane(rows, **resolved)
    return Surface(region_map, X, rows, chosen, resolved)


def checked_rows(
    region_map: Any,
    X: Any,
    y: ArrayLike,
    metric: str | Metric,
    sample_weight: ArrayLike | None,
    options: Mapping[str, Any],
) -> tuple[Metric, ValidationRows, dict[str, Any]]:
    """Return the metric, the rows without their features, and the options, all checked."""
    outputs = outputs_of_map(region_map)
    chosen = get(metric, outputs)
    rows = check_rows(check_points(region_map, X), y, sample_weight, outputs)
    resolved = resolve(chosen, options, rows)
    return chosen, replace(rows, X=np.empty((len(rows), 0))), resolved


def outputs_of_map(region_map: Any) -> Outputs:
    """Return what the decision values of a map stand for."""
    outputs = outputs_of_model(region_map.estimator)
    return replace(outputs, told=partial(_told, region_map), owner="map")


def _told(region_map: Any, name: str) -> list[NDArray[np.float64]]:
    """What is known of a parameter of the loss: its values at z = 0 and at the end of each axis."""
    problem = region_map.problem
    if not hasattr(region_map.estimator, name + "_"):
        return []
    if name == "epsilon":
        level = problem.levels[:, -2]
        return [level[:, 0] + change for change in (0.0, level[:, 1], level[:, 2])]
    own = np.ravel(getattr(region_map.estimator, name + "_")).astype(float)
    low, high = problem.knots[:, 0], problem.knots[:, -1]
    for step in np.eye(2):
        end = np.append(1.0, step)
        width, top = (high - low) @ end, high @ end
        if name == "quantile" and (np.abs(top - own * width) > SAME * np.abs(width)).any():
            # It moves along this axis: at its end it is another number.
            return [own, (top / np.where(width > 0, width, 1.0))[width > 0]]
    return [own]
