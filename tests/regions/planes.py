"""Planes to tile, and judges of their maps that share nothing with the native code."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import weightpath as wp
from weightpath.path.certificate import kkt_violation

COSTS = [{"class_weight": {-1: 10}}, {"class_weight": {1: 10}}]


def toy_model(n: int, random_state: int = 0, C: float = 1.0) -> wp.SVC:
    toy = wp.datasets.make_toy(n, random_state=random_state)
    return wp.SVC(C=C, gamma=0.5).fit(toy.X, toy.y)


def grid_data(seed: int, n: int = 36):
    """Integer features with many duplicates, labels that contradict each other here and there."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    y = np.where(X.sum(axis=1) + rng.integers(-1, 3, n) > 3, 1, -1)
    y[:2] = 1, -1
    return X, y


def violation(plane: wp.RegionMap, z, solution) -> float:
    """Return the violation of a solution, computed from the kernel."""
    stair = plane.problem.staircase(z)
    training = plane.problem.fitted.training
    response = training.kernel.product(training.X, training.X, solution.dual_coef)
    kappa = plane.problem.kappa
    return kkt_violation(stair, solution.dual_coef, solution.intercept, response, kappa)


def check_tiling(plane: wp.RegionMap, n_points: int, seed: int = 0) -> None:
    """Polygons cover the plane and do not overlap."""
    assert plane.status == "complete"
    sides = plane.bounds[:, 1] - plane.bounds[:, 0]
    assert abs(plane.areas.sum() / sides.prod() - 1.0) <= 1e-9
    assert (plane.areas > 0.0).all()
    rng = np.random.default_rng(seed)
    corners = [region.polygon for region in plane.regions]
    width = max(len(own) for own in corners)
    padded = np.array(
        [np.vstack([own, np.repeat(own[-1:], width - len(own), 0)]) for own in corners]
    )
    along = np.roll(padded, -1, axis=1) - padded
    length = np.hypot(along[..., 0], along[..., 1])
    for point in plane.bounds[:, 0] + rng.uniform(size=(n_points, 2)) * sides:
        to = point - padded
        inner = along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0]
        depth = np.where(length > 0, inner / np.where(length > 0, length, 1.0), np.inf).min(axis=1)
        holding = np.flatnonzero(depth > 1e-9)
        near = np.flatnonzero(depth > -1e-9)
        assert holding.size <= 1
        assert near.size >= 1
        assert plane.locate(point) in near


def check_points(plane: wp.RegionMap, fit, X, n_points: int, seed: int = 0) -> tuple[float, float]:
    """Compare solutions with fresh fits; return the largest violation and difference."""
    rng = np.random.default_rng(seed)
    sides = plane.bounds[:, 1] - plane.bounds[:, 0]
    worst = largest = 0.0
    for z in plane.bounds[:, 0] + rng.uniform(size=(n_points, 2)) * sides:
        solution, fresh = plane.at(z), fit(z)
        worst = max(worst, violation(plane, z, solution))
        difference = plane.decision_function(X, z) - _values(fresh, X)
        largest = max(largest, float(np.abs(difference).max()))
    assert worst <= 1e-9
    assert largest <= 1e-8
    return worst, largest


def _values(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def check_line(plane: wp.RegionMap, start, end) -> int:
    """Compare a line through the plane with the path that the library follows; count events.

    The axes move weights of ``sample_weight`` kind: see the caller for the model at the start.
    """
    path = _path_between(plane, start, end)
    theta = path.theta
    crossings = _crossings(plane, np.asarray(start), np.asarray(end))
    assert len(crossings) == len(theta)
    assert np.abs(crossings - theta).max() <= 1e-7
    for left, right in pairwise(theta):
        if right - left < 1e-6:
            continue
        middle = 0.5 * (left + right)
        z = (1.0 - middle) * np.asarray(start) + middle * np.asarray(end)
        region, solution = plane.regions[plane.locate(z)], path.at(middle)
        for name in ("outside", "margin", "inside"):
            assert np.array_equal(getattr(region, name), getattr(solution, name))
    return path.n_events


def _path_between(plane, start, end):
    """Return the path of the library from one point of a plane of weights to another."""
    model, factor = plane.estimator, plane.problem.fitted
    weights = factor.problem.weights(np.ones(len(plane.problem)), factor.training.labels)
    reading = plane.problem.subproblem.reading
    first, last = (reading.weights(plane.problem.staircase(z)) / weights for z in (start, end))
    return model.path_to(sample_weight=first).model_at(1.0).reweight(last)


def _crossings(plane, start, end):
    """Return where a line enters regions, by clipping it with every polygon."""
    found = [0.0, 1.0]
    for region in plane.regions:
        polygon = region.polygon
        along = np.roll(polygon, -1, axis=0) - polygon
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        at = ((start - polygon) * across).sum(axis=1)
        slope = across @ (end - start)
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = -at / slope
        low = max(0.0, meets[slope > 0].max(initial=0.0))
        high = min(1.0, meets[slope < 0].min(initial=1.0))
        if low < high and not (at[slope == 0] < 0).any():
            found += [low, high]
    found = np.sort(found)
    return found[np.append(True, np.diff(found) > 1e-9)]
