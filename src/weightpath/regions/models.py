"""A fitted estimator anywhere in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine import COMPLETE, Options
from weightpath.errors import PathError
from weightpath.estimators.following import trace
from weightpath.estimators.problem import Fitted, Quantities, Trip
from weightpath.regions.parameters import Axis, ParametricProblem, checked_model

__all__ = ["model_in_plane"]

Floats = NDArray[np.float64]

# Knots, levels and targets of the model that differ from those of the plane by more than this,
# relative to the largest, are not the same.
SAME = 1e-9


def model_in_plane(model: Any, axes: Sequence[Axis], z: ArrayLike) -> Any:
    """Return a fitted model at a point of the plane of a map; the given one stays as it is.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, at z = 0.
    axes : sequence of dicts or arrays
        As for :func:`weightpath.region_map`.
    z : array-like of shape (n_axes,)
        The point.

    Returns
    -------
    estimator or Pipeline
    """
    last, preparation = checked_model(model, "region_map")
    plane = ParametricProblem.of(last, axes)
    fitted, point = plane.fitted, np.asarray(z, dtype=float)
    ends = [_end(fitted, axis) for axis in axes]
    quantities: Quantities = {}
    for name, start in fitted.quantities.items():
        changes = (step * (end[name] - start) for step, end in zip(point, ends, strict=True))
        quantities[name] = np.asarray(start + sum(changes))
    # Sums of straight lines may fall below zero by rounding.
    quantities["weight"] = np.maximum(quantities["weight"], 0.0)
    problem = _with_factors(fitted, quantities["weight"])
    _check_same(plane, fitted, quantities, point)
    options = Options(ridge=fitted.training.ridge, max_events=last.max_events)
    path, _ = trace(last, Trip(fitted, problem, quantities), options)
    if path.status != COMPLETE:
        raise PathError(f"The path to z = {point.tolist()} did not reach its end: {path.status}.")
    found = path.model_at(1.0)
    return found if preparation is None else preparation.pipeline_of(found)


def _end(fitted: Fitted, axis: Axis) -> Quantities:
    """Return the quantities at the end of an axis, which was checked before."""
    if isinstance(axis, Mapping):
        return fitted.problem.plan_move(fitted, axis)[1]
    problem: Any = fitted.problem
    change = problem.weights(np.asarray(axis, dtype=float), fitted.training.labels)
    return {**fitted.quantities, "weight": fitted.quantities["weight"] + change}


def _with_factors(fitted: Fitted, weight: Floats) -> Any:
    """Return the problem with factors of classes, if the weights of each changed by one factor."""
    problem: Any = fitted.problem
    if not hasattr(problem, "class_weight"):
        return problem
    labels, before = fitted.training.labels, fitted.quantities["weight"]
    factors = np.array(problem.class_weight, dtype=float)
    for k in range(len(factors)):
        own = (labels == k) & (before > 0)
        ratio = weight[own] / before[own]
        if ratio.size and np.ptp(ratio) <= SAME * ratio.max() and ratio.max() > 0:
            factors[k] *= np.median(ratio)
    return replace(problem, class_weight=factors, balanced=False)


def _check_same(
    plane: ParametricProblem, fitted: Fitted, quantities: Quantities, point: Floats
) -> None:
    """Raise if no estimator has the problem of this point."""
    subproblem = plane.subproblem
    problem: Any = fitted.problem
    own = problem.staircase(fitted.training, subproblem.rows, subproblem.reading, quantities)
    wanted = plane.staircase(point)
    for name in ("knots", "levels", "target"):
        ours, theirs = getattr(own, name), getattr(wanted, name)
        some = np.isfinite(theirs)
        if np.abs(ours[some] - theirs[some]).max(initial=0.0) > SAME * np.abs(theirs[some]).max():
            raise ValueError(
                f"No {type(problem).__name__} has the {name} of z = {point.tolist()}: these axes "
                "move quantities that are multiplied with each other. map.at(z) is the solution."
            )
