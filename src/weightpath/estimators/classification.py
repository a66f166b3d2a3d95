"""The weighted hinge problem of two or more classes, one against one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.adjoint import Slopes
from weightpath.estimators._row_weights import (
    are_all_weighted,
    class_products,
    class_totals,
    signs_of,
)
from weightpath.estimators.checks import (
    check_cotangent,
    check_weights,
    encode_labels,
    per_row,
    products,
)
from weightpath.estimators.class_weights import (
    balanced_factors,
    balanced_slopes,
    is_balanced,
    resolve_class_weight,
)
from weightpath.estimators.hinge_window import window_trip
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import (
    WEIGHTS_COME_LATER,
    Arrivals,
    Fitted,
    Functional,
    Judgement,
    Quantities,
    Trip,
    Values,
    move_trade_off,
)
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import Rows, Staying, TrainingSet
from weightpath.metrics.votes import one_vs_rest_slopes, one_vs_rest_values, vote
from weightpath.path import Reading
from weightpath.problems import Staircase, hinge_staircase

__all__ = ["HingeProblem"]


@dataclass(frozen=True, eq=False)
class HingeProblem(KernelProblem):
    """A classification with the quantities "weight" and "margin".

    With two classes there is one subproblem, positive for the second class; with more there is one
    for each pair, positive for the first of the pair.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The class labels.
    C : float
        The trade-off parameter.
    class_weight : ndarray of shape (n_classes,)
        Factors of C for each class.
    balanced : bool
        Whether these factors follow from the weights of the instances.
    """

    classes: NDArray[Any]
    C: float
    class_weight: NDArray[np.float64]
    balanced: bool

    moves: ClassVar[tuple[str, ...]] = ("C", "sample_weight", "margin", "class_weight")
    row_by_row: ClassVar[tuple[str, ...]] = ("margin",)
    unbalancing: ClassVar[tuple[str, ...]] = ("sample_weight",)
    may_be_none: ClassVar[tuple[str, ...]] = ("class_weight",)
    shown: ClassVar[dict[str, str]] = {"weights_": "weight", "margin_": "margin"}
    lines: ClassVar[dict[str, str]] = {"C_": "C", "class_weight_": "class_weight"}
    fixed: ClassVar[dict[str, str]] = {"_balanced": "balanced"}

    @classmethod
    def restored(
        cls,
        values: dict[str, Any],
        labels: NDArray[Any],
        per_row: Mapping[str, NDArray[Any]],
        classes: NDArray[Any] | None,
    ) -> Self:
        """Return the problem that a saved path describes."""
        if classes is None:
            raise ValueError("A path of a classifier names its classes.")
        return cls(classes, **values)

    @property
    def removal_concerns(self) -> str | None:
        """What a removal changes for all other instances: the factors of balanced classes."""
        return "staircases" if self.balanced else None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes of each subproblem, the positive one first."""
        n = len(self.classes)
        return list(combinations(range(n), 2)) if n > 2 else [(1, 0)]

    def rows_of_pair(self, pair: tuple[int, int], labels: NDArray[Any], first: int = 0) -> Rows:
        """Return the instances of a pair of classes; ``first`` is the number of the first one."""
        if len(self.classes) == 2:
            return np.arange(first, first + len(labels))
        rows = np.flatnonzero((labels == pair[0]) | (labels == pair[1]))
        return rows + first if first else rows

    def reading(self, rows: Rows, pair: tuple[int, int], labels: NDArray[Any]) -> Reading:
        """Return the reading of a pair of classes."""
        return Reading.of_own("svc", signs_of(labels, rows, pair[0]))

    def staircase(
        self, training: TrainingSet, rows: Rows, reading: Reading, quantities: Quantities
    ) -> Staircase:
        """Return the weighted hinges of some instances."""
        weight, margin = quantities["weight"], quantities["margin"]
        if not training.has_only(rows):
            weight, margin = weight[rows], margin[rows]
        return hinge_staircase(reading.sign, weight, margin)

    def enlarged_reading(
        self, subproblem: Subproblem, training: TrainingSet, rows: Rows, n_gone: int
    ) -> Reading:
        """Return the reading of instances of which the last are new, from the labels of all."""
        return self.reading(rows, subproblem.pair, training.labels)

    def enlarged_staircase(
        self,
        stair: Staircase,
        training: TrainingSet,
        rows: Rows,
        reading: Reading,
        quantities: Quantities,
        n_gone: int = 0,
    ) -> Staircase:
        """Return the weighted hinges of instances of which the last are new.

        Those before are the same again, and cost less to make than to copy.
        """
        return self.staircase(training, rows, reading, quantities)

    def weights(
        self, sample_weight: NDArray[np.float64], labels: NDArray[Any]
    ) -> NDArray[np.float64]:
        """Return the ``C_i``; of many paths at once, if there is a row of weights for each."""
        if sample_weight.ndim > 1:
            return products(self.C, self.class_weight[labels], sample_weight)
        return class_products(self.C, self.class_weight, labels, sample_weight)

    def check(self, quantities: Quantities, labels: NDArray[Any]) -> None:
        """Raise unless every class has an instance of positive weight."""
        weight = quantities["weight"]
        if are_all_weighted(labels, weight, len(self.classes)):
            return
        total = class_totals(labels, weight, len(self.classes))
        # The sum of weights that are finite may be infinite.
        if not np.isfinite(weight).all():
            raise ValueError("C * class_weight * sample_weight overflows. Use smaller numbers.")
        if total.min() > 0:
            return
        empty = np.flatnonzero(total <= 0)
        name = repr(self.classes.tolist()[empty[0]])
        is_gone = not (labels == empty[0]).any()
        what = f"No instance of class {name} is left"
        raise ValueError(
            f"{what if is_gone else f'All weights of class {name} are zero'}: every class needs an "
            "instance of positive weight. Keep one, if only with a small weight, or fit again "
            "without the class."
        )

    def plan_move(
        self, fitted: Fitted, destination: Mapping[str, Any]
    ) -> tuple[HingeProblem, Quantities]:
        """Return the problem and the quantities at new values of C, weights and margins."""
        labels = fitted.training.labels
        n, problem, quantities = len(labels), self, dict(fitted.quantities)
        if "C" in destination:
            problem, quantities = move_trade_off(self, quantities, destination)
        if "sample_weight" in destination or "class_weight" in destination:
            problem, weight = problem.reweighted(labels, quantities["weight"], destination)
            quantities["weight"] = weight
        if "margin" in destination:
            quantities["margin"] = per_row("margin", destination["margin"], n)
        return problem, quantities

    def reweighted(
        self, labels: NDArray[Any], weight: NDArray[np.float64], destination: Mapping[str, Any]
    ) -> tuple[HingeProblem, NDArray[np.float64]]:
        """Return the problem and the ``C_i`` at new weights of instances or factors of classes."""
        if "sample_weight" in destination:
            own = check_weights("sample_weight", destination["sample_weight"], len(labels))
        else:
            own = weight / (self.C * self.class_weight[labels])
        problem = self
        if "class_weight" in destination:
            rule = destination["class_weight"]
            problem = replace(self, balanced=is_balanced(rule))
            if not problem.balanced:
                factors = resolve_class_weight(rule, self.classes, labels, own)
                problem = replace(problem, class_weight=factors)
        if problem.balanced:
            self.check({"weight": self.weights(own, labels)}, labels)
            factors = balanced_factors(len(self.classes), labels, own)
            problem = replace(problem, class_weight=factors)
        return problem, problem.weights(own, labels)

    def between(self, end: Self, theta: float, quantities: Quantities) -> Self:
        """Return the problem at ``theta``, where C times the factors is on a straight line."""
        if theta in (0.0, 1.0):
            return end if theta else self
        C = (1.0 - theta) * self.C + theta * end.C
        factors = (1.0 - theta) * self.C * self.class_weight + theta * end.C * end.class_weight
        # Factors on the way to or from balanced ones are no longer, or not yet, balanced.
        balanced = self.balanced and end.balanced
        return replace(self, C=C, class_weight=factors / C, balanced=balanced)

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
        """Return the trip on which rows come and go; that of a window is made in one pass."""
        if checked and arrivals is not None and isinstance(keep, slice):
            trip = window_trip(self, fitted, arrivals, keep.start, final, n_gone)
            if trip is not None:
                return trip
        return super().exchange(fitted, arrivals, keep, final, cache_mb, n_gone, checked)

    def rebalanced(
        self, labels: NDArray[Any], quantities: Quantities
    ) -> tuple[HingeProblem, Quantities]:
        """Recompute the factors of ``class_weight="balanced"``, as a fit would."""
        if not self.balanced:
            return self, quantities
        weight = quantities["weight"] / self.class_weight[labels]
        factors = balanced_factors(len(self.classes), labels, weight)
        problem = replace(self, class_weight=factors)
        return problem, {**quantities, "weight": factors[labels] * weight}

    def predicted(self, values: NDArray[np.float64], break_ties: bool) -> NDArray[np.intp]:
        """Return the index of the class that decision values of shape (n, n_pairs) stand for."""
        n_classes = len(self.classes)
        if n_classes == 2:
            return (values[:, 0] > 0).astype(np.intp)
        count = one_vs_rest_values if break_ties else vote
        return np.asarray(count(values, self.pairs, n_classes).argmax(axis=1), dtype=np.intp)

    def judge(
        self,
        fitted: Fitted,
        index: NDArray[np.intp],
        values: NDArray[np.float64],
        break_ties: bool = False,
    ) -> Judgement:
        """Return labels, hinge losses (summed over the pairs of a class) and wrong labels."""
        label, margin = fitted.training.labels[index], fitted.quantities["margin"][index]
        losses = np.zeros(len(index))
        for k, (first, second) in enumerate(self.pairs):
            for which, sign in ((first, 1.0), (second, -1.0)):
                own = label == which
                losses[own] += np.maximum(0.0, margin[own] - sign * values[own, k])
        predicted = self.predicted(values, break_ties)
        return Judgement(self.classes[predicted], losses, float((predicted != label).mean()))

    def per_function(
        self, values: Values, shape: str, X: Any, cotangent: Any
    ) -> NDArray[np.float64]:
        """Return what a change of the value of each pair of classes costs."""
        n, n_classes = X.shape[0], len(self.classes)
        if n_classes == 2:
            return super().per_function(values, shape, X, cotangent)
        n_pairs = len(self.pairs)
        if shape == "ovo":
            return check_cotangent(cotangent, (n, n_pairs))
        by_class = check_cotangent(cotangent, (n, n_classes))
        return one_vs_rest_slopes(values(X), self.pairs, n_classes, by_class)

    def pull_back(
        self, fitted: Fitted, functionals: Sequence[Functional], slopes: Sequence[Slopes]
    ) -> dict[str, Any]:
        """Return derivatives by weights, C and margins."""
        by_weight, by_margin = np.zeros((2, len(fitted.training)))
        for subproblem, own in zip(fitted.subproblems, slopes, strict=True):
            rows, sign = subproblem.rows, subproblem.reading.sign
            by_weight[rows] += np.where(sign > 0, own.knots[:, 1], -own.knots[:, 0])
            by_margin[rows] += sign * own.target
        weight = fitted.quantities["weight"]
        return {
            "sample_weight": self.by_sample_weight(fitted.training.labels, weight, by_weight),
            "C": float(by_weight @ weight) / self.C,
            "margin": by_margin,
        }

    def by_sample_weight(
        self,
        labels: NDArray[Any],
        weight: NDArray[np.float64],
        slopes: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return derivatives by sample weights from those by the ``C_i``; see :meth:`weights`."""
        factor = self.C * self.class_weight[labels]
        found: NDArray[np.float64] = factor * slopes
        if self.balanced:
            n_classes, own = len(self.classes), weight / factor
            of_class = np.zeros(n_classes)
            np.add.at(of_class, labels, self.C * own * slopes)
            found += balanced_slopes(n_classes, labels, own, of_class)
        return found

    def arrivals(self, fitted: Fitted, X: Any, y: Any, given: Mapping[str, Any]) -> Arrivals:
        """Check labels, weights and margins of new instances."""
        n = X.shape[0]
        labels = encode_labels(y, self.classes, n)
        if given is WEIGHTS_COME_LATER:
            return Arrivals(X, labels, {"weight": np.zeros(n), "margin": np.ones(n)}, {})
        weight = self.weights(check_weights("sample_weight", given.get("sample_weight"), n), labels)
        margin = given.get("margin")
        margins = np.ones(n) if margin is None else per_row("margin", margin, n)
        return Arrivals(X, labels, {"weight": weight, "margin": margins}, {})

    def attributes(self, fitted: Fitted) -> dict[str, Any]:
        """Return the public attributes, laid out as in scikit-learn."""
        found = super().attributes(fitted)
        found["classes_"] = self.classes
        found["n_iter_"] = np.ones(len(fitted.subproblems), dtype=np.int32)
        expansion = found["_expansion"]
        labels, n_classes = fitted.training.labels[expansion.support], len(self.classes)
        found["n_support_"] = np.bincount(labels, minlength=n_classes).astype(np.int32)
        if n_classes > 2:
            # Row r of a class's columns: its coefficients against the r-th of the other classes.
            dual = np.zeros((n_classes - 1, len(labels)))
            for k, (a, b) in enumerate(self.pairs):
                dual[b - 1, labels == a] = expansion.coef[labels == a, k]
                dual[a, labels == b] = expansion.coef[labels == b, k]
            found["dual_coef_"] = dual
        return found
