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
    number : ndarray of int or None
        Their number for each row of the loop; ``None`` while they are those of the loop.
    """

    loop: Loop
    columns: Columns
    number: NDArray[np.intp] | None = None

    def handed_on(self, columns: Columns, number: NDArray[np.intp]) -> KeptLoop:
        """Return the same for a changed set of rows, in which each has a new number.

        Rows may come and go several times before a path goes on: the loop changes only then.
        """
        composed = number if self.number is None else number[self.number]
        return KeptLoop(self.loop, columns, composed)

    def wake(self) -> Loop:
        """Return the loop for the rows that are there now."""
        if self.number is None:
            return self.loop
        state = self.loop.state
        if self.columns.n != state.stairs.n or self.columns.structure is not None:
            return self.loop.heir(self.columns, self.number)
        # As many rows as before, as where a window slides: no memory needs to be found.
        state.renumber(self.columns, self.number)
        return self.loop
