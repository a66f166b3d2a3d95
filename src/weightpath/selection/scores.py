"""A validation metric at one set of decision values: the metrics of curves, without a path."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

import numpy as np

from weightpath.curves.discounts import CONVENTIONS
from weightpath.curves.queries import encode_queries, query_weights
from weightpath.curves.ranking import RANK_METRICS, rank_parameters
from weightpath.estimators import SVC, OneClassSVM
from weightpath.estimators.checks import check_weights, encode_labels, per_row
from weightpath.estimators.votes import one_vs_rest_values, vote

__all__ = ["Score"]

_REGRESSION = ("squared", "absolute", "epsilon_insensitive", "pinball")

# Options that not every metric takes, and whose they are.
_OWNERS = {
    "qid": tuple(RANK_METRICS),
    "k": ("ndcg", "precision_at_k"),
    "convention": ("ndcg",),
    "epsilon": ("epsilon_insensitive",),
    "quantile": ("pinball",),
}


class Score:
    """A metric of a model on validation data, as a function of its decision values.

    Parameters
    ----------
    model : PathEstimator
        The fitted model; it says which metrics are possible, and their defaults.
    metric : str
        A metric of :meth:`weightpath.SolutionPath.curve`.
    y : array-like of shape (n,)
        Labels or values of the validation rows.
    n : int
        How many there are.
    sample_weight : array-like of shape (n,) or None
        Costs; values are weighted means.
    given : dict
        Options of the metric by name.
    """

    def __init__(self, model, metric: str, y, n: int, sample_weight, given: dict):
        self.model, self.metric = model, metric
        self._check_metric(given)
        self.target = self._target(y, n)
        self.weight = check_weights("sample_weight", sample_weight, n)
        if not self.weight.sum() > 0:
            raise ValueError("sample_weight is zero everywhere: a mean needs some weight.")
        self.greater_is_better = metric in RANK_METRICS
        self._value = self._evaluator(given)

    def __call__(self, values: np.ndarray) -> float:
        """Return the metric at decision values of shape (n, n_parts)."""
        return self._value(values if values.shape[1] > 1 else values[:, 0])

    # Checks --------------------------------------------------------------------------------

    def _possible(self) -> tuple[str, ...]:
        model = self.model
        if isinstance(model, SVC):
            several = len(model.classes_) > 2
            return ("zero_one",) if several else ("zero_one", "hinge", *RANK_METRICS)
        if isinstance(model, OneClassSVM):
            return tuple(RANK_METRICS)
        return (*_REGRESSION, *RANK_METRICS)

    def _check_metric(self, given: dict) -> None:
        possible = self._possible()
        if self.metric not in possible:
            raise ValueError(
                f"The metric {self.metric!r} is not defined for {type(self.model).__name__} here; "
                f"possible: {', '.join(map(repr, possible))}."
            )
        unknown = sorted(set(given) - set(_OWNERS))
        if unknown:
            raise TypeError(f"Unknown option {unknown[0]!r}; metrics take {', '.join(_OWNERS)}.")
        for name, value in given.items():
            if value is not None and self.metric not in _OWNERS[name]:
                owners = ", ".join(map(repr, _OWNERS[name]))
                raise ValueError(f"The metric {self.metric!r} takes no {name}: it is for {owners}.")

    def _target(self, y, n: int) -> np.ndarray:
        if isinstance(self.model, SVC):
            return encode_labels(y, self.model.classes_, n)
        y = np.atleast_1d(np.asarray(y))
        if y.shape != (n,):
            raise ValueError(f"y has shape {y.shape}, expected ({n},): one value for each row.")
        return per_row("y", y, n)

    # Evaluators ----------------------------------------------------------------------------

    def _evaluator(self, given: dict) -> Callable[[np.ndarray], float]:
        if self.metric in RANK_METRICS:
            options = {"qid": None, "k": None, "convention": None, **given}
            return _Ranking(self.metric, self.target, self.weight, self._is_graded(), options)
        losses: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "zero_one": self._wrong,
            "hinge": lambda f: np.maximum(0.0, 1.0 - np.where(self.target == 1, f, -f)),
            "squared": lambda f: (self.target - f) ** 2,
            "absolute": lambda f: np.abs(self.target - f),
            "epsilon_insensitive": lambda f: np.maximum(0.0, np.abs(self.target - f) - epsilon),
            "pinball": lambda f: np.maximum(
                quantile * (self.target - f), (quantile - 1.0) * (self.target - f)
            ),
        }
        if self.metric == "epsilon_insensitive":
            epsilon = self._parameter("epsilon", given, np.inf)
        elif self.metric == "pinball":
            quantile = self._parameter("quantile", given, 1.0)
        loss, share = losses[self.metric], self.weight / self.weight.sum()
        return lambda f: float(share @ loss(f))

    def _is_graded(self) -> bool:
        return not isinstance(self.model, SVC)

    def _wrong(self, f: np.ndarray) -> np.ndarray:
        model = self.model
        if f.ndim == 1:
            return ((f > 0) != (self.target == 1)).astype(float)
        count = one_vs_rest_values if model.break_ties else vote
        best = count(f, model._pairs, len(model.classes_)).argmax(axis=1)
        return (best != self.target).astype(float)

    def _parameter(self, name: str, given: dict, largest: float) -> float:
        """Return a parameter of the loss: what was given, or that of the model."""
        value = given.get(name)
        if value is None and name == "quantile":
            value = getattr(self.model, "quantile_", 0.5)
        if value is None:
            known = np.unique(getattr(self.model, "epsilon_", ()))
            if known.size != 1:
                raise ValueError(f"The metric {self.metric!r} needs {name}=, one number.")
            value = float(known[0])
        number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
        if not number or not 0 <= value <= largest or not np.isfinite(value):
            raise ValueError(f"{name} must be one number from 0 to {largest:g}, got {value!r}.")
        return float(value)


class _Ranking:
    """A metric of ranked rows: the mean over queries of what each of them gets.

    Rows with equal scores are treated as scikit-learn treats ties.
    """

    def __init__(self, metric: str, target, weight, graded: bool, options: dict):
        options = rank_parameters(metric, options)
        if metric in ("auc", "average_precision") and graded and len(np.unique(target)) > 2:
            raise ValueError(
                f"The metric {metric!r} needs two kinds of rows, relevant (y > 0) and not. Pass "
                "y > threshold, or use 'ndcg'."
            )
        if metric == "ndcg" and (target < 0).any():
            raise ValueError("The metric 'ndcg' needs relevances that are not negative in y.")
        query = encode_queries(options["qid"], len(target))
        queries = [np.flatnonzero(query == q) for q in range(query.max() + 1)]
        self._metric, self._k = metric, options.get("k")
        self._rule = CONVENTIONS[options.get("convention", "sklearn")]
        self._parts = []
        of_query = query_weights(weight, query) if metric in ("ndcg", "precision_at_k") else None
        for q, rows in enumerate(queries):
            own = weight[rows] if of_query is None else np.ones(len(rows))
            share = 1.0 if of_query is None else of_query[q]
            if of_query is not None or self._is_defined(target[rows] > 0, own):
                self._parts.append((rows, target[rows].astype(float), own, share))
        if not self._parts:
            raise ValueError(
                f"The metric {metric!r} is not defined here: no query has relevant (y > 0) and, "
                "for 'auc', irrelevant rows with weight."
            )

    def _is_defined(self, relevant, weight) -> bool:
        some, others = weight[relevant].sum() > 0, weight[~relevant].sum() > 0
        return bool(some and (others or self._metric != "auc"))

    def __call__(self, score: np.ndarray) -> float:
        total = shares = 0.0
        for rows, target, weight, share in self._parts:
            total += share * self._of_query(score[rows], target, weight)
            shares += share
        return float(total / shares)

    def _of_query(self, score, target, weight) -> float:
        """Return the metric of one query; each distinct score is a place that rows share."""
        _, place = np.unique(-score, return_inverse=True)
        if self._metric in ("auc", "average_precision"):
            hit = np.bincount(place, weight * (target > 0))
            miss = np.bincount(place, weight * (target <= 0))
            hits, misses = np.cumsum(hit), np.cumsum(miss)
            if self._metric == "auc":
                return float(hit @ (misses[-1] - misses + 0.5 * miss) / (hits[-1] * misses[-1]))
            some = hits + misses > 0
            precision = hits[some] / (hits + misses)[some]
            return float(hit[some] @ precision / hits[-1])
        position = np.arange(1.0, len(score) + 1.0)
        if self._metric == "ndcg":
            gain, discount = self._rule.gain(target), self._rule.discount(position)
        else:
            gain, discount = (target > 0).astype(float), np.ones(len(score))
        discount[len(score) if self._k is None else self._k :] = 0.0
        size = np.bincount(place)
        until = np.append(0.0, np.cumsum(discount))[np.append(0, np.cumsum(size))]
        found = np.bincount(place, gain) / size @ np.diff(until)
        if self._metric == "precision_at_k":
            return float(found / discount.sum())
        best = np.sort(gain)[::-1] @ discount
        return float(found / best) if best > 0 else 0.0
