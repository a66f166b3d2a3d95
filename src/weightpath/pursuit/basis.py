"""A basis: as many independent columns of a matrix as it has rows, with their inverse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

__all__ = ["Basis", "first_members"]

Reals = NDArray[np.float64]

# After so many exchanges the inverse is computed afresh.
_FRESH_EVERY = 32

# How many roundings of the largest terms a solution of a linear system may be off.
_ROUNDINGS = 16.0 * float(np.finfo(np.float64).eps)


class Basis:
    """Columns of a matrix that are a basis, and solutions of systems with them.

    Parameters
    ----------
    matrix : ndarray of shape (r, n)
        With independent rows.
    members : ndarray of int of shape (r,)
        The columns in the basis.
    noise : ndarray of shape (r, n) or None, default=None
        How far roundings may have moved the matrix.
    """

    def __init__(
        self, matrix: Reals, members: NDArray[np.intp], noise: Reals | None = None
    ) -> None:
        self.matrix, self.noise = matrix, noise
        self.members = np.array(members)
        self._refresh()

    def copy(self) -> Basis:
        """Return a basis that can be changed without changing this one."""
        other = object.__new__(Basis)
        other.__dict__.update(self.__dict__)
        for name in ("members", "_columns", "_inverse"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def solve(self, right: Reals, noise: Reals | None = None) -> tuple[Reals, Reals]:
        """Return the solution of ``B x = right`` and a bound of its rounding.

        ``noise`` is how far roundings have moved ``right``.
        """
        x, terms = self._refined(self._columns, self._inverse, right)
        if noise is not None:
            terms = terms + noise
        if self.noise is not None:
            terms = terms + self.noise[:, self.members] @ np.abs(x)
        return x, np.abs(self._inverse) @ terms

    def solve_column(self, column: int) -> tuple[Reals, Reals]:
        """Return a column in terms of the members, and a bound of its rounding."""
        noise = None if self.noise is None else self.noise[:, column]
        return self.solve(self.matrix[:, column], noise)

    def solve_transposed(self, right: Reals) -> tuple[Reals, Reals]:
        """Return the solution of ``B'u = right`` and a bound of its rounding."""
        u, terms = self._refined(self._columns.T, self._inverse.T, right)
        if self.noise is not None:
            terms = terms + self.noise[:, self.members].T @ np.abs(u)
        return u, np.abs(self._inverse.T) @ terms

    def exchange(self, position: int, column: int, image: Reals) -> None:
        """Replace a member; ``image`` is the solution of ``B x = column``."""
        self.members[position] = column
        self._n_exchanges += 1
        if self._n_exchanges >= _FRESH_EVERY:
            self._refresh()
            return
        self._columns[:, position] = self.matrix[:, column]
        row = self._inverse[position] / image[position]
        self._inverse -= np.outer(image, row)
        self._inverse[position] = row

    def _refresh(self) -> None:
        self._columns = self.matrix[:, self.members]
        self._inverse: Reals = np.asarray(np.linalg.inv(self._columns), dtype=np.float64)
        self._n_exchanges = 0

    @staticmethod
    def _refined(matrix: Reals, inverse: Reals, right: Reals) -> tuple[Reals, Reals]:
        """Return a solution with one step of refinement, and the roundings of its terms."""
        x = inverse @ right
        x = x + inverse @ (right - matrix @ x)
        return x, _ROUNDINGS * (np.abs(matrix) @ np.abs(x) + np.abs(right))


def first_members(matrix: Reals, preferred: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Return columns that are a basis of a matrix with independent rows.

    Preferred columns come first, as far as they are independent.
    """
    r = matrix.shape[0]
    if r == 0:
        return np.zeros(0, dtype=np.intp)
    if preferred is None or not len(preferred):
        members: NDArray[np.intp] = qr(matrix, mode="r", pivoting=True)[1][:r]
        return members
    factor, order = qr(matrix[:, preferred], mode="r", pivoting=True)
    pivots = np.abs(np.diagonal(factor))
    some = preferred[order[: int((pivots > 1e-9 * pivots.max()).sum())]]
    # What the preferred columns do not reach is reached by others.
    orthonormal = np.linalg.qr(matrix[:, some])[0]
    rest = matrix - orthonormal @ (orthonormal.T @ matrix)
    rest[:, some] = 0.0
    more = qr(rest, mode="r", pivoting=True)[1][: r - len(some)]
    return np.concatenate([some, more])
