"""What a kind of problem is called and how it is read; one registry, open to users.

A :class:`Kind` stands beside the staircase of its problem, in the same file. Paths, pictures, pages
and files ask it; nothing else in the library has a list of problems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import Positions, is_free
from weightpath.problems.staircase import Staircase

__all__ = [
    "INSIDE",
    "MARGIN",
    "OUTSIDE",
    "SET_NAMES",
    "Kind",
    "Wording",
    "free_or_not",
    "kind_called",
    "kinds",
    "knot_range",
    "register_kind",
    "upper_knot",
]

Reals = NDArray[np.float64]

OUTSIDE, MARGIN, INSIDE = 0, 1, 2

# By the numbers above.
SET_NAMES = np.array(["outside", "margin", "inside"])
SET_NAMES.setflags(write=False)


def free_or_not(sign: Reals, position: Positions) -> NDArray[np.intp]:
    """Read free rows as at the margin and all others as outside, whatever the ``sign``."""
    return np.where(is_free(position), MARGIN, OUTSIDE)


def knot_range(staircase: Staircase) -> Reals:
    """Return the distance of the outermost knots, the ``C_i`` of hinge and pinball losses."""
    return staircase.knots[:, -1] - staircase.knots[:, 0]


def upper_knot(staircase: Staircase) -> Reals:
    """Return the last knot, the ``C_i`` of losses that are symmetric."""
    return staircase.knots[:, -1].copy()


@dataclass(frozen=True)
class Wording:
    """The words of one kind of problem in pictures and on pages.

    Parameters
    ----------
    coefficient : str
        What is drawn along theta.
    signed : bool
        Whether its sign is shown: that of a classifier only repeats the label.
    row : str
        What has a coefficient.
    rows : str
        All of them, in a table.
    margin : str
        Those whose coefficients are between their bounds.
    """

    coefficient: str = "coefficient  (units of $C$)"
    signed: bool = True
    row: str = "row"
    rows: str = "Training rows"
    margin: str = "rows on the margin"


@dataclass(frozen=True)
class Kind:
    """One kind of problem.

    Parameters
    ----------
    name : str
        The name in files and in :class:`weightpath.path.Reading`.
    sets : callable, default=free_or_not
        ``sets(sign, position)`` returns ``OUTSIDE``, ``MARGIN`` or ``INSIDE`` for each row.
    weights : callable, default=knot_range
        ``weights(staircase)`` returns the weight of each row.
    rows_are : {"instances", "pairs", "features"}, default="instances"
        What has a coefficient: training rows, pairs of them, or their columns.
    has_targets : bool, default=True
        Whether decision values predict targets, so that errors of regression are defined.
    wording : Wording
        The words of pictures and pages.
    detects : bool, default=False
        Whether the sign of a decision value tells inliers from outliers.

    Examples
    --------
    >>> from weightpath.problems import kinds
    >>> kinds()["svr"].wording.margin
    "rows on the tube's edge"
    """

    name: str
    sets: Callable[[Reals, Positions], NDArray[np.intp]] = free_or_not
    weights: Callable[[Staircase], Reals] = knot_range
    rows_are: Literal["instances", "pairs", "features"] = "instances"
    has_targets: bool = True
    wording: Wording = field(default_factory=Wording)
    detects: bool = False


_KINDS: dict[str, Kind] = {}


def register_kind(kind: Kind) -> Kind:
    """Make a kind known by its name; return it.

    Paths of that kind can then be read, drawn, saved and loaded.

    Raises
    ------
    ValueError
        If another kind has that name.
    """
    if _KINDS.setdefault(kind.name, kind) != kind:
        raise ValueError(f"There is another kind of problem called {kind.name!r}.")
    return kind


def kinds() -> Mapping[str, Kind]:
    """Return all kinds of problems by their names, those of users too (a view)."""
    return MappingProxyType(_KINDS)


def kind_called(name: str) -> Kind:
    """Return the kind of a name; one with all defaults where none was registered."""
    return _KINDS.get(name, Kind(name))
