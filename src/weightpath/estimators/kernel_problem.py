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

from weightpath.engine import Options, first_solution, solve
from weightpath.engine.threads import single_blas
from weightpath.estimators._row_weights import renumbered
from weightpath.estimators.checks import check_kernel, check_weights
from weightpath.estimators.expansion import KernelExpansion
from weightpath.estimators.problem import (
    COLUMN_SHARE,
    Arrivals,
    Effort,
    Fitted,
    Functional,
    Problem,
    Quantities,
    Trip,
)
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, Staying, TrainingSet, as_mask, staying
from weightpath.estimators.user_warnings import warn_beyond_precision
from weightpath.kernels import Columns
from weightpath.path import Reading
from weightpath.problems import Staircase

__all__ = ["Guess", "KernelProblem", "can_go"]

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
        """Return the problem and the weights of a changed training set, as a fit would.

        All other quantities stay as they are.
        """
        return self, quantities

    # First solutions -----------------------------------------------------------------------

    def rows_of_pair(self, pair: tuple[int, int], labels: NDArray[Any], first: int = 0) -> Rows:
        """Return the instances of a pair of classes; all where there are no classes.

        ``first`` is the number of the first instance.
        """
        return np.arange(first, first + len(labels))

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
        state = solve(columns, stair, *guess, Options(ridge=training.ridge), centered=True)
        warn_beyond_precision(stair, state)
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

    def functional(
        self,
        training: TrainingSet,
        subproblem: Subproblem,
        X: Any,
        cotangent: NDArray[np.float64],
        felt: Rows,
    ) -> Functional:
        """Return sums of kernel values with the instances, and of the cotangents."""
        cost, rows = np.zeros(len(subproblem.rows)), subproblem.rows[felt]
        cost[felt] = training.sums_at(rows, X, cotangent)
        return Functional(cost, float(cotangent.sum()))

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
            "shape_fit_": fitted.training.shape,
            **{name: getattr(self, own) for name, own in self.lines.items()},
        }

    # Coming and going of rows --------------------------------------------------------------

    def exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: Staying,
        final: Any,
        cache_mb: float,
        n_gone: int = 0,
        checked: bool = False,
    ) -> Trip:
        """Return the trip on which arrivals gain their weights and departing rows lose theirs.

        With ``n_gone`` the first rows, which have lost theirs before, are gone where it starts.
        The final weights may have been ``checked`` before.
        """
        start, end = fitted, fitted.quantities
        kept = staying(keep, len(fitted.training) - n_gone)
        if arrivals is not None:
            start = self.enlarged(fitted, arrivals, n_gone=n_gone)
            # All else is at once what it will be.
            weight, end = end["weight"], start.quantities
            if final is None:
                weight = np.concatenate([weight[n_gone:], arrivals.quantities["weight"]])
                end = {**end, "weight": weight}
            if isinstance(kept, slice):
                kept = slice(kept.start, len(start.training))
            else:
                kept = np.concatenate([kept, np.ones(len(arrivals.labels), dtype=bool)])
        labels, after = start.training.labels, end
        if kept.start != 0 if isinstance(kept, slice) else not kept.all():
            labels = labels[kept]
            after = {name: values[kept] for name, values in end.items()}
        if final is not None:
            weight = final
            if not checked:
                weight = check_weights("sample_weight", final, len(after["weight"]))
            after = {**after, "weight": self.weights(weight, labels)}
        self.check(after, labels)
        problem, after = self.rebalanced(labels, after)
        return Trip(start, problem, _all_weights(end, after["weight"], kept), kept)

    def without(
        self, quantities: Quantities, labels: NDArray[Any], stays: NDArray[np.bool_]
    ) -> Quantities:
        """Return the quantities of all instances when some are removed, as ``remove`` has them."""
        after = {name: values[stays] for name, values in quantities.items()}
        _, after = self.rebalanced(labels[stays], after)
        return _all_weights(quantities, after["weight"], stays)

    def reduced(self, fitted: Fitted, stays: Staying) -> Fitted:
        """Return where a model is without the rows that went."""
        n = len(fitted.training)
        if stays.start == 0 if isinstance(stays, slice) else stays.all():
            return fitted
        quantities = {name: values[stays] for name, values in fitted.quantities.items()}
        training = fitted.training.only(stays)
        smaller = []
        for subproblem in fitted.subproblems:
            if fitted.training.has_only(subproblem.rows):
                index, rows = stays, np.arange(len(training))
            else:
                mask = as_mask(stays, n)
                own = mask[subproblem.rows]
                index = staying(own, len(own))
                rows = (np.cumsum(mask) - 1)[subproblem.rows[own]]
            smaller.append(self._without_rows(subproblem, training, rows, index))
        return Fitted(training, self, quantities, tuple(smaller))

    def _without_rows(
        self,
        subproblem: Subproblem,
        training: TrainingSet,
        rows: Rows,
        index: Staying,
    ) -> Subproblem:
        """Return one subproblem without those of its rows that went, in a training set without."""
        if len(rows) == len(subproblem.rows):
            return replace(subproblem, rows=rows)
        columns = subproblem.columns.only(index)
        if columns is None:
            X = training.matrix(rows)
            if isinstance(index, slice):
                columns = subproblem.columns.slide(X, index.start, 0)
            else:
                columns = subproblem.columns.handover(X, np.flatnonzero(index), keep=False)
        return subproblem.reduce(index, columns, rows)

    def enlarged(
        self, fitted: Fitted, arrivals: Arrivals, keep: bool = False, n_gone: int = 0
    ) -> Fitted:
        """Return where a model is with arrivals at zero weight.

        Parameters
        ----------
        fitted : Fitted
            Where it is without them.
        arrivals : Arrivals
            The new rows.
        keep : bool, default=False
            Whether the columns of the model stay its own; if not, they are handed over.
        n_gone : int, default=0
            So many of the first rows, which have no weight, go at the same time.
        """
        if n_gone and not can_go(fitted, n_gone):
            stays = slice(n_gone, len(fitted.training))
            return self.enlarged(fitted.problem.reduced(fitted, stays), arrivals, keep)
        n = len(fitted.training) - n_gone
        training = fitted.training.joined(
            arrivals.X, arrivals.labels, arrivals.per_row, n_gone=n_gone
        )
        weightless = {**arrivals.quantities, "weight": np.zeros(len(arrivals.labels))}
        quantities = {
            name: np.concatenate([values[n_gone:], weightless[name]])
            for name, values in fitted.quantities.items()
        }
        larger = []
        for subproblem in fitted.subproblems:
            new = self.rows_of_pair(subproblem.pair, arrivals.labels, n)
            if new.size == 0:
                larger.append(subproblem)
                continue
            larger.append(self._with_rows(subproblem, training, new, quantities, keep, n_gone))
        return Fitted(training, self, quantities, tuple(larger))

    def enlarged_reading(
        self, subproblem: Subproblem, training: TrainingSet, rows: Rows, n_gone: int
    ) -> Reading:
        """Return the reading of rows of which the last are new; the first ``n_gone`` are gone."""
        sign = subproblem.reading.sign[n_gone:]
        arriving = self.reading(rows[len(sign) :], subproblem.pair, training.labels)
        return Reading.of_own(arriving.kind, np.concatenate([sign, arriving.sign]))

    def enlarged_staircase(
        self,
        stair: Staircase,
        training: TrainingSet,
        rows: Rows,
        reading: Reading,
        quantities: Quantities,
        n_gone: int = 0,
    ) -> Staircase:
        """Return the staircase of rows of which the last are new, and those before have this one.

        Its first ``n_gone`` rows are left out. Rows without weight change no total.
        """
        if n_gone:
            stair = stair.rows(slice(n_gone, len(stair)))
        n = len(stair)
        arriving = Reading.of_own(reading.kind, reading.sign[n:])
        return stair.followed_by(self.staircase(training, rows[n:], arriving, quantities))

    def _with_rows(
        self,
        subproblem: Subproblem,
        training: TrainingSet,
        new: Rows,
        quantities: Quantities,
        keep: bool,
        n_gone: int = 0,
    ) -> Subproblem:
        """Return one subproblem with new rows at zero weight, and without its first ones."""
        n = len(subproblem.rows) - n_gone
        rows = subproblem.rows
        if n_gone != len(new):
            # Where the first rows of all go, the others move up.
            rows = np.concatenate([rows[:n], new])
        reading = self.enlarged_reading(subproblem, training, rows, n_gone)
        stair = self.enlarged_staircase(
            subproblem.stair, training, rows, reading, quantities, n_gone
        )
        X = training.matrix(rows)
        if keep:
            source = np.concatenate([np.arange(n), np.full(len(new), -1)]).astype(np.intp)
            columns = subproblem.columns.handover(X, source, keep=True)
        else:
            columns = subproblem.columns.slide(X, n_gone, len(new))
        check_kernel(training.kernel, columns, training.ridge, n_known=n)
        return subproblem.enlarge(columns, rows, reading, stair, n_gone)


def can_go(fitted: Fitted, n_gone: int) -> bool:
    """Whether the first rows can go while others come: all do in every subproblem, none is free.

    Otherwise the margin, and with it perhaps the bias, changes where they go.
    """
    if 2 * n_gone > len(fitted.training):
        return False
    for one in fitted.subproblems:
        margin = one.state.margin
        if len(margin) == 0 or not fitted.training.has_only(one.rows):
            return False
        if renumbered(margin, n_gone) is None:
            return False
    return True


def _all_weights(quantities: Quantities, weight: NDArray[np.float64], stays: Staying) -> Quantities:
    """Return quantities with these weights of the rows that stay, and none of the others."""
    n = len(quantities["weight"])
    if len(weight) == n:
        return {**quantities, "weight": weight}
    everywhere = np.zeros(n)
    everywhere[stays] = weight
    return {**quantities, "weight": everywhere}
