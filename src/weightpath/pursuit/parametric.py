r"""The path of basis pursuit while its weights move on a straight line.

On a segment the basis stays: coefficients are constant, and the dual vector, which solves
:math:`g_i'u = s_i w_i(\theta)` on the basis, is linear in theta. A segment ends where a column
meets its weight, :math:`|g_j'u| = w_j(\theta)`. There the vertex is made optimal for what comes
next (the weights, and among equals their rates), which takes it along an edge of equal cost to
another vertex: coefficients jump, and at the breakpoint itself all between the two are optimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.threads import one_blas_thread
from weightpath.pursuit.program import Program, Solved, stalled
from weightpath.pursuit.vertex import StalledError, Vertex

__all__ = ["Segment", "Theta", "follow"]

Reals = NDArray[np.float64]
Exchanges = tuple[tuple[int, int], ...]


class Theta(NamedTuple):
    """A position on a path.

    Close to one, where weights may have fallen by orders of magnitude, theta has few digits left
    for them, and its distance from one has all.

    Attributes
    ----------
    theta : float
        The position.
    rest : float
        ``1 - theta``.
    """

    theta: float
    rest: float

    @classmethod
    def of(cls, theta: float) -> Theta:
        """Return the position of a number."""
        return cls(theta, 1.0 - theta)

    def after(self, step: float, rounding: float) -> Theta:
        """Return the position a step further, or the end, where that is within its rounding."""
        if step + rounding >= self.rest:
            return END
        # At least to the next number: events closer together than that happen at one theta.
        if self.theta + step < 0.5:
            return Theta.of(max(self.theta + step, float(np.nextafter(self.theta, 1.0))))
        rest = min(self.rest - step, float(np.nextafter(self.rest, 0.0)))
        return Theta(1.0 - rest, rest)

    def mix(self, before: Reals, after: Reals) -> Reals:
        """Return what moves from ``before`` to ``after`` here; both ends are met exactly."""
        mixed: Reals = self.rest * before + self.theta * after
        return mixed


START, END = Theta(0.0, 1.0), Theta(1.0, 0.0)


# A step that leaves less than this of the distance from one is made exact from its end.
_LONG = 0.1

# In so many rounds, each of which may halve or double what is left.
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Segment:
    """An interval of theta on which the coefficients stay.

    Attributes
    ----------
    left, right : Theta
        Its ends.
    coef : ndarray of shape (n_used,)
        The coefficients that are not zero.
    used : ndarray of int of shape (n_used,)
        Their columns.
    dual_left, dual_right : ndarray of shape (n_rows,)
        The dual vector at both ends; in between it is linear.
    exchanges : tuple of (int, int)
        The pivots at its left end: which column entered the basis, and which left it.
    """

    left: Theta
    right: Theta
    coef: Reals
    used: NDArray[np.intp]
    dual_left: Reals
    dual_right: Reals
    exchanges: Exchanges


@one_blas_thread
def follow(
    program: Program, start: Solved, before: Reals, after: Reals
) -> tuple[list[Segment], Solved, Exchanges]:
    """Follow the optimal vertex while the weights move on a straight line.

    Parameters
    ----------
    program : Program
    start : Solved
        The solution for the weights ``before``.
    before, after : ndarray of shape (n_columns,)
        The weights at theta = 0 and theta = 1.

    Returns
    -------
    segments : list of Segment
        Those of positive length, in order.
    end : Solved
        The solution for the weights ``after``.
    exchanges : tuple of (int, int)
        What was exchanged at theta = 1.
    """
    first, last = (program.equations.weights(weight) for weight in (before, after))
    rate, vertex, at = last - first, start.vertex.copy(), START
    segments: list[Segment] = []
    while at.rest > 0.0:
        weight, cost = at.mix(before, after), at.mix(first, last)
        vertex, exchanges = _settled(program, vertex, weight, cost, rate, at.theta)
        right = _next_breakpoint(vertex, at, (first, last))
        segments.append(_segment(program, vertex, (at, right), (before, after), exchanges))
        at = right
    vertex, exchanges = _settled(program, vertex, after, last, None, 1.0)
    return segments, program.at(vertex, after), _named(program, exchanges)


def _next_breakpoint(vertex: Vertex, at: Theta, costs: tuple[Reals, Reals]) -> Theta:
    """Return where the vertex ceases to be optimal, to all digits of the distance from one."""
    rate = costs[1] - costs[0]
    step, rounding, column, sign = vertex.reach(at.mix(*costs), rate)
    right = at.after(step, rounding)
    if right is END or right.rest >= _LONG * at.rest:
        return right
    # A step to where costs have fallen by orders of magnitude has lost digits of what is left.
    for _ in range(_ROUNDS):
        back = vertex.time_to_meet(right.mix(*costs), rate, column, sign)
        rest = min(max(right.rest - back, 0.5 * right.rest), 2.0 * right.rest)
        right = Theta(1.0 - rest, rest)
    return right


def _settled(
    program: Program, vertex: Vertex, weight: Reals, cost: Reals, rate: Reals | None, theta: float
) -> tuple[Vertex, list[tuple[int, int]]]:
    """Return the vertex made optimal for a cost and its rate, and what was exchanged for it."""
    try:
        return vertex, vertex.optimise(cost, rate)
    except StalledError:
        pass
    try:
        # From another vertex at the same weights.
        other = program.solve(weight).vertex.copy()
        return other, other.optimise(cost, rate)
    except StalledError:
        raise stalled(theta) from None


def _segment(
    program: Program,
    vertex: Vertex,
    ends: tuple[Theta, Theta],
    weights: tuple[Reals, Reals],
    exchanges: list[tuple[int, int]],
) -> Segment:
    left, right = (program.at(vertex, end.mix(*weights)) for end in ends)
    used = np.flatnonzero(left.coef)
    done = _named(program, exchanges)
    return Segment(*ends, left.coef[used], used, left.dual, right.dual, done)


def _named(program: Program, exchanges: list[tuple[int, int]]) -> Exchanges:
    """Return exchanges by the numbers of the given columns."""
    kept = program.equations.kept
    return tuple((int(kept[entered]), int(kept[left])) for entered, left in exchanges)
