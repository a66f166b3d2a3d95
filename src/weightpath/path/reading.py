"""How a problem's positions and knots read in the words of its estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weightpath.problems import hinge_sets

__all__ = ["SET_NAMES", "Reading"]

# In the order of weightpath.problems.classification's OUTSIDE, MARGIN, INSIDE.
SET_NAMES = np.array(["outside", "margin", "inside"])
SET_NAMES.setflags(write=False)


@dataclass(frozen=True)
class Kind:
    """The two readings of one family of problems."""

    sets: Callable[[np.ndarray, np.ndarray], np.ndarray]
    weights: Callable[[np.ndarray], np.ndarray]


def height(knots: np.ndarray) -> np.ndarray:
    """Return the distance of the outermost knots, the ``C_i`` of a hinge loss."""
    return knots[:, -1] - knots[:, 0]


KINDS = {"svc": Kind(hinge_sets, height)}


@dataclass(frozen=True, eq=False)
class Reading:
    """The reading of one problem.

    Parameters
    ----------
    kind : str
        A key of ``KINDS``.
    sign : ndarray of shape (n,)
        Labels, +1 or -1.

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

    def weights(self, knots) -> np.ndarray:
        """Return the weights that the knots stand for."""
        return KINDS[self.kind].weights(knots)
