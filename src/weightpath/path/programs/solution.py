"""The exact solution of a linear program machine at one theta."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.frozen import freeze
from weightpath.problems.kind import SET_NAMES
from weightpath.small_tables import html_table

if TYPE_CHECKING:
    from weightpath.path.programs.linear_program_path import LinearProgramPath
    from weightpath.path.programs.part import Side

__all__ = ["ProgramSolution", "solution_of"]

Reals = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class ProgramSolution:
    """The exact solution at ``theta``.

    With several subproblems (one-vs-one) each array of coefficients has a leading axis over them,
    ``intercept`` is an array, and the sets are tuples with one array for each subproblem.

    Attributes
    ----------
    theta : float
    coef : ndarray of shape (n_features,), or (n_samples,) with a kernel
        Coefficients of the columns: features, or kernels of the training rows.
    intercept : float
        The bias.
    dual_coef : ndarray of shape (n_samples,)
        Coefficients of the training rows in the dual program, signed.
    weights : ndarray of shape (n_samples,)
        The ``C_i``.
    outside, margin, inside : ndarray of int
        Training rows in each set.
    active : ndarray of int
        The columns with a coefficient.
    """

    theta: float
    coef: Reals
    intercept: float | Reals
    dual_coef: Reals
    weights: Reals
    outside: Index | tuple[Index, ...]
    margin: Index | tuple[Index, ...]
    inside: Index | tuple[Index, ...]
    evaluate_objective: Callable[[], float] = field(repr=False)

    @property
    def active(self) -> Index:
        """The columns with a coefficient, of any subproblem."""
        return np.flatnonzero(np.atleast_2d(self.coef).any(axis=0))

    @cached_property
    def objective(self) -> float:
        """The objective, summed over the subproblems; computed on first use."""
        return self.evaluate_objective()

    def __repr__(self) -> str:
        return (
            f"<ProgramSolution: theta={self.theta:.6g}, {self.active.size} of "
            f"{np.shape(self.coef)[-1]} coefficients>"
        )

    def _repr_html_(self) -> str:
        bias = self.intercept
        sizes = []
        for name in SET_NAMES.tolist():
            rows = getattr(self, name)
            sizes.append((name, sum(map(len, rows)) if isinstance(rows, tuple) else len(rows)))
        return html_table(
            "Solution",
            [
                ("theta", float(self.theta)),
                ("coefficients", int(self.active.size)),
                *sizes,
                ("intercept", bias if isinstance(bias, float) else f"{np.size(bias)} of them"),
            ],
        )


def solution_of(path: LinearProgramPath, theta: float, side: Side | None) -> ProgramSolution:
    """Return the solution of a path; see :meth:`weightpath.LinearProgramPath.at`."""
    n, count, width = path.X.shape[0], len(path.parts), path.n_columns
    coef, bias = np.zeros((count, width)), np.zeros(count)
    dual, weights = np.zeros((count, n)), np.zeros(n)
    sets: list[list[Index]] = [[], [], []]
    for k, part in enumerate(path.parts):
        moment, rows = part.moment(theta, side), part.train_rows
        coef[k, part.train_columns], bias[k] = moment.w, moment.bias
        dual[k, rows], weights[rows] = moment.beta, part.weights(theta)
        of_row = part.reading.sets(part.placed(theta, moment))
        for code, rows_in in enumerate(sets):
            rows_in.append(freeze(rows[of_row == code]))
    single = path.is_single
    outside, margin, inside = (s[0] if single else tuple(s) for s in sets)
    return ProgramSolution(
        theta,
        freeze(coef[0] if single else coef),
        float(bias[0]) if single else freeze(bias),
        freeze(dual[0] if single else dual),
        freeze(weights),
        outside,
        margin,
        inside,
        lambda: path.objective(theta),
    )
