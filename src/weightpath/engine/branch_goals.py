"""Where branches go, and what becomes of them: plain arrays, for many paths from one solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import quick_init
from weightpath.problems import Staircase

__all__ = ["BranchEnds", "BranchGoals", "Outcome", "Until", "Watch"]

Reals = NDArray[np.float64]

# What may end branch k early: the row to watch, where, and a function of theta, the coefficients
# and the bias that is asked at every event; either of the two, ``Until.NOWHERE`` for the second.
Asked = Callable[[float, Reals, float], object]
Watch = Callable[[int], "tuple[int, Until, Asked | None]"]


# The fields of ends that may be put together late.
_MOVED = ("offset", "row", "change")


class Harvest(Protocol):
    """What branches have come to: the native ``Harvest``."""

    def ends(self) -> dict[str, NDArray[Any]]:
        """Return what there is one of for each branch, and the residuals."""

    def moved(self) -> dict[str, NDArray[Any]]:
        """Return the coefficients that changed."""


class Outcome(IntEnum):
    """What becomes of a branch; ``_branches.pyx`` has the same numbers."""

    LOST = 0
    ARRIVED = 1
    STOPPED = 2
    CAPPED = 3


class Until(IntEnum):
    """Where a row that is watched ends its branch; ``_branches.pyx`` has the same numbers.

    At a bound, between its knots, or where it is no longer where it was at the start.
    """

    NOWHERE = 0
    AT_BOUND = 1
    ON_MARGIN = 2
    AT_CHANGE = 3


@quick_init
@dataclass(frozen=True, eq=False)
class BranchGoals:
    """The problems that the branches of one problem lead to, by the rows that move.

    Attributes
    ----------
    offset : ndarray of int of shape (k + 1,)
        The entries of branch k are those from ``offset[k]`` to before ``offset[k + 1]``.
    row : ndarray of int
        The rows that move.
    knots : ndarray of shape (n_entries, m)
        Their knots at the end.
    total : ndarray of shape (k,)
        The total of the coefficients at the end.
    target : ndarray of shape (n_entries,) or None
        Their targets at the end; ``None`` where no target moves.
    levels : ndarray of shape (n_entries, m + 1) or None
        Their levels at the end; ``None`` where no level moves.
    """

    offset: NDArray[np.intp]
    row: NDArray[np.intp]
    knots: Reals
    total: Reals
    target: Reals | None = None
    levels: Reals | None = None

    def __len__(self) -> int:
        return len(self.total)

    def entries(self, k: int) -> slice:
        """Return the entries of branch ``k``."""
        return slice(int(self.offset[k]), int(self.offset[k + 1]))

    def end(self, start: Staircase, k: int) -> Staircase:
        """Return the problem at the end of branch ``k``, which begins at ``start``."""
        own = self.entries(k)
        rows, target, levels = self.row[own], start.target, start.levels
        knots = start.knots.copy()
        knots[rows] = self.knots[own]
        if self.target is not None:
            target = target.copy()
            target[rows] = self.target[own]
        if self.levels is not None:
            levels = levels.copy()
            levels[rows] = self.levels[own]
        return Staircase.of_own(target, knots, levels, float(self.total[k]), start.has_bias)


@quick_init
@dataclass(frozen=True, eq=False)
class BranchEnds:
    """Where some branches have ended.

    Attributes
    ----------
    outcome : ndarray of int8 of shape (k,)
        An :class:`Outcome` for each.
    theta : ndarray of shape (k,)
        Where it ended, one if at its goal.
    bias : ndarray of shape (k,)
        The bias there.
    n_events : ndarray of int of shape (k,)
        The events on the way.
    offset : ndarray of int of shape (k + 1,)
        The changes of branch k are those from ``offset[k]`` to before ``offset[k + 1]``.
    row, change : ndarray
        The rows whose coefficients have changed, in order, and by how much.
    residual : ndarray
        The residuals at the rows that moved, in the order of the goals.
    """

    outcome: NDArray[np.int8]
    theta: Reals
    bias: Reals
    n_events: NDArray[np.intp]
    offset: NDArray[np.intp]
    row: NDArray[np.intp]
    change: Reals
    residual: Reals

    @classmethod
    def of_harvest(cls, harvest: Harvest) -> BranchEnds:
        """Return the ends of a harvest; what has changed is put together when it is first read."""
        ends = object.__new__(cls)
        ends.__dict__.update(harvest.ends(), _harvest=harvest)
        return ends

    def __getattr__(self, name: str) -> Any:
        # Called only for what is not there.
        known = self.__dict__
        harvest = known.get("_harvest")
        if harvest is not None and name in _MOVED:
            known.update(harvest.moved(), _harvest=None)
        if name not in known:
            # Another thread may have read it in the meantime.
            raise AttributeError(f"BranchEnds has no attribute {name!r}.")
        return known[name]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def joined(cls, parts: list[BranchEnds]) -> BranchEnds:
        """Return the ends of several lots of branches, one lot after the other."""
        if len(parts) == 1:
            return parts[0]
        counts = [np.diff(part.offset) for part in parts]
        own = ("outcome", "theta", "bias", "n_events", "row", "change", "residual")
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in own}
        return cls(offset=np.concatenate([[0], np.cumsum(np.concatenate(counts))]), **arrays)
