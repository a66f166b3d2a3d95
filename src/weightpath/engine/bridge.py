"""A leg that could not be followed from its start, between two states that are solutions.

Where the numbers of a leg go astray, however short it is, its record is wrong somewhere. The leg is
then followed from its end, which was solved afresh, back to its start. Where that fails too, and
rounding alone decides about the sets at both ends, nobody can tell what is between them: the
straight line from the one to the other is as good as any answer, and what it lacks is within what
rounding does there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weightpath.engine.definiteness import IndefiniteMarginError
from weightpath.engine.leg import MOST_EVENTS, LegRunner, resume
from weightpath.engine.solve import accepted
from weightpath.engine.trace import Options
from weightpath.errors import PathError
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import is_free
from weightpath.record import Record, reverse
from weightpath.record.state import State

__all__ = ["followed_back", "straight_line"]


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
    options = replace(options, max_events=MOST_EVENTS, tie_limit=None, callback=None)
    back = LegRunner(columns, end, start, options)
    try:
        there = back.run(resume(columns, end, start, state, options))
    except (PathError, IndefiniteMarginError):
        return None
    finally:
        back.close()
    if there.stopped or there.violation > accepted(there) or len(back.records) != 1:
        return None
    return reverse(back.records[0])


def straight_line(before: State, after: State) -> Record:
    """Return the record of the straight line from one solution to another."""
    first, last = (np.asarray(state.position, dtype=np.int64) for state in (before, after))
    members = np.flatnonzero(is_free(first) | (first != last))
    # Rows that are at other knots, or at none, are free on the way.
    position, there = first.copy(), last[members]
    here = first[members]
    position[members] = np.where(
        is_free(here), here, np.where(is_free(there), there, here + np.sign(there - here))
    )
    value = before.beta[members]
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    return Record(
        theta=np.array([0.0, 1.0]),
        rest=np.array([1.0, 0.0]),
        bias=np.array([before.bias]),
        bias_slope=np.array([after.bias - before.bias]),
        offset=np.array([0, members.size]),
        member=members,
        value=value,
        slope=after.beta[members] - value,
        event_theta=nothing,
        event_index=none,
        event_from=none,
        event_to=none,
        event_count=np.array([0]),
        initial_position=position,
        freedom=np.zeros(2, dtype=np.int64),
    )
