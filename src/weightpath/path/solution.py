"""The exact solution at one theta of a path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.kind import SET_NAMES
from weightpath.small_tables import html_table

__all__ = ["Solution"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The exact solution at ``theta``.

    With one subproblem the shapes are as given. With several (one-vs-one) each array of
    coefficients has a leading axis over the subproblems, with zeros for rows that a subproblem does
    not use, ``intercept`` is an array, and ``outside``, ``margin`` and ``inside`` are tuples with
    one array for each subproblem.

    Attributes
    ----------
    theta : float
    dual_coef : ndarray of shape (n,)
        Signed coefficients of all training rows (``y_i alpha_i`` for a classifier).
    intercept : float
        The bias; the middle of its interval where it is not unique.
    weights : ndarray of shape (n,)
        The ``C_i``.
    outside, margin, inside : ndarray of int
        Training rows in each set.
    """

    theta: float
    dual_coef: Reals
    intercept: float | Reals
    weights: Reals
    outside: Index | tuple[Index, ...]
    margin: Index | tuple[Index, ...]
    inside: Index | tuple[Index, ...]
    evaluate_objective: Callable[[], float] = field(repr=False)

    @cached_property
    def objective(self) -> float:
        """The primal objective, summed over the subproblems; computed on first use."""
        return self.evaluate_objective()

    def __repr__(self) -> str:
        return (
            f"<Solution: theta={self.theta:.6g}, {np.count_nonzero(self.dual_coef)} support "
            f"vectors, {_total_size(self.margin)} at the margin>"
        )

    def _repr_html_(self) -> str:
        bias = self.intercept
        return html_table(
            "Solution",
            [
                ("theta", float(self.theta)),
                ("support vectors", int(np.count_nonzero(self.dual_coef))),
                *((name, _total_size(getattr(self, name))) for name in SET_NAMES.tolist()),
                ("intercept", bias if isinstance(bias, float) else f"{np.size(bias)} of them"),
            ],
        )


def _total_size(rows: Index | tuple[Index, ...]) -> int:
    """Return how many rows a set has, over all subproblems."""
    return sum(part.size for part in (rows if isinstance(rows, tuple) else (rows,)))
