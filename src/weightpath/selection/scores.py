"""A validation metric at one set of decision values: the metrics of curves, without a path."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

import numpy as np

from weightpath.curves.rank_values import RankValue
from weightpath.curves.ranking import RANK_METRICS
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
            return RankValue(self.metric, self.target, self.weight, self._is_graded(), options)
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
        pairs = [subproblem.pair for subproblem in model.subproblems_]
        best = count(f, pairs, len(model.classes_)).argmax(axis=1)
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
