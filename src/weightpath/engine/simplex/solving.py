"""Solutions of linear programs: the first one, from any basis, and along a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.engine.simplex.core import Core
from weightpath.engine.simplex.design import Design
from weightpath.engine.simplex.first_guess import guess_sets
from weightpath.engine.simplex.line import Line
from weightpath.engine.simplex.loop import Loop, StrayedError, TiesError
from weightpath.engine.simplex.recorder import Recorder
from weightpath.engine.simplex.vertex import Vertex
from weightpath.errors import Advice, PathError
from weightpath.problems.position import at_knot, free_in, is_free, knot_below
from weightpath.problems.program import Program
from weightpath.problems.staircase import Staircase
from weightpath.record.program_record import ProgramRecord

__all__ = ["Basis", "ProgramTrace", "first_basis", "follow_program", "solve_program"]

Reals = NDArray[np.float64]

# How often a program or a line is tried, each time by stricter rules: with this fraction of the
# tolerance from the third time on.
ATTEMPTS, STRICTER = 4, 1e-2

# How often ties that pivots do not resolve are left behind on one path, and how far beyond them the
# program is solved afresh, in units of what moves fastest: at the ties it is as exact as that.
MOST_TIES, JUST_BEYOND = 100, 1e-10

# An approximate solution by HiGHS is worth its time for so many rows.
WORTH_A_GUESS = 40

_ADVICE = Advice(
    "The columns may be too nearly dependent for double precision: scale the features, for "
    "instance by sklearn.preprocessing.StandardScaler, or try a smaller C or a larger gamma."
)


@dataclass(frozen=True, eq=False)
class Basis:
    """A basis of a linear program; it is never changed.

    Attributes
    ----------
    rows : ndarray of int
        The rows at a level.
    columns : ndarray of int
        The columns with a coefficient, one fewer.
    position : ndarray of int, shape (n,)
        Positions of all rows.
    sign : ndarray of int, shape (p,)
        Signs of the coefficients.
    """

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    position: NDArray[np.int64]
    sign: NDArray[np.int64]

    @classmethod
    def of(cls, vertex: Vertex) -> Basis:
        """Return the basis of a vertex."""
        core = vertex.core
        return cls(
            core.rows.copy(), core.features.copy(), vertex.position.copy(), vertex.sign.copy()
        )

    def solution(self, design: Design, program: Program) -> tuple[Reals, float, Reals]:
        """Return coefficients of columns, bias and coefficients of rows."""
        core = Core(design, self.rows, self.columns)
        line = Line(program, program, design)
        vertex = Vertex(line, core, self.position.copy(), self.sign.copy())
        start, whole = np.zeros(1), np.ones(1)
        vertex.w[0] += vertex.free_bias(vertex.beta[:1], start, whole)
        own = design.original(vertex.w[:, None], core.features)[:, 0]
        w = np.zeros(design.shape[1])
        w[core.features] = own[1:]
        knot = knot_below(vertex.position, program.stair.n_knots)
        beta = program.stair.knots[np.arange(design.shape[0]), knot]
        beta[core.rows] = vertex.beta
        return w, float(own[0]), beta


def first_basis(program: Program) -> Basis:
    """Return the best basis without coefficients: the bias alone, a weighted quantile.

    As the bias falls, residuals rise and the sum of the rows' coefficients grows at every level;
    where it passes zero is the best bias.
    """
    stair = program.stair
    m = stair.n_knots
    width = np.diff(stair.knots, axis=1)
    place = stair.target[:, None] - stair.levels[:, 1:m]
    row, gap = np.nonzero(width > 0.0)
    order = np.argsort(-place[row, gap], kind="stable")
    row, gap = row[order], gap[order]
    total = stair.knots[:, 0].sum() + np.cumsum(width[row, gap])
    at = min(int(np.searchsorted(total, 0.0)), len(row) - 1)
    bias = place[row[at], gap[at]]
    position = _positions(stair, stair.target - bias)
    position[row[at]] = free_in(int(gap[at]) + 1)
    empty = np.empty(0, dtype=np.intp)
    sign = np.zeros(len(program.penalty), dtype=np.int64)
    return Basis(row[at : at + 1].astype(np.intp), empty, position, sign)


def _positions(stair: Staircase, residual: Reals) -> NDArray[np.int64]:
    """Return at which knots rows with these residuals are."""
    inner = stair.levels[:, 1 : stair.n_knots]
    return np.asarray(at_knot((inner < residual[:, None]).sum(axis=1)), dtype=np.int64)


def solve_program(design: Design, program: Program, basis: Basis | None = None) -> Basis:
    """Return an optimal basis.

    Whatever the basis to start from, it is optimal for other weights and penalties; these move to
    those of the program.

    Parameters
    ----------
    design : Design
    program : Program
    basis : Basis or None, default=None
        Where to start: any rows and columns whose core is not singular. By default the sets of an
        approximate solution or, of few rows, the bias alone.
    """
    basis = basis or _guessed_basis(design, program) or first_basis(program)
    for attempt in range(ATTEMPTS):
        try:
            return _solved_from(design, program, basis, attempt)
        except _UnsolvedError as error:
            # On from where it was lost, by stricter rules.
            failure, basis = error, error.basis or first_basis(program)
    raise PathError(f"The linear program could not be solved ({failure}).", advice=_ADVICE)


def _guessed_basis(design: Design, program: Program) -> Basis | None:
    """Return the basis of an approximate solution; ``None`` if there is none worth its time."""
    if design.shape[0] < WORTH_A_GUESS:
        return None
    sets = guess_sets(design, program)
    if sets is None:
        return None
    rows, columns, interval = sets
    # Positions and signs of all others follow from the coefficients.
    position = np.full(design.shape[0], at_knot(0), dtype=np.int64)
    position[rows] = free_in(interval)
    return Basis(rows, columns, position, np.zeros(design.shape[1], dtype=np.int64))


class _UnsolvedError(ArithmeticError):
    """A program was not solved; the basis, if there is one, is where that was found."""

    def __init__(self, reason: str, basis: Basis | None):
        super().__init__(reason)
        self.basis = basis


def _solved_from(design: Design, program: Program, basis: Basis, attempt: int) -> Basis:
    """Return an optimal basis, from any; ``_UnsolvedError`` if rounding leads astray."""
    refresh_every, closeness = _rules(attempt)
    try:
        core = Core(design, basis.rows, basis.columns)
    except np.linalg.LinAlgError as error:
        raise _UnsolvedError("a singular basis", None) from error
    still = Line(program, program, design)
    vertex = Vertex(still, core, basis.position.copy(), basis.sign.copy(), closeness)
    # Positions and signs follow from the coefficients ...
    held = _positions(program.stair, vertex.r)
    free = is_free(vertex.position)
    vertex.position[~free] = held[~free]
    vertex.sign[core.features] = np.where(vertex.w[1:] < 0.0, -1, 1)
    vertex.refresh()
    # ... and rows' coefficients and sums that are out of bounds get other bounds.
    start = _with_other_bounds(vertex, program, design, attempt)
    if start is not program:
        line = Line(start, program, design)
        vertex = Vertex(line, core, vertex.position, vertex.sign, closeness)
        try:
            Loop(vertex, None, 0, refresh_every).run()
        except StrayedError as error:
            raise _UnsolvedError(str(error), Basis.of(vertex)) from error
    _place_weightless(vertex, program.stair)
    return Basis.of(vertex)


def _rules(attempt: int) -> tuple[int, float]:
    """Return after how many pivots all is computed afresh, and how close to a bound is at it.

    A variable that is beyond its bound by its tolerance and leaves the basis by a tiny pivot moves
    others by far more; with smaller tolerances less.
    """
    if attempt == 0:
        return tolerances.REFRESH_EVERY, tolerances.RESIDUAL
    return 1, tolerances.RESIDUAL * STRICTER ** (attempt - 1)


def _place_weightless(vertex: Vertex, stair: Staircase) -> None:
    """Put rows without weight, all of whose knots are one, at the knot of their residual."""
    vertex.refresh()
    flat = ~is_free(vertex.position) & (stair.knots[:, 0] == stair.knots[:, -1])
    if flat.any():
        vertex.position[flat] = _positions(stair, vertex.r)[flat]
        vertex.refresh()


def _with_other_bounds(vertex: Vertex, program: Program, design: Design, seed: int) -> Program:
    """Return a program for which a vertex is optimal: with other knots and penalties."""
    random = np.random.default_rng(seed)
    rows, beta = vertex.core.rows, vertex.beta
    below, above = vertex.knots_below()[0], vertex.knots_above()[0]
    out = np.where(beta < below, beta - below, np.where(beta > above, beta - above, 0.0))
    # Well within the bounds, each somewhere else, so that there are no ties.
    within = random.uniform(0.1, 1.0, len(rows)) * np.minimum(np.abs(out), 0.5 * (above - below))
    shift = out + np.sign(out) * within
    penalty = vertex.line.penalty[0]
    excess = np.maximum(np.abs(vertex.g) - penalty, 0.0)
    excess[vertex.core.features] = 0.0
    if not (out.any() or excess.any()):
        return program
    knots = program.stair.knots.copy()
    knots[rows] += shift[:, None]
    stair = program.stair
    stair = Staircase(stair.target, knots, stair.levels, stair.total, stair.has_bias)
    excess *= 1.0 + random.uniform(0.1, 1.0, len(excess))
    return Program(stair, (penalty + excess) * design.scale)


@dataclass(frozen=True, eq=False)
class ProgramTrace:
    """A path that was followed.

    Attributes
    ----------
    record : ProgramRecord
    basis : Basis
        Optimal where the path ended.
    is_complete : bool
        Whether that is the end of the line.
    n_pivots : int
    """

    record: ProgramRecord
    basis: Basis
    is_complete: bool
    n_pivots: int


def follow_program(
    design: Design, start: Program, end: Program, basis: Basis, max_events: int
) -> ProgramTrace:
    """Follow the line from one program to another, from an optimal basis.

    Where rounding leads astray the line is followed again by stricter rules; where that does not
    help either there is a :class:`~weightpath.errors.PathError`.
    """
    line = Line(start, end, design)
    for attempt in range(ATTEMPTS):
        vertex = _vertex(line, design, basis, _rules(attempt)[1])
        _place_weightless(vertex, start.stair)
        try:
            return _traced(vertex, max_events, attempt)
        except StrayedError as error:
            failure = error
    raise _path_error(failure)


def _vertex(line: Line, design: Design, basis: Basis, closeness: float) -> Vertex:
    core = Core(design, basis.rows, basis.columns)
    return Vertex(line, core, basis.position.copy(), basis.sign.copy(), closeness)


def _traced(vertex: Vertex, max_events: int, attempt: int) -> ProgramTrace:
    """Follow the line of a vertex to its end; ``StrayedError``, with its theta, if it is lost."""
    recorder, n_pivots = Recorder(vertex), 0
    for _ in range(MOST_TIES):
        loop = Loop(vertex, recorder, max_events, _rules(attempt)[0])
        try:
            complete = loop.run()
        except TiesError as error:
            vertex = _beyond_ties(vertex, error)
            recorder.switch(vertex)
        except StrayedError as error:
            error.theta = vertex.theta
            raise
        else:
            n_pivots += loop.n_pivots
            return ProgramTrace(recorder.record(), Basis.of(vertex), complete, n_pivots)
        n_pivots += loop.n_pivots
    raise StrayedError("ties", vertex.theta)


def _beyond_ties(vertex: Vertex, error: TiesError) -> Vertex:
    """Return the vertex at the same theta whose basis is optimal just beyond."""
    line, design = vertex.line, vertex.core.design
    step = min(JUST_BEYOND / max(vertex.fastest(), 1.0), 0.5 * vertex.rest)
    theta, rest = vertex.theta + step, vertex.rest - step
    program = line.start.between(line.end, theta, rest)
    try:
        basis = solve_program(design, program, Basis.of(vertex))
    except PathError:
        raise StrayedError(str(error), vertex.theta) from error
    there = _vertex(line, design, basis, vertex.closeness)
    there.theta, there.rest = vertex.theta, vertex.rest
    there.refresh()
    return there


def _path_error(error: StrayedError) -> PathError:
    return PathError(
        "The path of the linear program could not be followed beyond theta = "
        f"{error.theta:.6g} ({error}).",
        advice=_ADVICE,
        theta=error.theta,
    )
