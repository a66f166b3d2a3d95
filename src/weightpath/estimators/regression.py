"""The problems of kernel regression: the epsilon-insensitive and the pinball loss."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.adjoint import Slopes
from weightpath.estimators.checks import (
    check_epsilon,
    check_fraction,
    check_some_weight,
    check_weights,
    per_row,
    products,
)
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import (
    Arrivals,
    Fitted,
    Functional,
    Judgement,
    Quantities,
    move_trade_off,
)
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.estimators.tube import stand_as
from weightpath.path import Reading
from weightpath.problems import Staircase, pinball_staircase, tube_staircase
from weightpath.problems.staircase import mix

__all__ = ["PinballProblem", "RegressionProblem", "TubeProblem"]


@dataclass(frozen=True, eq=False)
class RegressionProblem(KernelProblem):
    """A regression with the quantities "weight", "target" and those of the subclass.

    Attributes
    ----------
    C : float
        The trade-off parameter.
    """

    C: float

    lines: ClassVar[dict[str, str]] = {"C_": "C"}
    row_by_row: ClassVar[tuple[str, ...]] = ("y",)
    unbalancing: ClassVar[tuple[str, ...]] = ("sample_weight",)

    def weights(
        self, sample_weight: NDArray[np.float64], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return the ``C_i``."""
        return products(self.C, sample_weight)

    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise unless some instance has a weight."""
        check_some_weight(quantities["weight"])

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[RegressionProblem, Quantities]:
        """Return the problem and the quantities at new values of C, weights and targets."""
        n, problem, quantities = len(fitted.training), self, dict(fitted.quantities)
        if "C" in destination:
            problem, quantities = move_trade_off(self, quantities, destination)
        if "sample_weight" in destination:
            weight = check_weights("sample_weight", destination["sample_weight"], n)
            quantities["weight"] = products(problem.C, weight)
        if "y" in destination:
            quantities["target"] = per_row("y", destination["y"], n)
        return problem, quantities

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check targets and weights of new instances."""
        n = X.shape[0]
        y = np.atleast_1d(np.asarray(y))
        if y.shape != (n,):
            raise ValueError(
                f"y has shape {y.shape}, expected ({n},): one target for each row of X."
            )
        labels = np.zeros(n, dtype=np.intp)
        weight = check_weights("sample_weight", given.get("sample_weight"), n)
        new = {"weight": self.weights(weight, labels), "target": per_row("y", y, n)}
        return Arrivals(X, labels, new, {})

    def by_weights(
        self, weight: NDArray[np.float64], slopes: NDArray[np.float64]
    ) -> dict[str, Any]:
        """Return derivatives by sample weights and C from those by the ``C_i``."""
        return {"sample_weight": self.C * slopes, "C": float(slopes @ weight) / self.C}

    @abstractmethod
    def losses(
        self, error: NDArray[np.float64], quantities: Quantities, index: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the losses of errors, target minus prediction, of some instances."""

    def judge(
        self,
        fitted: Fitted,
        index: NDArray[np.intp],
        values: NDArray[np.float64],
        break_ties: bool = False,
    ) -> Judgement:
        """Return the values themselves, and their losses."""
        value = values[:, 0]
        error = fitted.quantities["target"][index] - value
        losses = self.losses(error, fitted.quantities, index)
        return Judgement(value, losses, float(losses.mean()))


@dataclass(frozen=True, eq=False)
class TubeProblem(RegressionProblem):
    """The epsilon-insensitive loss; it adds the quantity "epsilon"."""

    row_by_row: ClassVar[tuple[str, ...]] = ("y", "epsilon")
    moves: ClassVar[tuple[str, ...]] = ("C", "sample_weight", "epsilon", "y")
    shown: ClassVar[dict[str, str]] = {
        "weights_": "weight",
        "epsilon_": "epsilon",
        "target_": "target",
    }

    def reading(self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any]) -> Reading:
        """Return the reading of instances whose tubes may be open."""
        return Reading("svr", np.ones(len(rows)))

    def first_reading(
        self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any], quantities: Quantities
    ) -> Reading:
        """Return the reading in which tubes without width have their knot at zero merged away."""
        return Reading("svr", np.where(quantities["epsilon"][rows] == 0, 0.0, 1.0))

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the tubes of some instances."""
        return tube_staircase(
            quantities["target"][rows],
            quantities["weight"][rows],
            quantities["epsilon"][rows],
            reading.sign == 0,
        )

    def course(
        self, start: Fitted, subproblem: Subproblem, end: Quantities
    ) -> tuple[Subproblem, Staircase, Any]:
        """Return the way to other quantities, with open and closed tubes in their forms."""
        return super().course(start, self.prepared(subproblem, start.quantities, end), end)

    def prepared(self, subproblem: Subproblem, start: Quantities, end: Quantities) -> Subproblem:
        """Return a subproblem with the tubes merged that are closed at both ends of a path."""
        closed = (start["epsilon"] == 0) & (end["epsilon"] == 0)
        return stand_as(subproblem, closed[subproblem.rows])

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[RegressionProblem, Quantities]:
        """Return the problem and the quantities at new values, half-widths too."""
        problem, quantities = super().plan_move(fitted, destination)
        if "epsilon" in destination:
            quantities["epsilon"] = check_epsilon(destination["epsilon"], len(fitted.training))
        return problem, quantities

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives by weights, C, targets and half-widths.

        Of a tube without width that by a rising half-width: the sign of the coefficient says on
        which side of the tube the row will be.
        """
        (subproblem,), (own,) = fitted.subproblems, slopes
        merged = subproblem.reading.sign == 0
        side = np.sign(subproblem.state.beta) if merged.any() else 0.0
        middle = np.where(merged, own.knots[:, 1], 0.0)
        by_weight = own.knots[:, 2] - own.knots[:, 0] + middle
        lower, upper = own.levels[:, 1], own.levels[:, 2]
        return {
            **self.by_weights(fitted.quantities["weight"], by_weight),
            "y": own.target,
            "epsilon": np.where(merged, side * lower, upper - lower),
        }

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check targets, weights and half-widths of new instances."""
        found = super().arrivals(fitted, X, y, given)
        epsilon = given.get("epsilon")
        if epsilon is None:
            present = fitted.quantities["epsilon"]
            epsilon = present[0]
            if (present != epsilon).any():
                raise ValueError(
                    "The training instances have different epsilons: give those of the new ones, "
                    "epsilon=..."
                )
        found.quantities["epsilon"] = check_epsilon(epsilon, X.shape[0])
        return found

    def losses(
        self, error: NDArray[np.float64], quantities: Quantities, index: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return what errors have beyond the tubes."""
        return np.maximum(0.0, np.abs(error) - quantities["epsilon"][index])


@dataclass(frozen=True, eq=False)
class PinballProblem(RegressionProblem):
    """The pinball loss; it adds the quantity "quantile"."""

    unbalancing: ClassVar[tuple[str, ...]] = ("sample_weight", "quantile")
    moves: ClassVar[tuple[str, ...]] = ("C", "sample_weight", "quantile", "y")
    shown: ClassVar[dict[str, str]] = {
        "weights_": "weight",
        "quantiles_": "quantile",
        "target_": "target",
    }

    def reading(self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any]) -> Reading:
        """Return the reading of some instances."""
        return Reading("quantile", np.ones(len(rows)))

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the pinball losses of some instances."""
        return pinball_staircase(
            quantities["target"][rows], quantities["weight"][rows], quantities["quantile"][rows]
        )

    def quantities_between(self, start: Quantities, end: Quantities, theta: float) -> Quantities:
        """Return the quantities for which the bounds of the coefficients are on straight lines."""
        between = super().quantities_between(start, end, theta)
        weight = between["weight"]
        upper = mix(start["weight"] * start["quantile"], end["weight"] * end["quantile"], theta)
        moves = (weight > 0) & (start["quantile"] != end["quantile"])
        if moves.any():
            between["quantile"][moves] = upper[moves] / weight[moves]
        return between

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[RegressionProblem, Quantities]:
        """Return the problem and the quantities at new values, the quantile too."""
        problem, quantities = super().plan_move(fitted, destination)
        if "quantile" in destination:
            quantile = check_fraction("quantile", destination["quantile"])
            quantities["quantile"] = np.full(len(fitted.training), quantile)
        return problem, quantities

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives by weights, C, targets and the quantile of all instances."""
        (own,), quantities = slopes, fitted.quantities
        weight, quantile = quantities["weight"], quantities["quantile"]
        by_weight = (quantile - 1.0) * own.knots[:, 0] + quantile * own.knots[:, 1]
        return {
            **self.by_weights(weight, by_weight),
            "y": own.target,
            "quantile": float(weight @ own.knots.sum(axis=1)),
        }

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check targets and weights of new instances; their quantile is that of the others."""
        found = super().arrivals(fitted, X, y, given)
        found.quantities["quantile"] = np.full(X.shape[0], _mean_quantile(fitted.quantities))
        return found

    def losses(
        self, error: NDArray[np.float64], quantities: Quantities, index: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the pinball losses of errors."""
        quantile = quantities["quantile"][index]
        return np.maximum(quantile * error, (quantile - 1.0) * error)

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes, with one quantile for all."""
        return {**super().attributes(fitted), "quantile_": _mean_quantile(fitted.quantities)}


def _mean_quantile(quantities: Quantities) -> float:
    """Return the quantile of all instances that have a weight, or the weighted mean of theirs."""
    quantile, weight = quantities["quantile"], quantities["weight"]
    first = quantile[weight > 0][0]
    is_one = (quantile[weight > 0] == first).all()
    return float(first if is_one else np.average(quantile, weights=weight))
