"""A leg that could not be followed from its start, between two states that are solutions.

Where the numbers of a leg go astray, however short it is, its record is wrong somewhere. The leg is
then followed from its end, which was solved afresh, back to its start. Where that fails too, and
rounding alone decides about the sets at both ends, the leg is halved where it cannot be followed,
until next to nothing of it is left. There nobody can tell what is between two solutions: the
straight line from the one to the other is as good as any answer, and what it lacks is within what
rounding does there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.leg import MOST_EVENTS, LegRunner, resume
from weightpath.engine.solve import accepted, solve
from weightpath.engine.trace import Options
from weightpath.errors import PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import is_free, knot_of
from weightpath.record import Record, concatenate, reverse
from weightpath.record.state import State

__all__ = ["followed_back", "straight_line", "straight_lines"]

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

# How often what cannot be followed of a leg is halved, at most.
_HALVINGS = 24


def followed_back(
    columns: Columns, start: Staircase, end: Staircase, state: State, options: Options
) -> Record | None:
    """Return the record of a leg, followed from the solution at its end; ``None`` if it fails.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The ends of the leg.
    state : State
        The solution of ``end``.
    options : Options
        How paths are followed.
    """
    record = _followed(columns, end, start, state, options)
    return None if record is None else reverse(record)


def straight_lines(
    columns: Columns,
    start: Staircase,
    end: Staircase,
    before: State,
    after: State,
    options: Options,
) -> Record:
    """Return the record of a leg with a straight line, as short as may be, where it gets lost.

    Between two solutions whose residuals have few digits may be points that have many, so a line
    must not be longer than what happens there. The leg is halved as long as one of the halves can
    be followed and the other cannot.

    Parameters
    ----------
    columns, start, end, options
        As in :func:`followed_back`.
    before, after : State
        The solutions of ``start`` and ``end``.
    """
    lost, pieces = [_Gap(0.0, 1.0, before, after)], []
    for _ in range(_HALVINGS):
        gap = lost[0]
        middle = 0.5 * (gap.left + gap.right)
        there = start.between(end, middle)
        try:
            state = solve(columns, there, gap.before.beta, gap.before.bias, _quietly(options))
        except (PathError, IndefiniteMarginError):
            break
        lost = []
        for half in (
            _Gap(gap.left, middle, gap.before, state),
            _Gap(middle, gap.right, state, gap.after),
        ):
            ends = start.between(end, half.left), start.between(end, half.right)
            record = _followed(columns, *ends, half.before, options)
            if record is None:
                record = followed_back(columns, *ends, half.after, options)
            if record is None:
                lost.append(half)
            else:
                pieces.append((half.left, half.right, record))
        if len(lost) != 1:
            break
    for gap in lost:
        ends = start.between(end, gap.left), start.between(end, gap.right)
        pieces.append((gap.left, gap.right, straight_line(gap.before, gap.after, *ends)))
    pieces.sort(key=lambda piece: piece[0])
    return concatenate([piece[2] for piece in pieces], [piece[:2] for piece in pieces])


class _Gap(NamedTuple):
    """An interval of a leg on which it gets lost, between two solutions."""

    left: float
    right: float
    before: State
    after: State


def _quietly(options: Options) -> Options:
    """Return options under which nobody is told how far it is."""
    return replace(options, max_events=MOST_EVENTS, tie_limit=None, callback=None)


def _followed(
    columns: Columns, start: Staircase, end: Staircase, state: State, options: Options
) -> Record | None:
    """Return the record of a leg, followed at one go; ``None`` if it fails."""
    options = _quietly(options)
    runner = LegRunner(columns, start, end, options)
    try:
        there = runner.run(resume(columns, start, end, state, options))
    except (PathError, IndefiniteMarginError):
        return None
    finally:
        runner.close()
    if there.stopped or there.violation > accepted(there) or len(runner.records) != 1:
        return None
    return runner.records[0]


def straight_line(before: State, after: State, start: Staircase, end: Staircase) -> Record:
    """Return the record of the straight line from one solution to another.

    Rows that are not at the same knot at both ends are free on the way, and where they meet a knot
    they go on to the other side of it.

    Parameters
    ----------
    before, after : State
        The two solutions.
    start, end : Staircase
        Their problems.
    """
    first, last = (np.asarray(state.position, dtype=np.int64) for state in (before, after))
    way = np.sign(last - first)
    members = np.flatnonzero(is_free(first) | (way != 0))
    here = np.where(is_free(first), first, first + way)[members]
    there = np.where(is_free(last), last, last - way)[members]
    position = first.copy()
    position[members] = here

    crossings: list[_Crossing] = []
    for i in members[here != there].tolist():
        distance = before.beta[i] - start.knots[i], after.beta[i] - end.knots[i]
        crossings += _crossings(i, int(position[i]), int(last[i]), *distance)
    crossings.sort(key=lambda crossing: crossing.theta)
    met = np.array([crossing.theta for crossing in crossings])
    theta = np.unique(np.concatenate([[0.0, 1.0], met]))
    from_, to = _steps(crossings)

    value, slope = before.beta[members], (after.beta - before.beta)[members]
    left = theta[:-1]
    return Record(
        theta=theta,
        bias=before.bias + left * (after.bias - before.bias),
        bias_slope=np.full(left.size, after.bias - before.bias),
        offset=members.size * np.arange(theta.size),
        member=np.tile(members, left.size),
        value=(value + left[:, None] * slope).ravel(),
        slope=np.tile(slope, left.size),
        event_theta=np.repeat(met, 2),
        event_index=np.repeat(np.array([one.row for one in crossings], dtype=np.int64), 2),
        event_from=from_,
        event_to=to,
        event_count=2 * np.searchsorted(met, left, side="right"),
        initial_position=position,
        freedom=np.zeros(theta.size, dtype=np.int64),
    )


class _Crossing(NamedTuple):
    """Where a row that is free meets a knot: its position before, and on which side it goes on."""

    theta: float
    row: int
    position: int
    side: int


def _crossings(
    row: int, position: int, last: int, before: Reals, after: Reals
) -> Iterator[_Crossing]:
    """Give what a row meets that is free at a position at first, and at its last one in the end.

    ``before`` and ``after`` are how far its coefficient is above each of its knots at the ends.
    """
    side, theta = (1 if last > position else -1), 0.0
    while side * (last - position) > 1:
        knot = knot_of(position + side)
        way = float(before[knot] - after[knot])
        met = float(before[knot]) / way if way != 0.0 else 0.0
        # Coefficients at the ends are at their knots to rounding, and knots in their order.
        theta = min(max(met, theta), 1.0)
        yield _Crossing(theta, row, position, side)
        position += 2 * side


def _steps(crossings: list[_Crossing]) -> tuple[Whole, Whole]:
    """Return the positions before and after each step: to the knot, and beyond it."""
    place = np.array([one.position for one in crossings], dtype=np.int64)
    side = np.array([one.side for one in crossings], dtype=np.int64)
    knot, beyond = place + side, place + 2 * side
    return np.column_stack([place, knot]).ravel(), np.column_stack([knot, beyond]).ravel()
