"""The lasso's problem: its rows are the features, and observations come and go.

New observations change the products of the features, so the path of a change does not weigh them.
It lies on the *new* data: at theta = 0 the correlations ``X'y`` are shifted so that the present
coefficients are optimal, and the shift falls to zero at theta = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.engine import Options, State
from weightpath.engine.adjoint import Slopes
from weightpath.engine.trace import Trace
from weightpath.errors import PathError
from weightpath.estimators.checks import check_number, check_weights, per_row
from weightpath.estimators.lasso.features import (
    FeatureData,
    all_zero_state,
    first_penalty,
    per_feature,
    shifted_to,
)
from weightpath.estimators.lasso.limit import at_limit
from weightpath.estimators.lasso.scaled import follow_scaled
from weightpath.estimators.problem import (
    COLUMN_SHARE,
    Arrivals,
    Fitted,
    Functional,
    Judgement,
    Problem,
    Quantities,
    Trip,
)
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, Staying, TrainingSet
from weightpath.kernels import Columns
from weightpath.path import Reading
from weightpath.problems import Staircase

__all__ = ["LassoProblem", "LinearExpansion"]

# Memory in MB for products of scaled features.
_CACHE_MB = 160.0


@dataclass(frozen=True, eq=False)
class LinearExpansion:
    """A linear function of the features.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
        The coefficients.
    intercept : float
        The intercept.
    """

    coef: NDArray[np.float64]
    intercept: float

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the values at some instances."""
        values: NDArray[np.float64] = X @ self.coef + self.intercept
        return values

    def feature_weights(self) -> NDArray[np.float64]:
        """Return the weights of the features."""
        return self.coef


