r"""Full conformal sets of kernel regressions: unions of intervals of the target of a new row.

As the target :math:`y` of the new row rises, its coefficient :math:`v` rises from its lower to its
upper bound, and residuals depend on :math:`y` through :math:`v` alone. Two kinds of stretches take
turns. Where :math:`v` is between its knots, the residual of the new row stays at a level: zero for
the pinball loss, so that all others are at least as large, and :math:`\pm\epsilon` for a tube,
so that the rows that are not strictly inside their tubes are. Which these are is read off the nodes
of the path. Where :math:`v` is at a knot (zero, or a bound), the function does not move, and the
residual of the new row passes those of the others one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath import tolerances
from weightpath.conformal.comparisons import Line, kept_on
from weightpath.conformal.forced import (
    ForcedEnds,
    forced_ends,
    predictions,
    reach_of_others,
)
from weightpath.conformal.forced_nodes import forced_nodes
from weightpath.conformal.unions import united
from weightpath.problems.position import at_knot
from weightpath.problems.scales import kappa_of
from weightpath.record.bias import BiasInterval, middle

__all__ = ["KernelSets"]

Reals = NDArray[np.float64]

# A bound within this fraction of what the other rows can balance is at that limit.
_AT_REACH = 1e-12

# Below and above the prediction.
_SIDES = (-1, 1)

# The knot of a tube at which the coefficient is zero.
_ZERO_KNOT = 1


class KernelSets:
    """The sets of new rows of one fitted model.

    Parameters
    ----------
    model : SVR or QuantileSVR
        Fitted with equal weights, one width of all tubes and no ridge; without feature names.
    needed : int
        How many of the other residuals must be as large as that of the new row, at least 1.
    n_jobs : int or None
        Number of threads.
    """

    def __init__(self, model: Any, needed: int, n_jobs: int | None = None) -> None:
        self.model, self.needed, self.n_jobs = model, needed, n_jobs
        (subproblem,) = model.subproblems_
        stair, state = subproblem.stair, subproblem.state
        self.scale = stair.residual_scale or 1.0
        self.tolerance = tolerances.EQUAL_SCORES * self.scale
        # All rows have the same staircase, apart from their targets.
        self.bounds = float(stair.knots[0, 0]), float(stair.knots[0, -1])
        self.half_width = float(model.epsilon_[0]) if hasattr(model, "epsilon_") else 0.0
        self.bias, self.gap = state.bias, state.residual + state.bias
        self.low, self.high = _bias_interval(subproblem)
        self.n_beyond = int((state.position != at_knot(_ZERO_KNOT)).sum())

    def sets(self, X: Any) -> list[Reals]:
        """Return the set of each new row, checked rows as ``add`` takes them."""
        plain = predictions(self.model, X) - self.bias
        pieces: list[list[Reals]] = [[] for _ in range(X.shape[0])]
        ends = [self._ends(X, side) for side in _SIDES]
        inner = [
            self._beyond_bound(X.shape[0], side, there, pieces)
            for side, there in zip(_SIDES, ends, strict=True)
        ]
        if self.half_width > 0:
            centre = self._centre()
            for k, own in enumerate(pieces):
                own.append(plain[k] + centre)
                own.extend(self._on_edges(X[k : k + 1], float(plain[k]), ends, k))
        else:
            # The residual of the new row is zero between the two ends.
            for own, low, high in zip(pieces, *inner, strict=True):
                own.append(np.array([[low, high]]))
        return [united(own, self.tolerance) for own in pieces]

    def _ends(self, X: Any, side: int) -> ForcedEnds | None:
        """Return where the coefficients are at one of their bounds; ``None`` if they never are."""
        bound = self.bounds[side > 0]
        reach = reach_of_others(self.model)[side > 0]
        if abs(bound) > abs(reach) * (1.0 + _AT_REACH):
            return None
        level = np.full(X.shape[0], bound)
        return forced_ends(self.model, X, level, gaps=True, n_jobs=self.n_jobs)

    def _beyond_bound(
        self, count: int, side: int, ends: ForcedEnds | None, pieces: list[list[Reals]]
    ) -> Reals:
        """Add what is kept with the coefficient at a bound; return where that begins."""
        if ends is None:
            # The others cannot balance the bound: the new row is fitted exactly for ever.
            return np.full(count, side * np.inf)
        assert ends.gap is not None
        nearer = ends.low if side > 0 else ends.high
        value = ends.own + nearer
        unique = ends.high - ends.low <= tolerances.UNIQUE_BIAS * self.scale
        spread = np.abs(ends.gap - nearer[:, None])
        n = spread.shape[1]
        reach = np.partition(spread, n - self.needed, axis=1)[:, n - self.needed]
        for k, own in enumerate(pieces):
            if not unique[k]:
                own.append(self._resting(ends, k, side))
            elif reach[k] >= self.half_width - self.tolerance:
                far = max(reach[k], self.half_width)
                own.append(np.sort([[value[k] + side * self.half_width, value[k] + side * far]]))
        return value + side * self.half_width

    # Where the coefficient of the new row is at a knot ---------------------------------------

    def _centre(self) -> Reals:
        """Return what is kept where the coefficient of the new row is zero, if its value is zero.

        The others do not see the new row, so that all that depends on it is its value.
        """
        width = self.half_width
        return _kept_at_rest(
            0.0,
            self.gap,
            (self.low, self.high),
            (-width, width),
            self.needed,
            self.tolerance,
        )

    def _resting(self, ends: ForcedEnds, k: int, side: int) -> Reals:
        """Return what is kept where the coefficient of a new row is at its bound."""
        assert ends.gap is not None
        width = self.half_width
        levels = (width, np.inf) if side > 0 else (-np.inf, -width)
        return _kept_at_rest(
            float(ends.own[k]),
            ends.gap[k],
            (float(ends.low[k]), float(ends.high[k])),
            levels,
            self.needed,
            self.tolerance,
        )

    # Where it is between zero and its bound --------------------------------------------------

    def _on_edges(self, X: Any, plain: float, ends: list[ForcedEnds | None], k: int) -> list[Reals]:
        """Return what is kept while the residual of a new row is at an edge of its tube."""
        found, doubtful = [], []
        for side, there in zip(_SIDES, ends, strict=True):
            assert there is not None, "Tubes are symmetric: one row can balance another."
            # Every event takes at most one row from the margin into its tube.
            if self.n_beyond - int(there.n_events[k]) < self.needed:
                doubtful.append(side)
                continue
            begin, end = (self.high, there.low[k]) if side > 0 else (self.low, there.high[k])
            shift = side * self.half_width
            found.append(np.sort([[plain + begin + shift, there.own[k] + end + shift]]))
        if doubtful:
            levels = [self.bounds[side > 0] for side in doubtful]
            for side, nodes in zip(doubtful, forced_nodes(self.model, X, levels), strict=True):
                own = np.full(nodes.own.size, side * self.half_width)
                line = Line(nodes.own + own, nodes.residual, own)
                found.append(kept_on(line, self.needed, self.tolerance))
        return found


def _bias_interval(subproblem: Any) -> tuple[float, float]:
    """Return the interval of the bias of a solved subproblem; its bias twice where it is unique."""
    stair, state = subproblem.stair, subproblem.state
    interval = BiasInterval.of(stair, state, kappa_of(subproblem.columns))
    if interval.move() is None:
        return state.bias, state.bias
    return state.bias + float(interval.down.max()), state.bias + float(interval.up.min())


def _kept_at_rest(
    value: float,
    gap: Reals,
    bias: tuple[float, float],
    levels: tuple[float, float],
    needed: int,
    tolerance: float,
) -> Reals:
    """Return what is kept while all coefficients rest, and only the bias may move with the target.

    Where the bias is not unique, the target of the new row narrows its interval, and the bias is
    the middle of what is left.

    Parameters
    ----------
    value : float
        The function at the new row, without the bias.
    gap : ndarray of shape (n,)
        Targets minus values of the other rows, without the bias.
    bias : (float, float)
        The interval of the bias without the new row.
    levels : (float, float)
        The residuals that the new row may have.
    needed, tolerance
        As of :func:`~weightpath.conformal.comparisons.kept_on`.
    """
    low, high = bias
    first, last = levels
    nodes = np.unique([value + b + s for b in bias for s in levels])
    nodes = nodes[np.isfinite(nodes) & (nodes >= value + low + first)]

    def residuals(target: float) -> Reals:
        now = middle(max(low, target - value - last), min(high, target - value - first))
        return np.append(gap - now, target - value - now)

    pieces = []
    if len(nodes) > 1:
        at = np.array([residuals(float(target)) for target in nodes])
        pieces.append(kept_on(Line(nodes, at[:, :-1], at[:, -1]), needed, tolerance))
    for end, target, sign in ((last, nodes[-1], 1), (first, nodes[0], -1)):
        if np.isfinite(end):
            continue
        here = residuals(float(target))
        # Slopes are multiples of one half.
        step = sign * (1.0 + abs(float(target)))
        slope = np.round(2.0 * (residuals(float(target) + step) - here) / abs(step)) / 2.0
        at = np.array([here, slope])
        line = Line(np.array([target, target]), at[:, :-1], at[:, -1], sign)
        pieces.append(kept_on(line, needed, tolerance))
    if not pieces:
        pieces.append(np.array([[nodes[0], nodes[0]]]))
    return np.concatenate(pieces)
