r"""Which pair of provisional labels to switch, and where on a path the first such pair appears.

Joachims' condition: a row labelled +1 with slack :math:`\xi_m > 0`, a row labelled -1 with slack
:math:`\xi_l > 0`, and :math:`\xi_m + \xi_l > 2`. Then switching both labels lowers the objective
whatever the weights of the two labels, for the slacks become :math:`[2 - \xi_m]_+ < \xi_l`, now
weighted as that of a row labelled -1, and :math:`[2 - \xi_l]_+ < \xi_m`.

With :math:`a = \min f` over rows labelled +1 and :math:`b = \max f` over those labelled -1 there is
such a pair if and only if

.. math:: b - a > 0, \qquad 1 - a > 0, \qquad 1 + b > 0 ,

and the two extreme rows are one. On a segment of a path all :math:`f` are linear in theta, so the
three are convex and piecewise linear: each is positive outside of an interval whose ends Newton's
method meets exactly, in finitely many steps. That gives the first theta where all three hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.decision_path import Block

__all__ = ["Envelope", "Lines", "extreme_pair", "first_pair_on_path"]

# Decision values of a pair must differ by this much: equal ones (copies of a row, say) would be
# switched for rounding errors, without end. Margins are at one.
DIFFERENT = 1e-9

# More steps than Newton's method needs on any convex piecewise linear function met so far.
MOST_STEPS = 200


def extreme_pair(values: NDArray[np.float64], sign: NDArray[np.float64]) -> tuple[int, int] | None:
    """Return the pair with most slack that fulfils Joachims' condition, as +1 row and -1 row.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Decision values of the rows with provisional labels.
    sign : ndarray of shape (k,)
        The labels.

    Returns
    -------
    (int, int) or None
        Indices; the first of several that are equally extreme. ``None`` if there is no such pair.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.applications.switching_pairs import extreme_pair
    >>> extreme_pair(np.array([0.5, -0.2, 0.3, -2.0]), np.array([1, 1, -1, -1]))
    (1, 2)
    """
    plus, minus = np.flatnonzero(sign > 0), np.flatnonzero(sign < 0)
    if plus.size == 0 or minus.size == 0:
        return None
    m, l = plus[np.argmin(values[plus])], minus[np.argmax(values[minus])]  # noqa: E741
    a, b = values[m], values[l]
    holds = b - a > DIFFERENT and a < 1.0 - DIFFERENT and b > DIFFERENT - 1.0
    return (int(m), int(l)) if holds else None


@dataclass(frozen=True)
class Lines:
    """The largest of several lines, a convex function."""

    value: NDArray[np.float64]
    slope: NDArray[np.float64]

    def at(self, t: float) -> tuple[float, float]:
        """Return the value at ``t`` and the slope of a line that has it."""
        reached = self.value + t * self.slope
        top = int(np.argmax(reached))
        return float(reached[top]), float(self.slope[top])


@dataclass(frozen=True)
class Envelope:
    """A sum of such functions and a number: convex and piecewise linear, too."""

    terms: tuple[Lines, ...]
    offset: float

    def at(self, t: float) -> tuple[float, float]:
        """Return the value at ``t`` and a slope there."""
        found = [lines.at(t) for lines in self.terms]
        return self.offset + sum(value for value, _ in found), sum(slope for _, slope in found)

    def roots(self, length: float) -> list[float]:
        """Return where the function changes its sign on [0, length]; at most twice."""
        found = (self._root(0.0, 1.0, length), self._root(length, -1.0, length))
        return [root for root in found if root is not None]

    def _root(self, t: float, direction: float, length: float) -> float | None:
        """Go by Newton's method from an end where the function is positive to its next zero."""
        value, slope = self.at(t)
        for _ in range(MOST_STEPS):
            if value <= 0.0 or direction * slope >= 0.0:
                break
            after = t - value / slope
            if not 0.0 <= after <= length:
                return None
            if after == t:
                return t
            t = after
            value, slope = self.at(t)
        else:
            return t
        return t if 0.0 < t < length and value <= 0.0 else None


def first_pair_on_path(
    blocks: Iterable[Block], sign: NDArray[np.float64]
) -> tuple[float, tuple[int, int]] | None:
    """Return where a pair first fulfils Joachims' condition, and the pair.

    Parameters
    ----------
    blocks : iterable of (left, right, value, slope)
        Segments of a path with the decision values of the rows with provisional labels, as
        ``iter_segments`` yields them.
    sign : ndarray of shape (k,)
        The labels.

    Returns
    -------
    (float, (int, int)) or None
        Theta and the indices of the +1 row and the -1 row.
    """
    plus, minus = np.flatnonzero(sign > 0), np.flatnonzero(sign < 0)
    if plus.size == 0 or minus.size == 0:
        return None
    for left, right, value, slope in blocks:
        for s in np.flatnonzero(_may_hold(left, right, value, slope, plus, minus)):
            step = _first_step(value[s], slope[s], right[s] - left[s], plus, minus)
            if step is not None:
                f = value[s] + step * slope[s]
                pair = int(plus[np.argmin(f[plus])]), int(minus[np.argmax(f[minus])])
                return min(float(left[s] + step), float(right[s])), pair
    return None


def _may_hold(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
    plus: NDArray[np.intp],
    minus: NDArray[np.intp],
) -> NDArray[np.bool_]:
    """Whether a segment may hold a pair: a convex function is largest at an end of it."""
    end = value + (right - left)[:, None] * slope
    low = [f[:, plus].min(axis=1) for f in (value, end)]
    high = [f[:, minus].max(axis=1) for f in (value, end)]
    gap = np.maximum(high[0] - low[0], high[1] - low[1])
    holds: NDArray[np.bool_] = (
        (gap > DIFFERENT)
        & (np.minimum(*low) < 1.0 - DIFFERENT)
        & (np.maximum(*high) > DIFFERENT - 1.0)
    )
    return holds


def _first_step(
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
    length: float,
    plus: NDArray[np.intp],
    minus: NDArray[np.intp],
) -> float | None:
    """Return the first step into a segment beyond which all three conditions hold."""
    a_side = Lines(-value[plus], -slope[plus])
    b_side = Lines(value[minus], slope[minus])
    conditions = (
        Envelope((a_side, b_side), -DIFFERENT),
        Envelope((a_side,), 1.0 - DIFFERENT),
        Envelope((b_side,), 1.0 - DIFFERENT),
    )
    edges = {0.0, length}
    for condition in conditions:
        edges.update(condition.roots(length))
    for here, there in pairwise(sorted(edges)):
        middle = 0.5 * (here + there)
        if all(condition.at(middle)[0] > 0.0 for condition in conditions):
            return here
    return None
