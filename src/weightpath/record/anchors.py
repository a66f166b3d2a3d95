"""Events without anchors.

Where the bias is free the engine keeps a row in the margin, the *anchor*, only to carry one bound
of the bias along. Once the bias is in the middle of its interval that row is not at the margin, and
the events must not say so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.record._anchor_events import AnchorlessEvents
from weightpath.record.record import Record

__all__ = ["Events", "without_anchors"]

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Events:
    """Rewritten events.

    Attributes
    ----------
    theta : ndarray of shape (E,)
    table : ndarray of shape (E, 3)
        Row, position before, position after.
    count : ndarray of shape (S,)
        Events before each segment.
    initial : ndarray of shape (n,)
        Positions before the first event.
    """

    theta: NDArray[np.float64]
    table: Whole
    count: Whole
    initial: Whole


def without_anchors(record: Record, free: NDArray[np.bool_], knot: Whole) -> Events:
    """Return the events, with the members of free segments put back to their knots.

    Before the events between two segments the members of a free left one return to the margin, and
    after them those of a free right one go to their knots; pairs that undo each other are dropped.

    Parameters
    ----------
    record : Record
    free : ndarray of bool, shape (S,)
        The segments whose members are anchors.
    knot : ndarray of int, shape (N,)
        The knot of each margin entry.
    """
    return Events(*AnchorlessEvents(record, free, knot).rewrite())
