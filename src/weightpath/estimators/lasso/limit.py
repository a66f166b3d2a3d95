r"""The lasso without penalties: the limit as ``alpha`` falls to zero.

At ``alpha = 0`` every least-squares solution is optimal. The model has the limit of its solutions
for :math:`\alpha \to 0+` at its penalty weights :math:`v`: of the least-squares solutions one with
the least :math:`\sum_j v_j |\beta_j|`, which is basis pursuit. A path on which the penalties fall
in proportion to :math:`v` ends there. The end is compared with the solution of that linear program,
which begins at the features that the path uses, and is replaced where it is not as good: where
penalties fell in other proportions, or features are too small to be seen in products.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.errors import PathError
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.pursuit import Program
from weightpath.pursuit.certificate import duality_gap
from weightpath.record.state import State
from weightpath.small_tables import html_table

if TYPE_CHECKING:
    from weightpath.estimators.lasso.features import FeatureData

__all__ = ["LimitCertificate", "at_limit", "limit_certificate"]

Reals = NDArray[np.float64]

# An end whose violation as a solution of basis pursuit is larger is replaced.
_EXACT = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class LimitCertificate:
    r"""Why no least-squares solution has a smaller weighted sum of absolute coefficients.

    With the dual vector :math:`u`, any least-squares solution :math:`z` has
    :math:`\sum_j v_j |z_j| \ge (X z)'u = (X \beta)'u = y'u`, if :math:`|x_j'u| \le v_j` for all
    features; with an intercept :math:`\sum_i u_i = 0`.

    Attributes
    ----------
    dual : ndarray of shape (n_samples,)
        The dual vector ``u``.
    objective : float
        The weighted sum of the absolute coefficients.
    gap : float
        How far ``objective`` may be above the least, zero but for rounding; infinite if ``u``
        exceeds a weight by more than rounding.
    violation : float
        The largest of misfit, dual excess and gap, relative to their terms.
    """

    dual: Reals
    objective: float
    gap: float
    violation: float

    def __repr__(self) -> str:
        return (
            f"<LimitCertificate: objective={self.objective:.6g}, gap={self.gap:.1e}, "
            f"violation={self.violation:.1e}>"
        )

    def _repr_html_(self) -> str:
        names = ("objective", "gap", "violation")
        return html_table("Certificate", [(name, getattr(self, name)) for name in names])


def at_limit(data: FeatureData, weight: Reals, there: Subproblem, target: Reals) -> Subproblem:
    """Return the end of a path without penalties, with the coefficients of the limit.

    Parameters
    ----------
    data : FeatureData
        The training data, weighted and centred.
    weight : ndarray of shape (n_features,)
        The penalty weights.
    there : Subproblem
        Where the path has led.
    target : ndarray of shape (n_samples,)
        The targets there.
    """
    beta = there.state.beta
    if not weight.any():
        # All least-squares solutions are as good.
        return there
    program = Program(data.rows.T, data.target(target))
    try:
        solved = program.solve(weight, np.flatnonzero(beta))
    except PathError:
        # A least-squares solution all the same; its certificate tells.
        return there
    coef = solved.coef
    least = weight @ np.abs(coef)
    costs_least = abs(weight @ np.abs(beta) - least) <= _EXACT * least
    if costs_least and program.violation(weight, beta, solved.dual) <= _EXACT:
        return there
    residual = there.stair.target - data.rows @ (data.rows.T @ coef)
    position = (1 + np.sign(coef)).astype(np.int32)
    margin = np.flatnonzero(coef).astype(np.intp)
    state = State(coef, 0.0, position, residual, margin, there.state.tolerance)
    return replace(there, state=state)


def limit_certificate(fitted: Fitted, quantities: Quantities) -> LimitCertificate:
    """Return the certificate of a lasso without penalties, computed from the data."""
    problem = fitted.problem
    data: FeatureData = problem.data(fitted.training)  # type: ignore[attr-defined]
    weight: Reals = problem.penalty_weight  # type: ignore[attr-defined]
    beta = fitted.subproblems[0].state.beta
    program = Program(data.rows.T, data.target(quantities["target"]))
    solved = program.solve(weight, np.flatnonzero(beta))
    root = np.sqrt(data.weight)
    dual = root * solved.dual
    if data.centre.any() or problem.centred:  # type: ignore[attr-defined]
        # The scaled features are orthogonal to what is taken off.
        dual = dual - data.weight * dual.sum()
    gap = duality_gap(program.matrix, weight, beta, solved.dual)
    violation = program.violation(weight, beta, solved.dual)
    return LimitCertificate(dual, float(weight @ np.abs(beta)), gap, violation)
