"""Regions of a plane: the native tiling, begun, repeated where ties spoil it, and checked.

Where several rows change at once on one edge (duplicates, integer grids), labels are not unique.
Then all targets are moved by tiny amounts, different for every row, and the regions are those of
that problem: no two rows change at once. What is read from a region is worked out from the true
targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.errors import Advice, PathError
from weightpath.progress import Hook, Progress
from weightpath.problems import Staircase
from weightpath.record.state import State
from weightpath.regions._tiling import Tiling
from weightpath.regions.parameters import ParametricProblem

__all__ = ["COMPLETE", "Tiles", "native_tiling", "tile"]

Reals = NDArray[np.float64]

COMPLETE = "complete"

# Crossings between two chances to interrupt.
_AT_ONCE = 2000

# Points at which a tiling tries to begin.
_STARTS = 12


@dataclass(frozen=True, eq=False)
class Tiles:
    """The regions of a plane, in the order in which they were found.

    Attributes
    ----------
    parent : ndarray of int32, shape (n_regions,)
        The region from which each was found; -1 for the first.
    step : structured ndarray of shape (n_regions,)
        How the positions differ from those of the parent.
    offset : ndarray of int64, shape (n_regions + 1,)
        Where the vertices of each polygon begin.
    vertices : ndarray of shape (n_vertices, 2)
        Counter-clockwise, in units of the plane: (0, 0) to (1, 1).
    edge : ndarray of int32, shape (n_vertices,)
        What bounds the edge that begins at a vertex: twice the row that changes, plus one if it
        rises; negative for the sides of the plane.
    first : ndarray of int8, shape (n,)
        The positions in the first region.
    status : str
    """

    parent: NDArray[np.int32]
    step: NDArray[np.void]
    offset: NDArray[np.int64]
    vertices: Reals
    edge: NDArray[np.int32]
    first: NDArray[np.int8]
    status: str


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
    n = len(problem)
    K = problem.matrix if points is None else np.hstack([problem.matrix, points])
    target = np.zeros((3, K.shape[1]))
    target[:, :n] = _on_unit_square(problem.target, bounds).T
    target[0, :n] += shift
    return Tiling(
        np.ascontiguousarray(K),
        target,
        np.ascontiguousarray(_on_unit_square(problem.knots, bounds)),
        np.ascontiguousarray(_on_unit_square(problem.levels, bounds)),
        problem.kappa,
        problem.idle.astype(np.int8),
        _on_unit_square(problem.total, bounds),
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
    with Progress(1.0, "Regions", verbose=verbose, hook=None) as bar:
        for attempt, size in enumerate(tolerances.TIE_SHIFTS):
            bar.begin("Regions", 1.0)
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
    state = problem.subproblem.state
    shift = np.zeros(len(problem))
    if size:
        scale = problem.subproblem.stair.residual_scale
        scale = scale or float(np.abs(state.residual).max(initial=0.0)) + abs(state.bias)
        shift = size * scale * random.uniform(-1.0, 1.0, len(problem))
    tiling = native_tiling(problem, bounds, shift)
    first = _begin(problem, tiling, bounds, shift, random)
    if first is None:
        return None, shift, np.inf
    while tiling.advance(_AT_ONCE, max_regions) and tiling.n_regions < max_regions:
        bar.at(min(tiling.area, 1.0), f"{tiling.n_regions} regions")
        if size == 0.0 and tiling.n_lost > tolerances.LOST_EDGES * (100 + tiling.n_regions):
            return None, shift, np.inf
    status = COMPLETE
    if tiling.n_regions >= max_regions and tiling.area < 1.0 - tolerances.UNCOVERED:
        status = (
            f"stopped at max_regions={max_regions}: {100 * tiling.area:.3g} % of the plane is "
            "covered"
        )
    return Tiles(*tiling.arrays(), first, status), shift, abs(tiling.area - 1.0)


def _begin(
    problem: ParametricProblem,
    tiling: Tiling,
    bounds: Reals,
    shift: Reals,
    random: np.random.Generator,
) -> NDArray[np.int8] | None:
    """Let a tiling begin in the region of some point; return its positions, ``None`` if it fails."""
    state: State = problem.subproblem.state
    beta, bias = state.beta, state.bias
    for _ in range(_STARTS):
        at = random.uniform(0.25, 0.75, 2)
        stair = _shifted(problem.staircase(bounds[:, 0] + at * (bounds[:, 1] - bounds[:, 0])), shift)
        state = problem.solve(stair, beta, bias)
        beta, bias = state.beta, state.bias
        position = state.position.astype(np.int8)
        if tiling.begin(position, float(at[0]), float(at[1])):
            return position
    return None


def _shifted(stair: Staircase, shift: Reals) -> Staircase:
    if not shift.any():
        return stair
    total: Any = stair.total
    return Staircase.of_own(
        stair.target + shift, stair.knots, stair.levels, total, stair.has_bias
    )