@dataclass(frozen=True, eq=False)
class LassoProblem(Problem):
    """A lasso with the quantities "penalty", one for each feature, and "target".

    Attributes
    ----------
    alpha : float
        The factor of all penalties.
    penalty_weight : ndarray of shape (n_features,)
        The penalties divided by it.
    centred : bool
        Whether there is an intercept.
    """

    alpha: float
    penalty_weight: NDArray[np.float64]
    centred: bool

    moves: ClassVar[tuple[str, ...]] = ("alpha", "penalty_weight", "y")
    row_by_row: ClassVar[tuple[str, ...]] = ("penalty_weight",)
    shown: ClassVar[dict[str, str]] = {"penalty_": "penalty"}
    lines: ClassVar[dict[str, str]] = {"alpha_": "alpha", "penalty_weight_": "penalty_weight"}
    fixed: ClassVar[dict[str, str]] = {"_centred": "centred"}
    per_row: ClassVar[dict[str, str]] = {"_sample_weight": "sample_weight"}

    def data(self, training: TrainingSet) -> FeatureData:
        """Return the training data, weighted and centred."""
        return FeatureData(training.X, training.per_row["sample_weight"], self.centred)

    @property
    def penalty(self) -> NDArray[np.float64]:
        """The penalties; one that overflows is infinite, for the check to see."""
        with np.errstate(over="ignore"):
            return self.alpha * self.penalty_weight

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the problem of all features."""
        return self.data(training).staircase(quantities["target"], quantities["penalty"])

    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise unless the penalties are finite."""
        if not np.isfinite(quantities["penalty"]).all():
            raise ValueError("alpha * penalty_weight overflows. Use smaller numbers.")

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[LassoProblem, Quantities]:
        """Return the problem and the quantities at new penalties and targets."""
        problem, quantities = self, dict(fitted.quantities)
        n, p = fitted.training.X.shape
        if "alpha" in destination:
            alpha = check_number("alpha", destination["alpha"], strict=False)
            problem = replace(problem, alpha=alpha)
        if "penalty_weight" in destination:
            weight = check_penalty_weight(destination["penalty_weight"], p)
            problem = replace(problem, penalty_weight=weight)
        if problem is not self:
            quantities["penalty"] = problem.penalty
        if "y" in destination:
            quantities["target"] = per_row("y", np.asarray(destination["y"]), n)
        return problem, quantities

    def between(self, end: Self, theta: float, quantities: Quantities) -> Self:
        """Return the problem at ``theta``: penalties are on a line, their factors need not be."""
        problem, penalty = super().between(end, theta, quantities), quantities["penalty"]
        if problem.alpha > 0 and (problem.penalty != penalty).any():
            problem = replace(problem, penalty_weight=penalty / problem.alpha)
        return problem

    def course(
        self, start: Fitted, subproblem: Subproblem, end: Quantities
    ) -> tuple[Subproblem, Staircase, Any]:
        """Return the way to other penalties and targets."""
        data = self.data(start.training)
        stair = data.staircase(end["target"], end["penalty"])
        return subproblem, stair, data.evaluation(start.quantities["target"], end["target"])

    def follow(
        self, training: TrainingSet, start: Subproblem, end: Staircase, options: Options
    ) -> tuple[Subproblem, Trace]:
        """Follow a path; where that fails, with features scaled to similar size."""
        try:
            return start.follow(end, options)
        except PathError:
            if options.ridge > 0.0:
                raise
            try:
                return follow_scaled(self.data(training), start, end, options, _CACHE_MB)
            except PathError:
                # What is said of the features as they are is what the user understands.
                pass
            raise

    def arrival(self, training: TrainingSet, there: Subproblem, end: Quantities) -> Subproblem:
        """Return where a path has led; without penalties the limit for ``alpha`` to zero."""
        if training.ridge > 0.0 or end["penalty"].any():
            return there
        return at_limit(self.data(training), self.penalty_weight, there, end["target"])

    def response(
        self, training: TrainingSet, subproblem: Subproblem
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the features' products times the coefficients, and their squares."""
        beta, rows = subproblem.state.beta, self.data(training).rows
        response = rows @ (rows.T @ beta) + training.ridge * beta
        return response, np.einsum("ij,ij->i", rows, rows) + training.ridge

    def judge(
        self,
        fitted: Fitted,
        index: NDArray[np.intp],
        values: NDArray[np.float64],
        break_ties: bool = False,
    ) -> Judgement:
        """Return the values themselves, and the squares of their errors."""
        value = values[:, 0]
        losses = (fitted.quantities["target"][index] - value) ** 2
        return Judgement(value, losses, float(losses.mean()))

    def functional(
        self,
        training: TrainingSet,
        subproblem: Subproblem,
        X: Any,
        cotangent: NDArray[np.float64],
        felt: Rows,
    ) -> Functional:
        """Return sums of features, centred as those of the training data are."""
        on_bias = float(cotangent.sum()) if self.centred else 0.0
        cost = np.asarray(cotangent @ X).ravel() - on_bias * self.data(training).centre
        return Functional(cost, on_bias)

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        r"""Return derivatives by penalties, targets and weights of observations.

        With :math:`\psi(x) = \lambda'(x - \bar x) + c_0`, where :math:`\lambda` are the derivatives
        by correlations, the target of an observation costs :math:`\psi(x_i)` times its share of the
        weight, and its weight :math:`\psi(x_i)` times its error, less what it takes off the share
        of all others.
        """
        (functional,), (own,), (subproblem,) = functionals, slopes, fitted.subproblems
        weight = fitted.training.per_row["sample_weight"]
        data, X = self.data(fitted.training), fitted.training.X
        values: NDArray[np.float64] = (X - data.centre) @ own.target + functional.on_bias
        error = fitted.quantities["target"] - fitted.values(X)
        # What the shares of all are worth: the correlations that the features in use have.
        worth = float(own.target @ subproblem.state.residual)
        worth += fitted.training.ridge * float(own.target @ subproblem.state.beta)
        by_penalty = own.levels[:, 1] - own.levels[:, 0]
        return {
            "alpha": float(self.penalty_weight @ by_penalty),
            "penalty_weight": self.alpha * by_penalty,
            "y": data.weight * values,
            "sample_weight": (error * values - worth) / weight.sum(),
        }

    def columns(self, training: TrainingSet, rows: Rows, cache_mb: float) -> Columns:
        """Return the columns of the matrix of the features' products."""
        return self.data(training).columns(cache_mb)

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes of a lasso."""
        coef = fitted.subproblems[0].state.beta.copy()
        weight, intercept = fitted.training.per_row["sample_weight"], 0.0
        if self.centred:
            share = weight / weight.sum()
            centre, offset = share @ fitted.training.X, share @ fitted.quantities["target"]
            intercept = float(offset - centre @ coef)
        return {
            "_expansion": LinearExpansion(coef, intercept),
            "alpha_": self.alpha,
            "penalty_weight_": self.penalty_weight,
            "active_": np.flatnonzero(coef),
            "intercept_": intercept,
        }

    def from_zero(self, training: TrainingSet, quantities: Quantities, cache_size: float) -> Trip:
        """Return the trip of a fit, which begins where all coefficients are zero."""
        data, y = self.data(training), quantities["target"]
        columns = data.columns(COLUMN_SHARE * check_number("cache_size", cache_size))
        end = data.staircase(y, quantities["penalty"])
        if not (np.isfinite(end.target).all() and np.isfinite(columns.diagonal).all()):
            raise ValueError("The products of the features overflow: scale X and y.")
        alpha, first = first_penalty(end.target, self.alpha, self.penalty_weight)
        stair = data.staircase(y, first)
        subproblem = _subproblem(columns, stair, all_zero_state(stair))
        problem = replace(self, alpha=alpha, penalty_weight=first / alpha)
        start = Fitted(training, problem, {"penalty": first, "target": y}, (subproblem,))
        return Trip(start, self, quantities)

    # Coming and going of observations ------------------------------------------------------

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check targets and weights of new observations."""
        X = X.toarray() if issparse(X) else X
        n = X.shape[0]
        weight = check_weights("sample_weight", given.get("sample_weight"), n)
        target = per_row("y", np.atleast_1d(np.asarray(y)), n)
        return Arrivals(X, np.zeros(n), {"target": target}, {"sample_weight": weight})

    def exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: Staying,
        final: Any,
        cache_mb: float,
    ) -> Trip:
        """Return the trip on the new data, from the present coefficients; see the module's text."""
        training, target = fitted.training.only(keep), fitted.quantities["target"][keep]
        if arrivals is not None:
            training = training.joined(arrivals.X, arrivals.labels, arrivals.per_row)
            target = np.append(target, arrivals.quantities["target"])
        if len(training) == 0:
            raise ValueError("All observations would go; at least one must stay.")
        if final is not None:
            weight = check_weights("sample_weight", final, len(training))
            training = replace(training, per_row={**training.per_row, "sample_weight": weight})
        if not training.per_row["sample_weight"].sum() > 0:
            raise ValueError("All sample weights would be zero: keep one observation.")
        quantities = {**fitted.quantities, "target": target}
        (present,) = fitted.subproblems
        data = self.data(training)
        columns = data.columns(cache_mb)
        end = data.staircase(target, quantities["penalty"])
        stair, state = shifted_to(columns, end, present.state.beta, training.ridge)
        start = Fitted(training, self, quantities, (_subproblem(columns, stair, state),))
        return Trip(start, self, quantities)

    def reduced(self, fitted: Fitted, stays: NDArray[np.bool_]) -> Fitted:
        """Return the same: departing observations are gone before the path begins."""
        return fitted


def _subproblem(columns: Any, stair: Staircase, state: State) -> Subproblem:
    rows = np.arange(len(stair))
    return Subproblem(rows, Reading("lasso", np.ones(len(rows))), columns, stair, state)


def check_penalty_weight(value: Any, p: int) -> NDArray[np.float64]:
    """Return the weights of the penalties: finite, not negative; ones if not given."""
    weight = np.ones(p) if value is None else per_feature("penalty_weight", value, p)
    negative = np.flatnonzero(weight < 0)
    if negative.size:
        raise ValueError(
            f"penalty_weight must not be negative, but that of feature {negative[0]} is "
            f"{weight[negative[0]]:g}. Zero makes a feature unpenalised."
        )
    return weight
