"""The problem of one class: a function that is large on most of the weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.adjoint import Slopes
from weightpath.estimators.checks import check_fraction, check_some_weight, check_weights
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import Arrivals, Fitted, Functional, Judgement, Quantities
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.path import Reading
from weightpath.problems import Staircase, one_class_staircase

__all__ = ["OneClassProblem", "on_boundary"]

# A decision value within this fraction of the offset is a rounded zero: on the boundary.
_ON_BOUNDARY = 1e-12


@dataclass(frozen=True, eq=False)
class OneClassProblem(KernelProblem):
    """A one-class machine with the quantities "weight" and "nu".

    ``nu`` is the same for all instances; it is a quantity, so that it comes and goes with them.
    """

    moves: ClassVar[tuple[str, ...]] = ("sample_weight", "nu")
    unbalancing: ClassVar[tuple[str, ...]] = ("sample_weight", "nu")
    shown: ClassVar[dict[str, str]] = {"weights_": "weight"}

    @property
    def removal_concerns(self) -> str | None:
        """What a removal changes for all other instances: the sum of their coefficients."""
        return "total"

    def reading(self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any]) -> Reading:
        """Return the reading of some instances."""
        return Reading("one-class", np.ones(len(rows)))

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the weighted problem of some instances."""
        return one_class_staircase(quantities["weight"][rows], quantities["nu"][0])

    def weights(
        self, sample_weight: NDArray[np.float64], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return the weights as they are."""
        return sample_weight

    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise unless some instance has a weight."""
        check_some_weight(quantities["weight"])

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[OneClassProblem, Quantities]:
        """Return the quantities at new weights and another nu."""
        n, quantities = len(fitted.training), dict(fitted.quantities)
        if "sample_weight" in destination:
            weight = check_weights("sample_weight", destination["sample_weight"], n)
            quantities["weight"] = weight
        if "nu" in destination:
            quantities["nu"] = np.full(n, check_fraction("nu", destination["nu"], one=True))
        return self, quantities

    def quantities_between(self, start: Quantities, end: Quantities, theta: float) -> Quantities:
        """Return the quantities for which ``nu`` times the total weight is on a straight line."""
        between = super().quantities_between(start, end, theta)
        before, after = start["nu"][0], end["nu"][0]
        if before != after:
            shares = (1.0 - theta) * start["weight"].sum(), theta * end["weight"].sum()
            nu = np.average([before, after], weights=shares)
            between["nu"] = np.full(len(start["nu"]), nu)
        return between

    def judge(
        self,
        fitted: Fitted,
        index: NDArray[np.intp],
        values: NDArray[np.float64],
        break_ties: bool = False,
    ) -> Judgement:
        """Return 1 for inliers and -1 for outliers, and how far beyond the boundary they are."""
        value = on_boundary(values[:, 0], -fitted.subproblems[0].state.bias)
        losses = np.maximum(0.0, -value)
        return Judgement(np.where(value >= 0, 1, -1), losses, float(losses.mean()))

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives by weights and nu, both of which move the total."""
        (own,), quantities = slopes, fitted.quantities
        by_nu = float(quantities["weight"].sum()) * own.total
        return {"sample_weight": own.knots[:, 1] + quantities["nu"] * own.total, "nu": by_nu}

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check the weights of new instances."""
        n = X.shape[0]
        weight = check_weights("sample_weight", given.get("sample_weight"), n)
        new = {"weight": weight, "nu": np.full(n, fitted.quantities["nu"][0])}
        return Arrivals(X, np.zeros(n, dtype=np.intp), new, {})

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes, with offset and nu."""
        found = super().attributes(fitted)
        return {**found, "offset_": -found["intercept_"], "nu_": float(fitted.quantities["nu"][0])}


def on_boundary(values: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
    """Set decision values to zero, in place, that differ from it only by rounding; return them."""
    values[np.abs(values) <= _ON_BOUNDARY * abs(offset)] = 0.0
    return values
