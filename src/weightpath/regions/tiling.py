"""Regions of a plane: the native tiling, begun, repeated where ties spoil it, and checked.

Where several rows change at once on one edge (duplicates, integer grids), labels are not unique.
Then all targets are moved by tiny amounts, different for every row, and the regions are those of
that problem: no two rows change at once. Where rows are so close to dependent that rounding decides
whether they are, a tiny ridge makes them independent. What is read from a region is worked out from
the true problem.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

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

__all__ = ["COMPLETE", "TieBreak", "native_tiling", "tile"]

Reals = NDArray[np.float64]

COMPLETE = "complete"

# Crossings at first between two chances to interrupt, and then the time between them.
_AT_ONCE = 64
_SECONDS = 0.1

# Regions that cover more than this beyond the plane overlap: the attempt has failed.
_OVERLAP = 1e-6

# Progress is told in so many shares of the plane.
_SHARES = 1000

# Points at which a tiling tries to begin.
_STARTS = 12

# Half the width of the strip along which targets are moved back, and the most regions in it.
_STRIP = 1e-3
_STRIP_REGIONS = 20_000


class TieBreak(NamedTuple):
    """What is changed in a problem, to say which regions there are.

    Attributes
    ----------
    shift : ndarray of shape (n,)
        Added to the targets.
    ridge : float
        Added to the diagonal of the kernel matrix.
    """

    shift: Reals
    ridge: float = 0.0


def native_tiling(
    problem: ParametricProblem, bounds: Reals, ties: TieBreak, points: Reals | None = None
) -> Tiling:
    """Return the native form of a problem on a plane.

    Parameters
    ----------
    problem : ParametricProblem
        With two axes.
    bounds : ndarray of shape (2, 2)
        The least and the greatest value of each parameter.
    ties : TieBreak
        What is changed.
    points : ndarray of shape (n, n_points) or None, default=None
        Kernel values of the training rows with further points, whose values are wanted.
    """
    target = _on_unit_square(problem.target, bounds)
    target[:, 0] += ties.shift
    knots, levels, total = (
        _on_unit_square(own, bounds) for own in (problem.knots, problem.levels, problem.total)
    )
    return _of_parts(problem, target, knots, levels, total, ties.ridge, points)


def _of_parts(
    problem: ParametricProblem,
    target: Reals,
    knots: Reals,
    levels: Reals,
    total: Reals,
    ridge: float,
    points: Reals | None = None,
) -> Tiling:
    """Return the native form of a problem with these coefficients on the unit square."""
    n = len(problem)
    K = problem.matrix if points is None else np.hstack([problem.matrix, points])
    if ridge:
        K = K.copy()
        K[np.arange(n), np.arange(n)] += ridge
    targets = np.zeros((3, K.shape[1]))
    targets[:, :n] = target.T
    return Tiling(
        K.ravel(),
        targets.ravel(),
        knots.ravel(),
        levels.ravel(),
        problem.kappa,
        problem.idle.astype(np.int8),
        total.ravel(),
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
) -> tuple[Tiles, TieBreak]:
    """Return the regions of a plane, and what was changed to tell ties apart."""
    best: tuple[float, Tiles, TieBreak] | None = None
    with Progress(_SHARES, "Regions", verbose=verbose, hook=progress) as bar:
        for attempt, ties in enumerate(_tie_breaks(problem)):
            bar.begin("Regions", _SHARES)
            random = np.random.default_rng(attempt)
            tiles, missing = _attempt(problem, bounds, max_regions, ties, random, bar)
            if tiles is None:
                continue
            if missing <= tolerances.UNCOVERED or tiles.status != COMPLETE:
                return tiles, ties
            if best is None or missing < best[0]:
                best = missing, tiles, ties
    if best is None:
        raise PathError(
            "No region of this plane could be found: rounding decides which rows are on the margin "
            "everywhere.",
            advice=Advice("Try a smaller plane, a smaller C, or {ridge}.", {"ridge": 1e-8}),
        )
    missing, tiles, ties = best
    status = f"incomplete: the areas of the regions miss that of the plane by {missing:.1e} of it"
    return replace(tiles, status=status), ties


def _attempt(
    problem: ParametricProblem,
    bounds: Reals,
    max_regions: int,
    ties: TieBreak,
    random: np.random.Generator,
    bar: Progress,
) -> tuple[Tiles | None, float]:
    """Tile the plane; return the regions and how much their areas miss."""
    tiling = native_tiling(problem, bounds, ties)
    is_plain = not ties.shift.any()
    first = _begin(problem, tiling, bounds, ties, random)
    if first is None:
        return None, np.inf
    crossings = _AT_ONCE
    begin = time.perf_counter()
    while tiling.advance(crossings, max_regions) and tiling.n_regions < max_regions:
        bar.at(int(_SHARES * min(tiling.area, 1.0)), f"{tiling.n_regions} regions")
        if is_plain and tiling.n_lost > tolerances.LOST_EDGES * (1000 + tiling.n_regions):
            return None, np.inf
        if tiling.area > 1.0 + _OVERLAP:
            break
        begin, before = time.perf_counter(), begin
        crossings = max(1, min(2 * crossings, int(crossings * _SECONDS / (begin - before + 1e-9))))
    status = COMPLETE
    if tiling.n_regions >= max_regions and tiling.area < 1.0 - tolerances.UNCOVERED:
        if is_plain and tiling.n_lost:
            return None, np.inf
        covered = f"{100 * tiling.area:.3g} % of the plane is covered"
        status = f"stopped at max_regions={max_regions}: {covered}"
    return Tiles.of(tiling, first, status), abs(tiling.area - 1.0)


def _tie_breaks(problem: ParametricProblem) -> Iterator[TieBreak]:
    """Yield what to change, one attempt after the other; at first nothing."""
    scale, largest = _scale(problem), float(np.asarray(problem.matrix.diagonal()).max(initial=0.0))
    noise = residual_tolerance(scale, problem.kappa, problem.subproblem.state.beta) / scale
    breaks = list(tolerances.TIE_BREAKS)
    # Where rounding does more than that, targets are moved beyond it.
    beyond = [factor * noise for factor in tolerances.START_SHIFTS[:2]]
    breaks += [(size, 0.0) for size in beyond if size > max(own for own, _ in breaks)]
    for attempt, (size, ridge) in enumerate(breaks):
        spread = _spread(len(problem), np.random.default_rng(attempt))
        yield TieBreak(size * scale * spread, ridge * largest)


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
    ties: TieBreak,
    random: np.random.Generator,
) -> NDArray[np.int8] | None:
    """Let a tiling begin in the region of some point; return its positions, ``None`` if it fails.

    Where rounding makes the solution of the engine doubtful, the targets are moved so far that it
    is not, and then back.
    """
    state: State = problem.subproblem.state
    shift = ties.shift
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
        state = problem.solve(stair, beta, bias, ties.ridge)
        beta, bias = state.beta, state.bias
        position: NDArray[np.int8] | None = state.position.astype(np.int8)
        if size and position is not None:
            position = _moved_back(problem, bounds, at, position, far, ties)
        if position is not None and tiling.begin(position, float(at[0]), float(at[1])):
            return position
    return None


def _moved_back(
    problem: ParametricProblem,
    bounds: Reals,
    at: Reals,
    position: NDArray[np.int8],
    far: Reals,
    ties: TieBreak,
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
    target[:, 1] = ties.shift - far
    knots, levels, total = parts
    tiling = _of_parts(problem, target, knots, levels, total, ties.ridge)
    if not tiling.begin(position, 0.0, 0.5):
        return None
    while tiling.advance(_AT_ONCE, _STRIP_REGIONS) and tiling.n_regions < _STRIP_REGIONS:
        pass
    tiles = Tiles.of(tiling, position, COMPLETE)
    found = Buckets(tiles.offset, tiles.vertices).find(np.array([1.0, 0.5]))
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
