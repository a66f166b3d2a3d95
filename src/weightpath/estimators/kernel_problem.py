"""Problems of kernel machines: instances with weights, first solutions, and rows that come and go.

Arrivals join with weight zero, which changes nothing; then all quantities move, the weights of
departing instances to zero; then those are dropped, which again changes nothing. One path.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import Options, center_bias, first_solution, kappa_of, solve
from weightpath.engine.threads import single_blas
from weightpath.estimators.checks import check_kernel, check_weights
from weightpath.estimators.expansion import KernelExpansion
from weightpath.estimators.problem import (
    COLUMN_SHARE,
    Arrivals,
    Effort,
    Fitted,
    Problem,
    Quantities,
    Trip,
)
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.estimators.user_warnings import warn_beyond_precision
from weightpath.kernels import Columns
from weightpath.path import Reading

__all__ = ["Guess", "KernelProblem"]

# Coefficients and bias.
Guess = tuple[NDArray[np.float64], float]


@dataclass(frozen=True, eq=False)
class KernelProblem(Problem):
    """A problem on instances with the quantity "weight"; a subproblem for each pair of classes."""

    # What a subclass defines ---------------------------------------------------------------

    @property
    def removal_concerns(self) -> str | None:
        """What a removal changes for all other instances: "staircases", the "total", or nothing."""
        return None

    def prepared(self, subproblem: Subproblem, start: Quantities, end: Quantities) -> Subproblem:
        """Return a subproblem in the form in which it can go from some quantities to others."""
        return subproblem

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes of each subproblem, the positive one first."""
        return [(1, 0)]

    @abstractmethod
    def reading(self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any]) -> Reading:
        """Return the reading of one subproblem."""

    @abstractmethod
    def weights(
        self, sample_weight: NDArray[np.float64], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return the quantity "weight" of instances with these weights and labels."""

    def rebalanced(
        self, labels: NDArray[Any], quantities: Quantities
    ) -> tuple[KernelProblem, Quantities]:
        """Return the problem and the quantities of a changed training set, as a fit would."""
        return self, quantities

    # First solutions -----------------------------------------------------------------------

    def rows_of_pair(self, pair: tuple[int, int], labels: NDArray[Any]) -> Rows:
        """Return the instances of a pair of classes; all where there are no classes."""
        return np.arange(len(labels))

    def solve(
        self, training: TrainingSet, quantities: Quantities, effort: Effort
    ) -> tuple[Subproblem, ...]:
        """Return the subproblems, solved."""
        pairs = self.pairs
        share = effort._replace(cache_mb=effort.cache_mb / len(pairs))
        with single_blas():
            return tuple(self.solve_pair(training, quantities, share, pair) for pair in pairs)

    def solve_pair(
        self,
        training: TrainingSet,
        quantities: Quantities,
        effort: Effort,
        pair: tuple[int, int] = (1, 0),
        guess: Guess | None = None,
    ) -> Subproblem:
        """Return one subproblem, solved; from an approximate solution, if given."""
        rows = self.rows_of_pair(pair, training.labels)
        reading = self.first_reading(rows, pair, training.labels, quantities)
        columns = self.columns(training, rows, COLUMN_SHARE * effort.cache_mb)
        check_kernel(training.kernel, columns, training.ridge)
        stair = self.staircase(training, rows, reading, quantities)
        if guess is None:
            guess = first_solution(columns, stair, effort.tol, training.ridge)
        state = solve(columns, stair, *guess, Options(ridge=training.ridge))
        warn_beyond_precision(stair, state)
        state = center_bias(stair, state, kappa_of(columns, training.ridge))
        return Subproblem(rows, reading, columns, stair, state, pair)

    def first_reading(
        self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any], quantities: Quantities
    ) -> Reading:
        """Return the reading with which a subproblem is solved at first."""
        return self.reading(rows, pair, labels)

    def columns(self, training: TrainingSet, rows: Rows, cache_mb: float) -> Columns:
        """Return the columns of the kernel matrix of some instances."""
        return training.columns(rows, cache_mb)

    def response(
        self, training: TrainingSet, subproblem: Subproblem
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the kernel matrix times the coefficients, and its diagonal, from the data."""
        kernel, beta = training.kernel, subproblem.state.beta
        own = training.matrix(subproblem.rows)
        response = kernel.product(own, own, beta) + training.ridge * beta
        return response, kernel.diagonal(own) + training.ridge

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes of a kernel machine."""
        expansion = KernelExpansion.of(fitted.training, fitted.subproblems)
        return {
            "_expansion": expansion,
            "gamma_": fitted.training.kernel.gamma,
            "support_": expansion.support,
            "n_support_": np.array([expansion.support.size], dtype=np.int32),
            "support_vectors_": expansion.vectors,
            "intercept_": expansion.intercept,
            "dual_coef_": expansion.coef.T.copy(),
            "n_iter_": 1,
            "fit_status_": 0,
            "shape_fit_": fitted.training.X.shape,
            **{name: getattr(self, own) for name, own in self.lines.items()},
        }

    # Coming and going of rows --------------------------------------------------------------

    def exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: NDArray[np.bool_],
        final: Any,
        cache_mb: float,
    ) -> Trip:
        """Return the trip on which arrivals gain their weights and departing rows lose theirs."""
        start, end = fitted, fitted.quantities
        if arrivals is not None:
            start = self.enlarged(fitted, arrivals)
            end = {
                name: np.append(values, arrivals.quantities[name]) for name, values in end.items()
            }
        labels = start.training.labels
        stays = np.append(keep, np.ones(len(labels) - len(keep), dtype=bool))
        after = {name: values[stays] for name, values in end.items()}
        if final is not None:
            weight = check_weights("sample_weight", final, len(after["weight"]))
            after["weight"] = self.weights(weight, labels[stays])
        self.check(after, labels[stays])
        problem, after = self.rebalanced(labels[stays], after)
        end = {name: np.array(values) for name, values in end.items()}
        for name, values in after.items():
            end[name][stays] = values
        end["weight"][~stays] = 0.0
        return Trip(start, problem, end, stays)

    def without(
        self, quantities: Quantities, labels: NDArray[Any], stays: NDArray[np.bool_]
    ) -> Quantities:
        """Return the quantities of all instances when some are removed, as ``remove`` has them."""
        after = {name: values[stays] for name, values in quantities.items()}
        _, after = self.rebalanced(labels[stays], after)
        end = {name: np.array(values) for name, values in quantities.items()}
        for name, values in after.items():
            end[name][stays] = values
        end["weight"][~stays] = 0.0
        return end

    def reduced(self, fitted: Fitted, stays: NDArray[np.bool_]) -> Fitted:
        """Return where a model is without the rows that went."""
        quantities = {name: values[stays] for name, values in fitted.quantities.items()}
        if stays.all():
            return replace(fitted, quantities=quantities)
        training = fitted.training.only(stays)
        number = np.cumsum(stays) - 1
        smaller = []
        for subproblem in fitted.subproblems:
            keep = stays[subproblem.rows]
            rows = number[subproblem.rows[keep]]
            reading = replace(subproblem.reading, sign=subproblem.reading.sign[keep])
            stair = self.staircase(training, rows, reading, quantities)
            columns = subproblem.columns
            if not keep.all():
                own = training.matrix(rows)
                columns = columns.handover(own, np.flatnonzero(keep), keep=False)
            smaller.append(subproblem.reduce(keep, columns, rows, reading, stair))
        return Fitted(training, self, quantities, tuple(smaller))

    def enlarged(self, fitted: Fitted, arrivals: Arrivals, keep: bool = False) -> Fitted:
        """Return where a model is with arrivals at zero weight.

        ``keep``: whether the columns of the model stay its own; if not, they are handed over.
        """
        n = len(fitted.training)
        training = fitted.training.joined(arrivals.X, arrivals.labels, arrivals.per_row)
        weightless = {**arrivals.quantities, "weight": np.zeros(len(arrivals.labels))}
        quantities = {
            name: np.append(values, weightless[name]) for name, values in fitted.quantities.items()
        }
        larger = []
        for subproblem in fitted.subproblems:
            new = n + self.rows_of_pair(subproblem.pair, arrivals.labels)
            if new.size == 0:
                larger.append(subproblem)
                continue
            larger.append(self._with_rows(subproblem, training, new, quantities, keep))
        return Fitted(training, self, quantities, tuple(larger))

    def _with_rows(
        self,
        subproblem: Subproblem,
        training: TrainingSet,
        new: Rows,
        quantities: Quantities,
        keep: bool,
    ) -> Subproblem:
        """Return one subproblem with new rows at zero weight."""
        n, state = len(subproblem.rows), subproblem.state
        rows = np.append(subproblem.rows, new)
        arriving = self.reading(new, subproblem.pair, training.labels)
        reading = replace(
            subproblem.reading, sign=np.append(subproblem.reading.sign, arriving.sign)
        )
        stair = self.staircase(training, rows, reading, quantities)
        source = np.append(np.arange(n), np.full(len(new), -1)).astype(np.intp)
        columns = subproblem.columns.handover(training.matrix(rows), source, keep=keep)
        check_kernel(training.kernel, columns, training.ridge)
        value = training.values_at(new, subproblem.rows, state.beta)
        residual = stair.target[n:] - value - state.bias * stair.has_bias
        return subproblem.enlarge(columns, rows, reading, stair, residual)
