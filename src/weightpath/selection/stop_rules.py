"""Rules that end a path before its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine.branch_goals import Until, Watch

__all__ = ["StopAt", "StopRule", "watch_of"]

_WHERE = {"bound": Until.AT_BOUND, "margin": Until.ON_MARGIN, "change": Until.AT_CHANGE}

# A rule for rows, or a function of theta, the coefficients and the intercept.
StopRule = Callable[[float, NDArray[np.float64], float], object]


@dataclass(frozen=True, eq=False)
class StopAt:
    """End each path where one instance arrives.

    It is looked at in native code at every event of the path, and at its start. A path whose
    instance never arrives goes on to its end.

    Parameters
    ----------
    index : int or array-like of int of shape (k,)
        The instance of the training set, the same for all paths or one for each. Negative ones
        count from the end: with rows that are added, -1 is the row of the path.
    where : {"bound", "margin", "change"}, default="bound"
        Where the path ends: when the coefficient is at a bound (for a classifier zero or
        ``C_i``, for a regression ``C_i`` up or down), when it is between its bounds, so that the
        instance is on the margin, or when the set of the instance first changes.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> margin = model.support_[np.abs(model.dual_coef_[0]) < 10]
    >>> ends = np.where(np.arange(80) == margin[0], 0.0, np.ones((1, 80)))
    >>> many = wp.follow_many(model, ends, stop=wp.StopAt(margin[0]))
    >>> many.status[0], bool(many.theta[0] < 1)
    ('stopped on request', True)
    """

    index: ArrayLike
    where: Literal["bound", "margin", "change"] = "bound"

    def __post_init__(self) -> None:
        if self.where not in _WHERE:
            raise ValueError(f"where must be one of {', '.join(_WHERE)}, got {self.where!r}.")

    @property
    def until(self) -> Until:
        """Where the path ends, as the engine has it."""
        return _WHERE[self.where]

    def rows(self, k: int, n: int) -> NDArray[np.intp]:
        """Return the instance of each of ``k`` paths on ``n`` instances, from the beginning."""
        index = np.asarray(self.index)
        if index.dtype.kind not in "iu" or index.shape not in ((), (k,)):
            raise ValueError(
                f"index must be a whole number, or one for each of the {k} paths, got {index!r}."
            )
        index = np.broadcast_to(index, (k,)).astype(np.intp)
        outside = index[(index < -n) | (index >= n)]
        if outside.size:
            raise IndexError(f"There is no instance {outside[0]}: the rows are 0 to {n - 1}.")
        return np.where(index < 0, index + n, index)


@dataclass(frozen=True, eq=False)
class _RowWatch:
    """A rule for rows, as the engine asks for it."""

    row: NDArray[np.intp]
    until: Until

    def __call__(self, k: int) -> tuple[int, Until, None]:
        return int(self.row[k]), self.until, None


@dataclass(frozen=True, eq=False)
class _Question:
    """A function that is asked, as the engine asks for it; rows that are not there are left out."""

    ask: StopRule
    own: NDArray[np.intp] | None
    n: int

    def __call__(self, k: int) -> tuple[int, Until, Any]:
        return 0, Until.NOWHERE, self.ask if self.own is None else self._of_own(int(self.own[k]))

    def _of_own(self, new: int) -> StopRule:
        rows = np.append(np.arange(self.n), new)
        return lambda theta, coef, intercept: self.ask(theta, coef[rows], intercept)


def watch_of(stop: StopAt | StopRule, k: int, n: int, own: NDArray[np.intp] | None = None) -> Watch:
    """Return a rule in the form in which the engine asks for it.

    Parameters
    ----------
    stop : StopAt or callable
        The rule.
    k : int
        The number of paths.
    n : int
        The number of instances that are always there.
    own : ndarray of int of shape (k,) or None, default=None
        Where the row is that is added on each path, if there is one.
    """
    if isinstance(stop, StopAt):
        rows = stop.rows(k, n + (own is not None))
        return _RowWatch(rows if own is None else np.where(rows == n, own, rows), stop.until)
    if not callable(stop):
        raise TypeError(f"stop must be a StopAt or a function, got {type(stop).__name__}.")
    return _Question(stop, own, n)
