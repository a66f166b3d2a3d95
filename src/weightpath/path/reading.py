"""How a problem's positions and knots read in the words of its kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.problems import Kind, Staircase, kinds
from weightpath.problems.kind import SET_NAMES

__all__ = ["Reading"]

Rows = NDArray[np.intp] | slice


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """The reading of one problem.

    Parameters
    ----------
    kind : str
        The name of a kind; see :func:`weightpath.problems.kinds`.
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
    sign: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.kind not in kinds():
            raise ValueError(f"Unknown reading {self.kind!r}; known are {', '.join(kinds())}.")
        sign = np.array(self.sign, dtype=np.float64)
        sign.setflags(write=False)
        object.__setattr__(self, "sign", sign)

    @classmethod
    def of_own(cls, kind: str, sign: NDArray[np.float64]) -> Reading:
        """Return the reading of an array that was made for it: not checked, not copied, frozen."""
        sign.setflags(write=False)
        reading = object.__new__(cls)
        reading.__dict__.update(kind=kind, sign=sign)
        return reading

    def __repr__(self) -> str:
        return f"<Reading: {self.sign.size} rows of {self.kind!r}>"

    @property
    def meaning(self) -> Kind:
        """The kind of problem."""
        return kinds()[self.kind]

    def sets(self, position: ArrayLike, row: Rows = slice(None)) -> NDArray[np.intp]:
        """Return the set of each position, as an index into the names; ``row`` says whose."""
        return self.meaning.sets(self.sign[row], np.asarray(position))

    def words(self, position: ArrayLike, row: Rows = slice(None)) -> NDArray[np.str_]:
        """Return the name of the set of each position."""
        return SET_NAMES[self.sets(position, row)]

    def weights(self, staircase: Staircase) -> NDArray[np.float64]:
        """Return the weights that a staircase stands for."""
        return self.meaning.weights(staircase)
