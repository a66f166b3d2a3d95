"""Regions of a plane: the native tiling, begun, repeated where ties spoil it, and checked.

Where several rows change at once on one edge (duplicates, integer grids), labels are not unique.
Then all targets are moved by tiny amounts, different for every row, and the regions are those of
that problem: no two rows change at once. What is read from a region is worked out from the true
targets.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.errors import Advice, PathError
from weightpath.problems import Staircase
from weightpath.problems.scales import residual_tolerance
from weightpath.progress import Hook, Progress
from weightpath.record.state import State
from weightpath.regions._tiling import Tiling
from weightpath.regions.buckets import Buckets
from weightpath.regions.labels import Labels, Tiles
from weightpath.regions.parameters import ParametricProblem

__all__ = ["COMPLETE", "Tiles", "native_tiling", "tile"]

Reals = NDArray[np.float64]

COMPLETE = "complete"

# Crossings at first between two chances to interrupt, and then the time between them.
_AT_ONCE = 64
_SECONDS = 0.1

# Progress is told in so many shares of the plane.
_SHARES = 1000

# Points at which a tiling tries to begin.
_STARTS = 12

# Half the width of the strip along which targets are moved back, and the most regions in it.
_STRIP = 1e-3
_STRIP_REGIONS = 20_000


def native_tiling(
    problem: ParametricProblem, bounds: Reals, shift: Reals, points: Reals | None = None
) -> Tiling:
    """Return the native form of a problem on a plane.

    Parameters
    ----------
    problem : ParametricProblem
        With two axes.
    bounds : ndarray of shape (2, 2)
        The least and the greatest value of each parameter.
    shift : ndarray of shape (n,)
        Added to the targets.
    points : ndarray of shape (n, n_points) or None, default=None
        Kernel values of the training rows with further points, whose values are wanted.
    """
    target = _on_unit_square(problem.target, bounds)
    target[:, 0] += shift
    knots, levels, total = (
        _on_unit_square(own, bounds) for own in (problem.knots, problem.levels, problem.total)
    )
    return _of_parts(problem, target, knots, levels, total, points)


def _of_parts(
    problem: ParametricProblem,
    target: Reals,
    knots: Reals,
    levels: Reals,
    total: Reals,
    points: Reals | None = None,
) -> Tiling:
    """Return the native form of a problem with these coefficients on the unit square."""
    n = len(problem)
    K = problem.matrix if points is None else np.hstack([problem.matrix, points])
    targets = np.zeros((3, K.shape[1]))
    targets[:, :n] = target.T
    return Tiling(
        np.ascontiguousarray(K),
        targets,
        np.ascontiguousarray(knots),
        np.ascontiguousarray(levels),
        problem.kappa,
        problem.idle.astype(np.int8),
        np.ascontiguousarray(total),
        problem.has_bias,
    )


def _on_unit_square(parts: Reals, bounds: Reals) -> Reals:
    """Return the coefficients of functions of z as functions on the unit square."""
    (left, right), (bottom, top) = bounds
    constant = parts[..., 0] + left * parts[..., 1] + bottom * parts[..., 2]
    changes = (right - left) * parts[..., 1], (top - bottom) * parts[..., 2]
    return np.stack([constant, *changes], axis=-1)


def tile(
    problem: ParametricProblem,
    bounds: Reals,
    max_regions: int,
    verbose: int = 0,
    progress: Hook | None = None,
) -> tuple[Tiles, Reals]:
    """Return the regions of a plane, and what was added to the targets to tell ties apart."""
    best: tuple[float, Tiles, Reals] | None = None
    with Progress(_SHARES, "Regions", verbose=verbose, hook=progress) as bar:
        for attempt, size in enumerate(tolerances.TIE_SHIFTS):
            bar.begin("Regions", _SHARES)
            tiles, shift, missing = _attempt(problem, bounds, max_regions, attempt, size, bar)
            if tiles is None:
                continue
            if missing <= tolerances.UNCOVERED or tiles.status != COMPLETE:
                return tiles, shift
            if best is None or missing < best[0]:
                best = missing, tiles, shift
    if best is None:
        raise PathError(
            "No region of this plane could be found: rounding decides which rows are on the margin "
            "everywhere.",
            advice=Advice("Try a smaller plane, a smaller C, or {ridge}.", {"ridge": 1e-8}),
        )
    missing, tiles, shift = best
    status = f"incomplete: the areas of the regions miss that of the plane by {missing:.1e} of it"
    return Tiles(**{**tiles.__dict__, "status": status}), shift


def _attempt(
    problem: ParametricProblem,
    bounds: Reals,
    max_regions: int,
    attempt: int,
    size: float,
    bar: Progress,
) -> tuple[Tiles | None, Reals, float]:
    """Tile the plane with targets moved by a fraction ``size`` of what is large in the problem."""
    random = np.random.default_rng(attempt)
    shift = np.zeros(len(problem))
    if size:
        scale = _scale(problem)
        shift = size * scale * _spread(len(problem), random)
    tiling = native_tiling(problem, bounds, shift)
    first = _begin(problem, tiling, bounds, shift, random)
    if first is None:
        return None, shift, np.inf
    crossings = _AT_ONCE
    begin = time.perf_counter()
    while tiling.advance(crossings, max_regions) and tiling.n_regions < max_regions:
        bar.at(int(_SHARES * min(tiling.area, 1.0)), f"{tiling.n_regions} regions")
        if size == 0.0 and tiling.n_lost > tolerances.LOST_EDGES * (1000 + tiling.n_regions):
            return None, shift, np.inf
        begin, before = time.perf_counter(), begin
        crossings = max(1, min(2 * crossings, int(crossings * _SECONDS / (begin - before + 1e-9))))
    status = COMPLETE
    if tiling.n_regions >= max_regions and tiling.area < 1.0 - tolerances.UNCOVERED:
        covered = f"{100 * tiling.area:.3g} % of the plane is covered"
        status = f"stopped at max_regions={max_regions}: {covered}"
    return Tiles(*tiling.arrays(), first, status), shift, abs(tiling.area - 1.0)


def _scale(problem: ParametricProblem) -> float:
    """Return what is large among residuals: targets and levels, else residuals or their terms."""
    state = problem.subproblem.state
    terms = float(np.dot(problem.kappa, np.abs(state.beta)))
    found = float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
    if found <= tolerances.ROUNDED_AWAY * terms:
        found = terms
    return problem.subproblem.stair.residual_scale or found or 1.0


def _begin(
    problem: ParametricProblem,
    tiling: Tiling,
    bounds: Reals,
    shift: Reals,
    random: np.random.Generator,
) -> NDArray[np.int8] | None:
    """Let a tiling begin in the region of some point; return its positions, ``None`` if it fails.

    Where rounding makes the solution of the engine doubtful, the targets are moved so far that it
    is not, and then back.
    """
    state: State = problem.subproblem.state
    order = shift if shift.any() else _spread(len(problem), random)
    order = order / np.abs(order).max()
    noise = residual_tolerance(_scale(problem), problem.kappa, state.beta)
    sizes = [0.0] + [factor * noise for factor in tolerances.START_SHIFTS]
    beta, bias = state.beta, state.bias
    for number in range(_STARTS):
        size = sizes[min(number // 3, len(sizes) - 1)]
        at = random.uniform(0.25, 0.75, 2)
        far = shift + size * order
        stair = _shifted(problem.staircase(_on_plane(bounds, at)), far)
        state = problem.solve(stair, beta, bias)
        beta, bias = state.beta, state.bias
        position: NDArray[np.int8] | None = state.position.astype(np.int8)
        if size and position is not None:
            position = _moved_back(problem, bounds, at, position, far, shift)
        if position is not None and tiling.begin(position, float(at[0]), float(at[1])):
            return position
    return None


def _moved_back(
    problem: ParametricProblem,
    bounds: Reals,
    at: Reals,
    position: NDArray[np.int8],
    far: Reals,
    shift: Reals,
) -> NDArray[np.int8] | None:
    """Return the positions of a point for targets that are moved less; ``None`` if it fails.

    A narrow strip is tiled, along which the targets move back.
    """
    x, y = at
    strip = np.array([[x, x], [y - _STRIP, y + _STRIP]])
    low, high = (_on_plane(bounds, corner) for corner in strip.T)
    plane = np.array([[low[0], low[0]], [low[1], high[1]]])
    target, *parts = (
        _on_unit_square(own, plane)
        for own in (problem.target, problem.knots, problem.levels, problem.total)
    )
    target[:, 0] += far
    target[:, 1] = shift - far
    tiling = _of_parts(problem, target, *parts)
    if not tiling.begin(position, 0.0, 0.5):
        return None
    while tiling.advance(_AT_ONCE, _STRIP_REGIONS) and tiling.n_regions < _STRIP_REGIONS:
        pass
    parent, step, offset, vertices, _ = tiling.arrays()
    tiles = Tiles(parent, step, offset, vertices, np.empty(0, dtype=np.int32), position, COMPLETE)
    found = Buckets(offset, vertices).find(np.array([1.0, 0.5]))
    return Labels(tiles)[found]


def _on_plane(bounds: Reals, at: Reals) -> Reals:
    """Return the z of a point of the unit square."""
    return np.asarray(bounds[:, 0] + at * (bounds[:, 1] - bounds[:, 0]))


def _spread(n: int, random: np.random.Generator) -> Reals:
    """Return n numbers between -1 and 1 in random order, no two of them close to each other."""
    order = random.permutation(n) + random.uniform(0.0, 0.1, n)
    return np.asarray(2.0 * order / n - 1.0)


def _shifted(stair: Staircase, shift: Reals) -> Staircase:
    if not shift.any():
        return stair
    total: Any = stair.total
    return Staircase.of_own(stair.target + shift, stair.knots, stair.levels, total, stair.has_bias)
