"""The lasso with one penalty for each feature, with exact paths."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.engine import COMPLETE, follow, solve
from weightpath.errors import EventCapWarning
from weightpath.estimators.checks import check_number, check_weights, check_whole_number, per_row
from weightpath.estimators.feature_path import FeaturePathEstimator
from weightpath.estimators.feature_problem import all_zero_state, first_penalty, per_feature
from weightpath.estimators.penalty_reweighting import PenaltyReweighting
from weightpath.path import SolutionPath

__all__ = ["Lasso"]


class Lasso(RegressorMixin, PenaltyReweighting, FeaturePathEstimator):
    r"""Linear regression with weighted l1 penalties, solved exactly and moved exactly.

    .. math::

        \min_{\beta, b} \; \frac{1}{2 \sum_i w_i} \sum_i w_i (y_i - x_i'\beta - b)^2
        + \alpha \sum_j v_j |\beta_j| + \frac{\rho}{2} \|\beta\|^2

    The :math:`v_j` are the penalty weights and :math:`\rho` the ridge (an elastic net if it is
    positive). ``fit`` follows the path from all-zero coefficients, as LARS does [1]_. ``reweight``
    and ``move`` then change penalties and targets along exact paths; ``adaptive`` [2]_ and
    ``reweighted_l1`` [3]_ are such moves. Where several coefficients are optimal (features that
    depend on one another), one choice of them is found.

    Parameters
    ----------
    alpha : float, default=1.0
        Factor of all penalties, not negative.
    penalty_weight : float or array-like of shape (n_features,) or None, default=None
        The penalty of each feature, times ``alpha``; ones if not given. Zero means unpenalised:
        such features must not depend on one another, unless there is a ridge.
    fit_intercept : bool, default=True
        Whether there is an intercept :math:`b`, which is not penalised.
    ridge : float, default=0.0
        The factor of the squared coefficients.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
        ``fit`` solves the problem even so, but keeps only the path so far.
    cache_size : float, default=200
        Memory in MB for products of features. With no more features than instances their matrix
        is stored if it fits; otherwise its columns are made as features enter.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The coefficients.
    intercept_ : float
        The intercept, zero without one.
    active_ : ndarray of int
        The features with a coefficient.
    alpha_ : float
        The factor that the model sits at.
    penalty_weight_ : ndarray of shape (n_features,)
        The penalty weights that the model sits at.
    penalty_ : ndarray of shape (n_features,)
        Their product, the penalties.
    path_ : SolutionPath
        The path of the last ``fit``, from all-zero coefficients. ``path_.at(theta).weights`` are
        the penalties there.
    n_iter_ : int
        The number of events on it.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    Notes
    -----
    On a path of this model ``dual_coef`` of a solution holds the coefficients of the features,
    ``weights`` the penalties, ``margin`` the active features and ``outside`` all others;
    ``decision_function`` returns predictions. Sparse ``X`` is made dense, as centring would.

    References
    ----------
    .. [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, "Least angle regression", Annals of
       Statistics 32, 2004.
    .. [2] H. Zou, "The adaptive lasso and its oracle properties", JASA 101, 2006.
    .. [3] E. Candes, M. Wakin, S. Boyd, "Enhancing sparsity by reweighted l1 minimization",
       Journal of Fourier Analysis and Applications 14, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> y = X @ [2.0, 0.0, 0.0, -1.0] + 0.1 * rng.normal(size=50)
    >>> model = wp.Lasso(alpha=0.1).fit(X, y)
    >>> model.active_
    array([0, 3])
    >>> path = model.reweight([1, 1, 1, 2])
    >>> path.at(0.5).dual_coef.round(2)
    array([ 1.91,  0.  ,  0.  , -0.85])
    >>> bool(path.kkt_violation() < 1e-9)
    True
    """

    _moves = ("alpha", "penalty_weight", "y")
    _lines = ("alpha_", "penalty_weight_")
    _fixed = ("n_features_in_", "feature_names_in_", "_ridge", "_sample_weight", "_centred")

    def __init__(
        self,
        alpha=1.0,
        *,
        penalty_weight=None,
        fit_intercept=True,
        ridge=0.0,
        max_events=1_000_000,
        cache_size=200,
    ):
        self.alpha = alpha
        self.penalty_weight = penalty_weight
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.max_events = max_events
        self.cache_size = cache_size

    def fit(self, X, y, sample_weight=None):
        """Fit the model exactly, along the path from all-zero coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances, which are copied; sparse ones are made dense.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; weight two equals two copies.

        Returns
        -------
        self : Lasso
        """
        with self._all_or_nothing() as draft:
            draft._set_problem(X, y, sample_weight)
            draft._solve()
            draft._publish()
        return self

    def _set_problem(self, X, y, sample_weight) -> None:
        """Check the parameters and the data, and set what they define."""
        self.alpha_ = check_number("alpha", self.alpha, strict=False)
        self._ridge = check_number("ridge", self.ridge, strict=False)
        check_whole_number("max_events", self.max_events, 1)
        options: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "y_numeric": True}
        X, y = validate_data(self, X, y, reset=True, **options)
        X = X.toarray() if issparse(X) else np.array(X, order="C")
        weight = check_weights("sample_weight", sample_weight, X.shape[0])
        if not weight.sum() > 0:
            raise ValueError("All sample weights are zero: at least one must be positive.")
        self._set_data(X, y, weight)
        self.penalty_weight_ = self._check_penalty_weight(self.penalty_weight)
        with np.errstate(over="ignore"):
            penalty = self.alpha_ * self.penalty_weight_
        self._quantities = {"penalty": penalty, "target": np.array(y, dtype=np.float64)}
        self._check_quantities(self._quantities, self._labels)

    def _solve(self) -> None:
        """Follow the path from all-zero coefficients and keep it."""
        y, penalty = self._quantities["target"], self._quantities["penalty"]
        problem, options = self._problem(), self._options()
        columns = problem.columns(self._cache())
        end = problem.staircase(y, penalty)
        if not (np.isfinite(end.target).all() and np.isfinite(columns.diagonal).all()):
            raise ValueError("The products of the features overflow: scale X and y.")
        alpha, first = first_penalty(end.target, self.alpha_, self.penalty_weight_)
        start = problem.staircase(y, first)
        before = all_zero_state(start)
        trace = follow(columns, start, end, before, options)
        state = trace.state
        if trace.status != COMPLETE:
            warnings.warn(
                f"{trace.status.message} The fit is exact, but path_ ends early.",
                EventCapWarning,
                stacklevel=3,
            )
            state = solve(columns, end, state.beta, 0.0, options)
        arrival = {"alpha_": self.alpha_, "penalty_weight_": self.penalty_weight_}
        self.alpha_, self.penalty_weight_ = alpha, first / alpha
        quantities = ({"penalty": first, "target": y}, self._quantities)
        means = problem.evaluation(y, y)
        self.path_ = self._path(start, end, before, trace, means, self._X, quantities, arrival)
        self.__dict__.update(arrival)
        self.n_iter_ = trace.record.n_events
        self._parts = (self._part(columns, end, state),)

    def _publish(self) -> None:
        for values in self._quantities.values():
            values.setflags(write=False)
        self.penalty_ = self._quantities["penalty"]
        # On a path the penalties are on a line, their two factors need not be.
        if self.alpha_ > 0 and (self.alpha_ * self.penalty_weight_ != self.penalty_).any():
            self.penalty_weight_ = self.penalty_ / self.alpha_
        self.coef_ = self._parts[0].state.beta.copy()
        self.active_ = np.flatnonzero(self.coef_)
        share = self._sample_weight / self._sample_weight.sum()
        self.intercept_ = 0.0
        if self._centred:
            centre, offset = share @ self._X, share @ self._quantities["target"]
            self.intercept_ = float(offset - centre @ self.coef_)

    def predict(self, X) -> np.ndarray:
        """Return the predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        return self._validate(X) @ self.coef_ + self.intercept_

    def move(  # type: ignore[override]
        self, *, alpha=None, penalty_weight=None, y=None
    ) -> SolutionPath:
        """Follow the exact path to new penalties and targets at once.

        The penalties ``alpha * penalty_weight`` and the targets move on straight lines; what is
        not named stays.

        Parameters
        ----------
        alpha : float or None, default=None
            The new factor of all penalties.
        penalty_weight : float or array-like of shape (n_features,) or None, default=None
            The new penalty weights.
        y : array-like of shape (n_samples,) or None, default=None
            The new targets.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        targets = {"alpha": alpha, "penalty_weight": penalty_weight, "y": y}
        return self._move({name: value for name, value in targets.items() if value is not None})

    def reweight(self, penalty_weight) -> SolutionPath:
        """Follow the exact path to new penalty weights; the model then sits there.

        Parameters
        ----------
        penalty_weight : float or array-like of shape (n_features,)
            New penalty weights, not negative. Zero makes a feature unpenalised.

        Returns
        -------
        SolutionPath
            All solutions between the old penalties (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"penalty_weight": penalty_weight})

    def _check_penalty_weight(self, value) -> np.ndarray:
        p = self._X.shape[1]
        weight = np.ones(p) if value is None else per_feature("penalty_weight", value, p)
        negative = np.flatnonzero(weight < 0)
        if negative.size:
            raise ValueError(
                f"penalty_weight must not be negative, but that of feature {negative[0]} is "
                f"{weight[negative[0]]:g}. Zero makes a feature unpenalised."
            )
        return weight

    def _check_quantities(self, quantities, labels) -> None:
        if not np.isfinite(quantities["penalty"]).all():
            raise ValueError("alpha * penalty_weight overflows. Use smaller numbers.")

    def _aim(self, targets):
        attributes: dict = {"alpha_": self.alpha_, "penalty_weight_": self.penalty_weight_}
        quantities = dict(self._quantities)
        if "alpha" in targets:
            attributes["alpha_"] = check_number("alpha", targets["alpha"], strict=False)
        if "penalty_weight" in targets:
            attributes["penalty_weight_"] = self._check_penalty_weight(targets["penalty_weight"])
        if "alpha" in targets or "penalty_weight" in targets:
            with np.errstate(over="ignore"):
                quantities["penalty"] = attributes["alpha_"] * attributes["penalty_weight_"]
        if "y" in targets:
            quantities["target"] = per_row("y", np.asarray(targets["y"]), self._X.shape[0])
        return quantities, attributes
