"""How a problem's positions and knots read in the words of its estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weightpath.problems import Staircase, hinge_sets, tube_sets
from weightpath.problems.classification import MARGIN, OUTSIDE
from weightpath.problems.position import is_free

__all__ = ["SET_NAMES", "Reading"]

# In the order of weightpath.problems.classification's OUTSIDE, MARGIN, INSIDE.
SET_NAMES = np.array(["outside", "margin", "inside"])
SET_NAMES.setflags(write=False)


@dataclass(frozen=True)
class Kind:
    """The two readings of one family of problems: sets of positions, weights of a staircase."""

    sets: Callable[[np.ndarray, np.ndarray], np.ndarray]
    weights: Callable[[Staircase], np.ndarray]


def _height(staircase: Staircase) -> np.ndarray:
    """Return the distance of the outermost knots, the ``C_i`` of hinge and pinball losses."""
    return staircase.knots[:, -1] - staircase.knots[:, 0]


def _upper_knot(staircase: Staircase) -> np.ndarray:
    """Return the last knot, the ``C_i`` of the epsilon-insensitive loss."""
    return staircase.knots[:, -1].copy()


def _penalty(staircase: Staircase) -> np.ndarray:
    """Return the last level, the penalty of a feature."""
    return staircase.levels[:, -1].copy()


def _free_or_not(sign, position) -> np.ndarray:
    """Read free as at the margin and everything else as outside."""
    return np.where(is_free(np.asarray(position)), MARGIN, OUTSIDE)


KINDS = {
    "svc": Kind(hinge_sets, _height),
    "svr": Kind(tube_sets, _upper_knot),
    "quantile": Kind(_free_or_not, _height),
    "one-class": Kind(hinge_sets, _height),
    "lasso": Kind(_free_or_not, _penalty),
    "ranking": Kind(hinge_sets, _upper_knot),
}


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of one problem.

    Parameters
    ----------
    kind : str
        A key of ``KINDS``.
    sign : ndarray of shape (n,)
        Labels, +1 or -1, of a classifier; ones for most others, see the kind's sets.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.path import Reading
    >>> Reading("svc", np.array([1, -1])).words(np.array([1, 1]))
    array(['outside', 'inside'], dtype='<U7')
    """

    kind: str
    sign: np.ndarray

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"Unknown reading {self.kind!r}; known are {', '.join(KINDS)}.")
        sign = np.array(self.sign, dtype=np.float64)
        sign.setflags(write=False)
        object.__setattr__(self, "sign", sign)

    def sets(self, position, row=slice(None)) -> np.ndarray:
        """Return the set of each position, as an index into ``SET_NAMES``; ``row`` says whose."""
        return KINDS[self.kind].sets(self.sign[row], np.asarray(position))

    def words(self, position, row=slice(None)) -> np.ndarray:
        """Return the name of the set of each position."""
        return SET_NAMES[self.sets(position, row)]

    def weights(self, staircase: Staircase) -> np.ndarray:
        """Return the weights that a staircase stands for."""
        return KINDS[self.kind].weights(staircase)
