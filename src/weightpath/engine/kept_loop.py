"""The loop that has found a solution, kept with it for the next path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._loop import Loop
from weightpath.kernels import Columns

__all__ = ["KeptLoop"]


class KeptLoop(NamedTuple):
    """A loop at rest.

    Attributes
    ----------
    loop : Loop
        The loop, with the margin and its factor.
    columns : Columns
        The kernel matrix of the rows that are there now.
    shift : int
        How much larger the number of each row of the loop is there.
    number : ndarray of int or None
        Their number for each row of the loop; ``None`` if all have only shifted.
    """

    loop: Loop
    columns: Columns
    shift: int = 0
    number: NDArray[np.intp] | None = None

    def shifted(self, columns: Columns, shift: int) -> KeptLoop:
        """Return the same for a changed set of rows: those that are left have shifted.

        Rows may come and go several times before a path goes on: the loop changes only then.
        """
        if self.number is not None:
            return KeptLoop(self.loop, columns, 0, self.number + shift)
        return KeptLoop(self.loop, columns, self.shift + shift)

    def handed_on(self, columns: Columns, number: NDArray[np.intp]) -> KeptLoop:
        """Return the same for a changed set of rows, in which each has a new number."""
        return KeptLoop(self.loop, columns, 0, number[self._numbers()])

    def wake(self) -> Loop:
        """Return the loop for the rows that are there now."""
        if self.columns is self.loop.state.columns:
            return self.loop
        if self.columns.structure is not None:
            return self.loop.heir(self.columns, self._numbers())
        self.loop.state.renumber(self.columns, self.shift, self.number)
        return self.loop

    def _numbers(self) -> NDArray[np.intp]:
        """The number of each row of the loop, among the rows that are there now."""
        if self.number is not None:
            return self.number
        return np.arange(self.shift, self.shift + self.loop.state.stairs.n, dtype=np.intp)
