r"""The core of a basis: the square matrix of its rows at a level and columns with a coefficient.

At a vertex of a linear program as many rows :math:`M` are at a level as there are columns :math:`A`
with a coefficient, and one more for the bias. All that a pivot needs is the inverse of

.. math:: G = [1 \;\; \Phi_{MA}] ,

far smaller than a basis of the whole program. A pivot exchanges a row or a column of it, or both
come or go; the inverse is updated by the product form and made afresh now and then. Each solution
is refined by one step with the matrix itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.simplex.design import Design

__all__ = ["Core"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]


# The inverse is made afresh when an unrefined solution misses its right-hand side by more than this
# fraction of it: refinement then would not give full precision.
WORN = 1e-10


class Core:
    """The matrix :math:`G`, its inverse, and packed copies of its rows and columns of the design.

    Column 0 is that of the bias; column ``c`` belongs to ``features[c - 1]``.

    Parameters
    ----------
    design : Design
    rows : sequence of int
        The rows at a level.
    features : sequence of int
        The columns with a coefficient, one fewer.
    """

    def __init__(self, design: Design, rows: Index, features: Index):
        self.design = design
        k = len(rows)
        self.k, room = k, k + 8
        n, p = design.shape
        self._rows, self._features = np.zeros(room, np.intp), np.zeros(room, np.intp)
        self._rows[:k], self._features[1:k] = rows, features
        # Columns of A, the first of ones, and rows of M, packed so that products are one call.
        self._columns = np.empty((n, room), order="F")
        self._columns[:, 0] = 1.0
        self._row_values = np.empty((room, p))
        for c in range(1, k):
            self._columns[:, c] = design.column(int(features[c - 1]))
        for a in range(k):
            self._row_values[a] = design.row(int(rows[a]))
        self._G, self._inverse = np.zeros((room, room)), np.zeros((room, room))
        self.refactor()

    @property
    def rows(self) -> Index:
        """The rows at a level, in the order of the matrix."""
        return self._rows[: self.k]

    @property
    def features(self) -> Index:
        """The columns with a coefficient, in the order of the matrix, without the bias."""
        return self._features[1 : self.k]

    @property
    def columns(self) -> Reals:
        """The bias' and the features' columns of all rows, (n, k)."""
        return self._columns[:, : self.k]

    @property
    def row_values(self) -> Reals:
        """All features of the rows at a level, (k, p)."""
        return self._row_values[: self.k]

    @property
    def inverse(self) -> Reals:
        """The inverse as it was updated: good to rounding, not refined."""
        return self._inverse[: self.k, : self.k]

    def refactor(self) -> None:
        """Make the inverse afresh; ``LinAlgError`` if the matrix is singular."""
        k = self.k
        self._G[:k, :k] = self._columns[self._rows[:k], :k]
        # In place: what reads the inverse sees the new one.
        self._inverse[:k, :k] = np.linalg.inv(self._G[:k, :k])
        self.n_updates = 0

    def solve(self, right: Reals) -> Reals:
        """Return ``x`` with ``G x = right``, refined; right may have several columns."""
        return self._solved(right, transposed=False)

    def solve_transposed(self, right: Reals) -> Reals:
        """Return ``y`` with ``G' y = right``, refined; right may have several columns."""
        return self._solved(right, transposed=True)

    def _solved(self, right: Reals, transposed: bool) -> Reals:
        """Return a solution, refined; the inverse is made afresh if it is found to be inexact."""
        inverse, G = self.inverse, self._G[: self.k, : self.k]
        if transposed:
            inverse, G = inverse.T, G.T
        x = inverse @ right
        left = right - G @ x
        if self.n_updates and not np.abs(left).max() <= WORN * np.abs(right).max():
            self.refactor()
            x = inverse @ right
            left = right - G @ x
        return np.asarray(x + inverse @ left)

    # Pivots --------------------------------------------------------------------------------

    def exchange_row(self, a: int, row: int) -> None:
        """Let another row take the position of row ``a`` of the matrix."""
        self._put_row(a, row)
        u = self._G[a, : self.k] @ self.inverse
        new = self.inverse[:, a] / u[a]
        u[a] = 0.0
        self.inverse[...] -= np.outer(new, u)
        self.inverse[:, a] = new
        self.n_updates += 1

    def exchange_column(self, c: int, feature: int) -> None:
        """Let another feature take the position of column ``c`` of the matrix."""
        self._put_column(c, feature)
        u = self.inverse @ self._G[: self.k, c]
        new = self.inverse[c] / u[c]
        u[c] = 0.0
        self.inverse[...] -= np.outer(u, new)
        self.inverse[c] = new
        self.n_updates += 1

    def grow(self, row: int, feature: int) -> None:
        """Add a row and a column at the end of the matrix."""
        k = self.k
        if k == len(self._rows):
            self._make_room()
        self._put_column(k, feature)
        self.k = k + 1
        self._put_row(k, row)
        old = self._inverse[:k, :k]
        left, above = old @ self._G[:k, k], self._G[k, :k] @ old
        pivot = self._G[k, k] - self._G[k, :k] @ left
        old += np.outer(left, above / pivot)
        self._inverse[:k, k], self._inverse[k, :k] = -left / pivot, -above / pivot
        self._inverse[k, k] = 1.0 / pivot
        self.n_updates += 1

    def shrink(self, a: int, c: int) -> None:
        """Take row ``a`` and column ``c`` out; the last ones take their positions."""
        k, inverse = self.k, self.inverse
        inverse -= np.outer(inverse[:, a], inverse[c] / inverse[c, a])
        last = k - 1
        # Row a of the matrix is column a of its inverse.
        self._rows[a], self._features[c] = self._rows[last], self._features[last]
        self._row_values[a], self._G[a, :k] = self._row_values[last], self._G[last, :k]
        self._columns[:, c], self._G[:k, c] = self._columns[:, last], self._G[:k, last]
        inverse[:, a], inverse[c] = inverse[:, last], inverse[last]
        self.k = last
        self.n_updates += 1

    def _put_row(self, a: int, row: int) -> None:
        self._rows[a] = row
        self._row_values[a] = self.design.row(row)
        self._G[a, : self.k] = self._columns[row, : self.k]

    def _put_column(self, c: int, feature: int) -> None:
        self._features[c] = feature
        self._columns[:, c] = self.design.column(feature)
        self._G[: self.k, c] = self._columns[self._rows[: self.k], c]

    def _make_room(self) -> None:
        room = 2 * len(self._rows)
        for name in ("_rows", "_features"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros(room - len(old), np.intp)]))
        columns = np.empty((self._columns.shape[0], room), order="F")
        columns[:, : self.k] = self.columns
        row_values = np.empty((room, self._row_values.shape[1]))
        row_values[: self.k] = self.row_values
        self._columns, self._row_values = columns, row_values
        for name in ("_G", "_inverse"):
            square = np.zeros((room, room))
            square[: self.k, : self.k] = getattr(self, name)[: self.k, : self.k]
            setattr(self, name, square)
