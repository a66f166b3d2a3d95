"""The weighted hinge problem of preference pairs, and documents that come and go.

The pairs of new documents come with weight zero, and those of departing ones go when their weight
is zero again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.adjoint import Slopes
from weightpath.estimators.checks import check_kernel, products
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
    move_trade_off,
)
from weightpath.estimators.ranking.preferences import (
    check_queries,
    check_relevance,
    operator,
    resolve_pair_weight,
    transfer_state,
)
from weightpath.estimators.ranking.start import solve_ranking
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, Staying, TrainingSet, as_mask
from weightpath.kernels import Columns
from weightpath.path import Reading
from weightpath.path.pair_rows import PairRows
from weightpath.problems import PreferencePairs, Staircase, ranking_staircase

__all__ = ["RankingProblem"]

# The weight of a pair of new documents until it is known.
_NEW = -1.0


@dataclass(frozen=True, eq=False)
class RankingProblem(Problem):
    """A ranking with the quantity "weight", one number for each pair of documents.

    Attributes
    ----------
    C : float
        The trade-off parameter.
    pairs : PreferencePairs
        Which documents are to be ranked above which.
    """

    C: float
    pairs: PreferencePairs

    moves: ClassVar[tuple[str, ...]] = ("C", "pair_weight")
    shown: ClassVar[dict[str, str]] = {"weights_": "weight"}
    lines: ClassVar[dict[str, str]] = {"C_": "C"}
    per_row: ClassVar[dict[str, str]] = {"_query": "query"}

    @classmethod
    def restored(
        cls,
        values: dict[str, Any],
        labels: NDArray[Any],
        per_row: Mapping[str, NDArray[Any]],
        classes: NDArray[Any] | None,
    ) -> Self:
        """Return the problem that a saved path describes."""
        return cls(pairs=PreferencePairs.of(labels, per_row["query"]), **values)

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the hinges of all pairs."""
        return ranking_staircase(quantities["weight"])

    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise unless some pair has a weight."""
        weight = quantities["weight"]
        if not np.isfinite(weight).all():
            raise ValueError("C * pair_weight overflows. Use smaller numbers.")
        if not weight.any():
            raise ValueError("All weights of pairs are zero: there is nothing to learn from.")

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[RankingProblem, Quantities]:
        """Return the problem and the quantities at new values of C and weights of pairs."""
        problem, quantities = self, dict(fitted.quantities)
        if "C" in destination:
            problem, quantities = move_trade_off(self, quantities, destination)
        if "pair_weight" in destination:
            relevance = fitted.training.labels
            own = resolve_pair_weight(destination["pair_weight"], self.pairs, relevance)
            quantities["weight"] = products(problem.C, own)
        return problem, quantities

    def course(
        self, start: Fitted, subproblem: Subproblem, end: Quantities
    ) -> tuple[Subproblem, Staircase, Any]:
        """Return the way to other weights."""
        return subproblem, ranking_staircase(end["weight"]), PairRows(self.pairs)

    def response(
        self, training: TrainingSet, subproblem: Subproblem
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pairs' matrix times the coefficients, and its diagonal, from the data."""
        rows = PairRows(self.pairs)
        response = rows.own_product(training.kernel, training.X, subproblem.state.beta)
        return response, rows.own_diagonal(training.kernel, training.X)

    def functional(
        self,
        training: TrainingSet,
        subproblem: Subproblem,
        X: Any,
        cotangent: NDArray[np.float64],
        felt: Rows,
    ) -> Functional:
        """Return differences of sums of kernel values with the instances."""
        pairs = self.pairs
        needed = np.unique(np.concatenate([pairs.first[felt], pairs.second[felt]]))
        sums, cost = np.zeros(pairs.n_documents), np.zeros(len(pairs))
        sums[needed] = training.sums_at(needed, X, cotangent)
        cost[felt] = sums[pairs.first[felt]] - sums[pairs.second[felt]]
        return Functional(cost, 0.0)

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives by weights of pairs and C."""
        (own,), weight = slopes, fitted.quantities["weight"]
        by_weight = own.knots[:, 1]
        return {"pair_weight": self.C * by_weight, "C": float(by_weight @ weight) / self.C}

    def columns(self, training: TrainingSet, rows: Rows, cache_mb: float) -> Columns:
        """Return the columns of the pairs' matrix."""
        # The whole of ``cache_size`` is for kernel values of documents.
        return operator(training.kernel, training.X, self.pairs, cache_mb / COLUMN_SHARE)

    def solve(
        self, training: TrainingSet, quantities: Quantities, effort: Effort
    ) -> tuple[Subproblem, ...]:
        """Return the one subproblem, solved."""
        columns = operator(training.kernel, training.X, self.pairs, effort.cache_mb)
        check_kernel(training.kernel, columns.documents, 0.0)
        weight = quantities["weight"]
        state = solve_ranking(columns, weight, effort.tol, effort.verbose)
        return (self._subproblem(columns, weight, state),)

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes of a ranking."""
        coef = fitted.subproblems[0].state.beta.copy()
        of_document = self.pairs.gather(coef)
        support = np.flatnonzero(of_document).astype(np.int32)
        training = fitted.training
        vectors = np.empty((0, 0)) if training.is_precomputed else training.X[support]
        expansion = KernelExpansion(
            training.kernel, support, vectors, of_document[support, None], np.zeros(1)
        )
        return {
            "_expansion": expansion,
            "C_": self.C,
            "gamma_": training.kernel.gamma,
            "pairs_": self.pairs.table,
            "dual_coef_": coef,
            "support_": support,
            "document_coef_": expansion.coef[:, 0],
            "support_vectors_": vectors,
        }

    # Coming and going of documents ---------------------------------------------------------

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check relevances and queries of new documents."""
        present, qid = fitted.training.per_row["query"], given.get("qid")
        y = check_relevance(np.asarray(y))
        if y.shape != (X.shape[0],):
            raise ValueError(f"y has shape {y.shape}, expected ({X.shape[0]},).")
        if qid is None and present.any():
            raise ValueError("The model was fitted with queries: give qid for new documents too.")
        query = check_queries(qid, X.shape[0])
        if (query.dtype.kind in "US") != (present.dtype.kind in "US"):
            raise ValueError(
                f"qid has values of type {query.dtype}, but the model was fitted with "
                f"{present.dtype}: numbers and texts are never the same query."
            )
        return Arrivals(X, y, {}, {"query": query}, given["weight_rule"])

    def exchange(
        self,
        fitted: Fitted,
        arrivals: Arrivals | None,
        keep: Staying,
        final: Any,
        cache_mb: float,
    ) -> Trip:
        """Return the trip on which the pairs of documents gain or lose their weights."""
        problem, start, weight = self, fitted, fitted.quantities["weight"]
        if arrivals is not None:
            problem, start, weight = self._enlarged(fitted, arrivals)
        training, joint = start.training, problem.pairs
        n = len(fitted.training)
        stays = np.append(as_mask(keep, n), np.ones(len(training) - n, dtype=bool))
        after = _pairs_of(training, stays)
        if len(after) == 0:
            raise ValueError("No pair would be left: keep documents of different relevance.")
        kept = stays[joint.first] & stays[joint.second]
        rule = None if arrivals is None else arrivals.weight_rule
        own = self._final_weights(final, rule, after, training.labels[stays], weight[kept])
        self.check({"weight": own}, training.labels)
        end = np.zeros(len(joint))
        end[kept] = own
        return Trip(start, problem, {"weight": end}, stays)

    def reduced(self, fitted: Fitted, stays: NDArray[np.bool_]) -> Fitted:
        """Return where a model is without the documents that went."""
        if stays.all():
            return fitted
        training, joint = fitted.training.only(stays), self.pairs
        after, weight = _pairs_of(fitted.training, stays), fitted.quantities["weight"]
        weight = weight[stays[joint.first] & stays[joint.second]]
        (subproblem,) = fitted.subproblems
        rows = np.flatnonzero(stays).astype(np.intp)
        documents = subproblem.columns.documents.handover(training.X, rows, keep=False)
        columns = operator(training.kernel, training.X, after, 0.0, documents)
        number = np.where(stays, np.cumsum(stays) - 1, -1)
        values = np.zeros(after.n_documents)
        state, _ = transfer_state(subproblem.state, joint, after, number, values)
        problem = replace(self, pairs=after)
        smaller = problem._subproblem(columns, weight, state)
        return Fitted(training, problem, {"weight": weight}, (smaller,))

    def _subproblem(self, columns: Any, weight: NDArray[np.float64], state: Any) -> Subproblem:
        rows = np.arange(len(self.pairs))
        reading = Reading("ranking", np.ones(len(rows)))
        return Subproblem(rows, reading, columns, ranking_staircase(weight), state)

    def _final_weights(
        self,
        pair_weight: Any,
        rule: Any,
        after: PreferencePairs,
        relevance: NDArray[np.float64],
        present: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the weights of the pairs that are there afterwards."""
        if pair_weight is not None:
            return products(self.C, resolve_pair_weight(pair_weight, after, relevance))
        is_new = present == _NEW
        if not is_new.any():
            return present
        if not (isinstance(rule, str) or callable(rule)):
            raise ValueError(
                "The parameter pair_weight is an array, which says nothing about new pairs: give "
                "pair_weight for all pairs afterwards."
            )
        own = products(self.C, resolve_pair_weight(rule, after, relevance))
        return np.where(is_new, own, present)

    def _enlarged(
        self, fitted: Fitted, arrivals: Arrivals
    ) -> tuple[RankingProblem, Fitted, NDArray[np.float64]]:
        """Return the problem with arrivals, where a model is, and weights, ``_NEW`` if new."""
        n, (subproblem,) = len(fitted.training), fitted.subproblems
        training = fitted.training.joined(arrivals.X, arrivals.labels, arrivals.per_row)
        joint = PreferencePairs.of(training.labels, training.per_row["query"])
        source = np.append(np.arange(n), np.full(len(training) - n, -1)).astype(np.intp)
        documents = subproblem.columns.documents.handover(training.X, source, keep=False)
        check_kernel(training.kernel, documents, 0.0)
        columns = operator(training.kernel, training.X, joint, 0.0, documents)
        coef = np.zeros(len(training))
        coef[:n] = self.pairs.gather(subproblem.state.beta)
        values = np.asarray(documents.product(coef))
        state, origin = transfer_state(subproblem.state, self.pairs, joint, np.arange(n), values)
        old = fitted.quantities["weight"][origin]
        start = np.where(origin >= 0, old, 0.0)
        problem = replace(self, pairs=joint)
        larger = (problem._subproblem(columns, start, state),)
        where = Fitted(training, problem, {"weight": start}, larger)
        return problem, where, np.where(origin >= 0, old, _NEW)


def _pairs_of(training: TrainingSet, stays: NDArray[np.bool_]) -> PreferencePairs:
    """Return the pairs of the documents that stay."""
    return PreferencePairs.of(training.labels[stays], training.per_row["query"][stays])
