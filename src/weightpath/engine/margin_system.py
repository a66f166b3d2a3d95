"""The margin system of a solution, solved for any right-hand side: with the factor that was kept.

A path leaves its loop, with the factor of the margin, at the solution that it reaches. Where there
is none, as after a fit with few free rows, the system is factored once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from weightpath import tolerances
from weightpath.engine.kept_loop import KeptLoop
from weightpath.kernels import Columns
from weightpath.problems.position import is_free
from weightpath.record.state import State

__all__ = ["MarginSystem"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]

# Smaller systems are factored at each solve, which takes less time than to keep their factor.
_SMALL = 24

# From right-hand side, total and whether to refine to solution and bias.
Solve = Callable[[Reals, float, bool], tuple[Reals, float]]


class MarginSystem:
    r"""The system :math:`K_M x + b 1 = c`, :math:`1'x = s` of the free rows of a solution.

    Without a bias only :math:`K_M x = c`.

    Parameters
    ----------
    columns : Columns
        The kernel matrix.
    state : State
        The solution, whose free rows are those of the system.
    has_bias : bool
        Whether there is a bias.
    ridge : float
        Added to the diagonal of the kernel matrix.

    Attributes
    ----------
    rows : ndarray of int, shape (n_margin,)
        The free rows, in the order of the system.
    """

    def __init__(self, columns: Columns, state: State, has_bias: bool, ridge: float) -> None:
        self.columns, self.has_bias, self.ridge = columns, has_bias, ridge
        self._state = state
        self.rows: Index = np.flatnonzero(is_free(state.position))
        self._solve: Solve | None = None

    def solve(self, right: Reals, total: float, refined: bool = True) -> tuple[Reals, float]:
        """Return the solution, in the order of ``rows``, and the bias.

        Parameters
        ----------
        right : ndarray of shape (n_margin,)
        total : float
        refined : bool, default=True
            Whether a step of refinement follows; not needed where the caller takes it.
        """
        if self.rows.size == 0:
            return np.empty(0), 0.0
        if self._solve is not None:
            return self._solve(right, total, refined)
        kept: KeptLoop | None = self._state.take()
        if kept is None:
            self._solve = self._factored()
            return self._solve(right, total, refined)
        try:
            found = self._by_kept_factor(kept, right, total, refined)
        finally:
            # The next path goes on with it as if nothing had been asked.
            self._state.keep(kept)
        if found is None:
            self._solve = self._factored()
            return self._solve(right, total, refined)
        return found

    def _by_kept_factor(
        self, kept: KeptLoop, right: Reals, total: float, refined: bool
    ) -> tuple[Reals, float] | None:
        """Return the solution by the factor of a loop; ``None`` if it is not one of these rows."""
        margin = kept.loop.state.margin
        members = np.array(margin.members, dtype=np.intp)
        if kept.number is not None:
            members = kept.number[members]
        fits = kept.columns is self.columns and margin.ridge == self.ridge
        if not fits or margin.n_changes > tolerances.KEPT_UPDATES:
            return None
        order = np.argsort(members, kind="stable")
        if not np.array_equal(members[order], self.rows):
            return None
        there = np.empty(len(order))
        there[order] = right
        found, bias = margin.solve(there, total, refined)
        return found[order], bias

    def _factored(self) -> Solve:
        """Return what solves the system, factored afresh."""
        K = np.array(self.columns.submatrix(self.rows), dtype=np.float64)
        if self.ridge:
            K[np.diag_indices_from(K)] += self.ridge
        if len(K) <= _SMALL:
            return _by_pivots(K, self.has_bias)
        lift = float(K.diagonal().mean()) if self.has_bias else 0.0
        try:
            # With a fixed sum of x, a constant added to K changes nothing but the bias.
            factor = cho_factor(K + lift, lower=True, check_finite=False)
        except LinAlgError:
            return _by_pivots(K, self.has_bias)
        ones = np.zeros(len(K))
        if self.has_bias:
            ones = cho_solve(factor, np.ones(len(K)), check_finite=False)

        def once(right: Reals, total: float) -> tuple[Reals, float]:
            x = cho_solve(factor, right, check_finite=False)
            if not self.has_bias:
                return x, 0.0
            b = float((x.sum() - total) / ones.sum())
            return x - b * ones, b + lift * total

        def solve(right: Reals, total: float, refined: bool) -> tuple[Reals, float]:
            x, b = once(right, total)
            if not refined:
                return x, b
            more, shift = once(right - K @ x - b, total - float(x.sum()))
            return x + more, b + shift

        return solve


def _by_pivots(K: Reals, has_bias: bool) -> Solve:
    """Return what solves a small system, or one of which rounding spoils a Cholesky factor."""
    m = len(K)
    system = K
    if has_bias:
        system = np.zeros((m + 1, m + 1))
        system[:m, :m], system[m, :m], system[:m, m] = K, 1.0, 1.0

    def solve(right: Reals, total: float, refined: bool) -> tuple[Reals, float]:
        side = np.append(right, total) if has_bias else right
        found = np.linalg.solve(system, side)
        if refined:
            found += np.linalg.solve(system, side - system @ found)
        return found[:m], float(found[m]) if has_bias else 0.0

    return solve
