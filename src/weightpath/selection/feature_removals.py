r"""Observations taken out of a lasso.

With weights :math:`\omega_i` that sum to one, an observation :math:`k` goes when the model gets one
more feature, which is one at :math:`k` and zero elsewhere: without a penalty its coefficient
:math:`\gamma` takes up the whole error there, and the others are fitted as if :math:`k` were not
there. In the coordinates of the problem (scaled by :math:`\sqrt{\omega_i}`, centred where there is
an intercept) that feature is :math:`a = e_k - \sqrt{\omega_k} \sqrt\omega` (or :math:`e_k`), with

.. math::

    a'z_j = z_{jk}, \qquad a't = t_k, \qquad a_k'a_l = \delta_{kl} - \sqrt{\omega_k \omega_l} .

At the penalty :math:`|a'(t - Z'\beta)|` it is just out of the model: there the path begins. On it
this penalty goes to zero and all others to :math:`\lambda_j (1 - \omega_k)`: the squared errors of
the smaller data are divided by less. At its end :math:`y_k - f(x_k) = \gamma / \sqrt{\omega_k}`.

A ridge would have to change on the way, which no path does; and features without a penalty may
come to depend on one another. Then, and for large groups, the path is that of ``remove``, on the
smaller data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import COMPLETE, Options, State, Trace, follow
from weightpath.errors import PathError
from weightpath.estimators.base import PathEstimator
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.lasso.features import FeatureData, shifted_to
from weightpath.estimators.problem import COLUMN_SHARE
from weightpath.kernels import Columns, Kernel
from weightpath.problems import lasso_staircase

__all__ = ["FeatureRemoval", "FeatureRemovals"]

_STORED = Kernel("precomputed")
_LINEAR = Kernel("linear")


@dataclass(frozen=True, eq=False)
class FeatureRemoval:
    """A lasso without some observations.

    Attributes
    ----------
    coef : ndarray of shape (n_features,)
        The coefficients.
    intercept : float
        The intercept.
    n_events : int or None
        The events on the path; ``None`` where none was needed.
    """

    coef: NDArray[np.float64]
    intercept: float
    n_events: int | None = None


class FeatureRemovals:
    """Removals of observations from a fitted lasso, which is left as it is.

    Parameters
    ----------
    model : Lasso
        The fitted model.
    n_threads : int
        How many threads will ask at once.
    """

    def __init__(self, model: PathEstimator, n_threads: int = 1) -> None:
        self.model: Any = model
        self.training, self.quantities = model.training_set_, model.quantities_
        lasso: Any = model.problem_
        self.centred, self.problem = lasso.centred, lasso.data(self.training)
        (subproblem,) = model.subproblems_
        self.stair, self.state = subproblem.stair, subproblem.state
        self.target = self.problem.target(self.quantities["target"])
        most = check_whole_number("max_events", model.max_events, 1)
        self.options = Options(ridge=self.training.ridge, max_events=most)
        p, n = self.problem.rows.shape
        self._cache = COLUMN_SHARE * check_number("cache_size", model.cache_size) / n_threads
        self.matrix = None
        if p <= n and 8e-6 * p * p <= self._cache:
            self.matrix = self.problem.rows @ self.problem.rows.T
        penalised = (self.quantities["penalty"] > 0).all()
        self._by_shift = self.training.ridge == 0 and penalised
        # An observation with a weight contributes to the mean, whatever its error.
        self.matters = self.problem.weight > 0

    def without_each(self, sets: Sequence[NDArray[np.intp]]) -> list[FeatureRemoval]:
        """Return the models without each of some sets of observations."""
        return [self._without(instances) for instances in sets]

    def _without(self, instances: NDArray[np.intp]) -> FeatureRemoval:
        weighted = instances[self.problem.weight[instances] > 0]
        if weighted.size == np.count_nonzero(self.problem.weight):
            raise ValueError(
                f"Without {len(instances)} instances no weighted one is left, so that there is no "
                "model. Leave out fewer."
            )
        if self._by_shift and weighted.size <= max(1, self.problem.rows.shape[0] // 2):
            coef, n_events = self._shifted_means(weighted)
        else:
            coef, n_events = self._smaller_data(weighted)
        return FeatureRemoval(coef, self._intercept(weighted, coef), n_events)

    def _shifted_means(self, instances: NDArray[np.intp]) -> tuple[NDArray[np.float64], int]:
        """Follow the path on which each of these observations gets a feature."""
        problem, state = self.problem, self.state
        p, k = problem.rows.shape[0], len(instances)
        columns, error = self._with_features(instances)
        penalty, left = self.stair.levels[:, 1], 1.0 - problem.weight[instances].sum()
        target = np.append(self.stair.target, self.target[instances])
        start = lasso_staircase(target, np.append(penalty, np.abs(error)))
        end = lasso_staircase(target, np.append(left * penalty, np.zeros(k)))
        larger = State(
            np.append(state.beta, np.zeros(k)),
            0.0,
            np.append(state.position, np.ones(k, dtype=np.int32)),
            np.append(state.residual, error),
            state.margin,
        )
        return self._coef(follow(columns, start, end, larger, self.options), p)

    def _with_features(self, instances: NDArray[np.intp]) -> tuple[Columns, NDArray[np.float64]]:
        """Return the columns with one feature more for each observation, and the errors there."""
        rows, weight = self.problem.rows, self.problem.weight
        at, root = rows[:, instances], np.sqrt(weight[instances])
        error = self.target[instances] - at.T @ self.state.beta
        own = np.eye(len(instances))
        if self.matrix is None:
            more = np.zeros((len(instances), rows.shape[1]))
            more[np.arange(len(instances)), instances] = 1.0
            if self.centred:
                more -= root[:, None] * np.sqrt(weight)
            return _LINEAR.columns(np.vstack([rows, more]), self._cache), error
        if self.centred:
            own -= np.outer(root, root)
        return _STORED.columns(np.block([[self.matrix, at], [at.T, own]]), self._cache), error

    def _smaller_data(self, instances: NDArray[np.intp]) -> tuple[NDArray[np.float64], int]:
        """Follow the path of ``remove``, which begins at shifted correlations."""
        training = self.training
        keep = np.delete(np.arange(len(training)), instances)
        y, penalty = self.quantities["target"][keep], self.quantities["penalty"]
        weight = training.per_row["sample_weight"][keep]
        data = FeatureData(training.X[keep], weight, self.centred)
        columns, end = data.columns(self._cache), data.staircase(y, penalty)
        start, state = shifted_to(columns, end, self.state.beta, training.ridge)
        return self._coef(follow(columns, start, end, state, self.options), len(end))

    def _coef(self, trace: Trace, p: int) -> tuple[NDArray[np.float64], int]:
        if trace.status != COMPLETE:
            raise PathError(trace.status.message)
        return trace.state.beta[:p], trace.record.n_events

    def _intercept(self, instances: NDArray[np.intp], coef: NDArray[np.float64]) -> float:
        """Return the weighted mean of what the coefficients leave, without these observations."""
        if not self.centred:
            return 0.0
        weight = self.problem.weight.copy()
        weight[instances] = 0.0
        weight /= weight.sum()
        return float(weight @ self.quantities["target"] - (weight @ self.training.X) @ coef)

    def values(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions of the model as it is, of shape (n, 1)."""
        values: NDArray[np.float64] = (X @ self.model.coef_ + self.model.intercept_)[:, None]
        return values

    def values_at_training(self) -> NDArray[np.float64]:
        """Return the predictions at the training instances, of shape (n, 1)."""
        return self.values(self.training.X)

    def own_values(
        self, instances: NDArray[np.intp], found: FeatureRemoval, values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the predictions at the instances that were removed, of shape (n, 1)."""
        own: NDArray[np.float64] = self.training.X[instances] @ found.coef + found.intercept
        return own[:, None]

    def close(self) -> None:
        """Let go of the matrix of the features."""
        self.matrix = None

    def events_of(self, found: FeatureRemoval) -> list[int]:
        """Return the number of events on the path of a removal, if it needed one."""
        return [] if found.n_events is None else [found.n_events]

    def values_without(
        self, found: Sequence[FeatureRemoval], X: Any, before: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the predictions at some points after each of several removals, (k, n, 1)."""
        coef = np.column_stack([one.coef for one in found])
        intercept = np.array([one.intercept for one in found])
        values: NDArray[np.float64] = (X @ coef).T + intercept[:, None]
        return values[:, :, None]
