"""The exact solution at one theta of a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import freeze
from weightpath.problems.kind import SET_NAMES
from weightpath.small_tables import html_table

if TYPE_CHECKING:
    from weightpath.path.part import PathPart, Side
    from weightpath.path.solution_path import SolutionPath

__all__ = ["Solution", "solution_of", "total_objective"]

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
    z : tuple of float or None
        The parameters, where there are several; theta is then not a number.
    """

    theta: float
    dual_coef: Reals
    intercept: float | Reals
    weights: Reals
    outside: Index | tuple[Index, ...]
    margin: Index | tuple[Index, ...]
    inside: Index | tuple[Index, ...]
    evaluate_objective: Callable[[], float] = field(repr=False)
    z: tuple[float, ...] | None = None

    @cached_property
    def objective(self) -> float:
        """The primal objective, summed over the subproblems; computed on first use."""
        return self.evaluate_objective()

    @property
    def _place(self) -> tuple[str, str]:
        """What says where the solution is, and its value."""
        if self.z is None:
            return "theta", f"{self.theta:.6g}"
        return "z", f"({', '.join(f'{value:.6g}' for value in self.z)})"

    def __repr__(self) -> str:
        return (
            f"<Solution: {'='.join(self._place)}, {np.count_nonzero(self.dual_coef)} support "
            f"vectors, {_total_size(self.margin)} at the margin>"
        )

    def _repr_html_(self) -> str:
        bias = self.intercept
        return html_table(
            "Solution",
            [
                ("theta", float(self.theta)) if self.z is None else self._place,
                ("support vectors", int(np.count_nonzero(self.dual_coef))),
                *((name, _total_size(getattr(self, name))) for name in SET_NAMES.tolist()),
                ("intercept", bias if isinstance(bias, float) else f"{np.size(bias)} of them"),
            ],
        )


def _total_size(rows: Index | tuple[Index, ...]) -> int:
    """Return how many rows a set has, over all subproblems."""
    return sum(part.size for part in (rows if isinstance(rows, tuple) else (rows,)))


def solution_of(path: SolutionPath, theta: float, side: Side | None) -> Solution:
    """Return the solution of a path; see :meth:`weightpath.SolutionPath.at`."""
    n, count = path.n_rows, len(path.parts)
    coef, weights, bias = np.zeros((count, n)), np.zeros(n), np.zeros(count)
    sets: list[list[Index]] = [[], [], []]
    for k, part in enumerate(path.parts):
        rows = part.train_rows
        moment = part.moment(theta, side)
        coef[k, rows] = moment.beta
        bias[k] = part.intercept(theta, moment)
        weights[rows] = part.weights(theta)
        of_row = part.reading.sets(moment.position)
        for code, rows_in in enumerate(sets):
            rows_in.append(freeze(rows[of_row == code]))
    single = path.is_single
    outside, margin, inside = (s[0] if single else tuple(s) for s in sets)
    return Solution(
        theta,
        freeze(coef[0] if single else coef),
        float(bias[0]) if single else freeze(bias),
        freeze(weights),
        outside,
        margin,
        inside,
        partial(total_objective, path.parts, theta),
    )


def total_objective(parts: Sequence[PathPart], theta: float) -> float:
    """Return the primal objective at ``theta``, summed over subproblems."""
    return float(sum(part.objective(theta) for part in parts))
