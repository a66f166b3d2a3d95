"""Penalty weights made from coefficients: the adaptive lasso and reweighted l1 minimization."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import COMPLETE
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.feature_path import FeaturePathEstimator
from weightpath.estimators.feature_problem import per_feature
from weightpath.path import SolutionPath

__all__ = ["PenaltyReweighting"]

# A penalty of this many times a feature's reach keeps it out, also when alpha is later lowered by
# that factor. More would cost accuracy: tolerances are relative to the largest penalty.
_OUT = 10.0

# The default of epsilon as a part of the largest coefficient: below the nonzero ones that matter,
# above those that are noise.
_EPSILON_PART = 0.1


class PenaltyReweighting(FeaturePathEstimator):
    """A lasso that makes penalty weights from its own coefficients."""

    alpha_: float

    def adaptive(self, gamma=1.0, initial=None) -> SolutionPath:
        r"""Follow the path to the adaptive lasso, with penalty weights :math:`|b_j|^{-\gamma}`.

        A weight that would be infinite or very large is cut to one with the same effect: ten times
        the penalty at which the feature is out of the model whatever the others do.

        Parameters
        ----------
        gamma : float, default=1.0
            The power, positive.
        initial : array-like of shape (n_features,) or None, default=None
            The initial estimate :math:`b`, for instance of least squares or ridge regression; the
            present coefficients if not given.

        Returns
        -------
        SolutionPath
            From the present penalty weights (theta = 0) to the adaptive ones (theta = 1).
        """
        check_is_fitted(self)
        gamma = check_number("gamma", gamma)
        estimate = (
            self.coef_ if initial is None else per_feature("initial", initial, self.coef_.size)
        )
        with np.errstate(divide="ignore", over="ignore"):
            weight = np.abs(estimate) ** -gamma
        return self._move({"penalty_weight": self._cut(weight)})

    def reweighted_l1(self, n_rounds=5, epsilon=None) -> list[SolutionPath]:
        r"""Follow the paths of reweighted l1 minimization.

        In each round the penalty weights move to :math:`1 / (|\beta_j| + \epsilon)` with the
        present coefficients. To begin the next round from plain penalties, ``reweight(1.0)``.

        Parameters
        ----------
        n_rounds : int, default=5
            How many rounds.
        epsilon : float or None, default=None
            Positive; somewhat smaller than the coefficients that matter. A tenth of the largest
            present coefficient if not given (one if all are zero).

        Returns
        -------
        list of SolutionPath
            One for each round; fewer if one was stopped by ``max_events``.
        """
        check_is_fitted(self)
        n_rounds = check_whole_number("n_rounds", n_rounds, 1)
        if epsilon is None:
            epsilon = _EPSILON_PART * float(np.abs(self.coef_).max(initial=0.0)) or 1.0
        epsilon = check_number("epsilon", epsilon)
        paths = []
        for _ in range(n_rounds):
            path = self._move({"penalty_weight": 1.0 / (np.abs(self.coef_) + epsilon)})
            paths.append(path)
            if path.status != COMPLETE:
                break
        return paths

    def _cut(self, weight: np.ndarray) -> np.ndarray:
        """Return finite weights with the same effect."""
        reach = _OUT * self._problem().reach(self._quantities["target"])
        known = weight[np.isfinite(weight)].max(initial=1.0)
        if self.alpha_ == 0:
            return np.where(np.isfinite(weight), weight, known)
        # A feature or a target that is constant has no reach: its coefficient is zero anyway.
        enough = np.where(reach > 0, reach / self.alpha_, known)
        return np.minimum(weight, enough)
