"""The lasso with one penalty for each feature, with exact paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import RegressorMixin

from weightpath.engine import COMPLETE, STOPPED_AT_CAP, solve
from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_number, check_weights, check_whole_number
from weightpath.estimators.following import trace
from weightpath.estimators.input_data import check_settings, keep_X_y
from weightpath.estimators.lasso.features import per_feature
from weightpath.estimators.lasso.limit import LimitCertificate, limit_certificate
from weightpath.estimators.lasso.problem import LassoProblem, check_penalty_weight
from weightpath.estimators.lasso.reweighting import adaptive_weights, first_epsilon
from weightpath.estimators.problem import Quantities
from weightpath.estimators.row_names import with_names
from weightpath.estimators.sklearn_models import sklearn_lasso
from weightpath.estimators.training_set import TrainingSet, own_dense
from weightpath.estimators.user_warnings import warn_event_cap
from weightpath.kernels import Kernel
from weightpath.path import SolutionPath

__all__ = ["Lasso"]


@final
class Lasso(RegressorMixin, PathEstimator):
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
        Factor of all penalties, not negative. Zero is the limit; see the notes.
    penalty_weight : float or array-like of shape (n_features,) or None, default=None
        The penalty of each feature, times ``alpha``; ones if not given. Zero means unpenalised.
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
    subproblems_ : tuple of Subproblem
        The one staircase problem behind the model, solved; its rows are the features.

    Notes
    -----
    ``add``, ``remove`` and ``slide`` lead to a fresh fit with the new observations. These change
    the products of the features, so theta does not weigh them: the whole path lies on the *new*
    data. At theta = 0 its correlations ``X'y`` are shifted so that the present coefficients are
    optimal, and the shift falls to zero at theta = 1.

    At ``alpha = 0`` the model is the limit of its solutions as ``alpha`` falls to zero: of the
    least-squares solutions one with the least :math:`\sum_j v_j |\beta_j|`, which
    :class:`BasisPursuit` finds, too; :meth:`limit_certificate` proves it. A path that ends there
    ends, seen from the left, where its own penalties lead to: the same, if they fall in proportion
    to the penalty weights.

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

    problem_type = LassoProblem

    alpha_: float
    n_iter_: int
    path_: SolutionPath

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        penalty_weight: ArrayLike | None = None,
        fit_intercept: bool = True,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        cache_size: float = 200,
    ) -> None:
        self.alpha = alpha
        self.penalty_weight = penalty_weight
        self.fit_intercept = fit_intercept
        self.ridge = ridge
        self.max_events = max_events
        self.cache_size = cache_size

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model exactly, along the path from all-zero coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; sparse ones are made dense. They are copied, except arrays
            that are read-only or memory-mapped.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; weight two equals two copies.

        Returns
        -------
        self : Lasso
        """
        draft = self._draft()
        training, problem, quantities = draft._set_up(X, y, sample_weight)
        training = with_names(training, X, (y,))
        problem.check(quantities, training.labels)
        options = self._options(training.ridge)
        trip = problem.from_zero(training, quantities, self.cache_size)
        path, there = trace(draft, trip, options)
        if path.status != COMPLETE:
            warn_event_cap(f"{STOPPED_AT_CAP.message} The fit is exact, but path_ ends early.")
            (one,) = there.subproblems
            state = solve(one.columns, one.stair, one.state.beta, 0.0, options)
            solved = problem.arrival(training, replace(one, state=state), quantities)
            there = replace(there, subproblems=(solved,))
        draft._fitted, draft.path_, draft.n_iter_ = there, path, path.parts[0].record.n_events
        draft.__dict__.pop("_removal", None)
        self.__dict__ = draft.__dict__
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
        """
        return self._values(X)

    def move(
        self,
        *,
        alpha: float | Unmoved | None = UNMOVED,
        penalty_weight: ArrayLike | Unmoved | None = UNMOVED,
        y: ArrayLike | Unmoved | None = UNMOVED,
    ) -> SolutionPath:
        """Follow the exact path to new penalties and targets at once.

        The penalties ``alpha * penalty_weight`` and the targets move on straight lines; what is
        not named, or is None, stays.

        Parameters
        ----------
        alpha : float or None, optional
            The new factor of all penalties.
        penalty_weight : float or array-like of shape (n_features,) or None, optional
            The new penalty weights.
        y : array-like of shape (n_samples,) or None, optional
            The new targets.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        destination = {"alpha": alpha, "penalty_weight": penalty_weight, "y": y}
        return self._move({name: value for name, value in destination.items() if value is not None})

    def reweight(self, penalty_weight: ArrayLike) -> SolutionPath:
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

    def adaptive(self, gamma: float = 1.0, initial: ArrayLike | None = None) -> SolutionPath:
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
        fitted, present = self._where(), self.coef_
        gamma = check_number("gamma", gamma)
        estimate = present if initial is None else per_feature("initial", initial, present.size)
        return self._move({"penalty_weight": adaptive_weights(fitted, estimate, gamma)})

    def reweighted_l1(self, n_rounds: int = 5, epsilon: float | None = None) -> list[SolutionPath]:
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
        present = self.coef_
        n_rounds = check_whole_number("n_rounds", n_rounds, 1)
        epsilon = check_number("epsilon", first_epsilon(present) if epsilon is None else epsilon)
        paths = []
        for _ in range(n_rounds):
            path = self._move({"penalty_weight": 1.0 / (np.abs(self.coef_) + epsilon)})
            paths.append(path)
            if path.status != COMPLETE:
                break
        return paths

    def limit_certificate(self) -> LimitCertificate:
        """Return the certificate of a model at ``alpha = 0``, computed from the data.

        Returns
        -------
        LimitCertificate
            A dual vector and a duality gap: that no least-squares solution has a smaller weighted
            sum of absolute coefficients.
        """
        fitted = self._where()
        if fitted.quantities["penalty"].any() or fitted.training.ridge > 0.0:
            raise ValueError(
                "Only a model at alpha = 0 and without ridge is a limit; kkt_violation() certifies "
                "any other."
            )
        return limit_certificate(fitted, fitted.quantities)

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.linear_model.Lasso` with the same function.

        Returns
        -------
        sklearn.linear_model.Lasso
            It predicts as this model does, to rounding; penalty weights are not part of it.
        """
        return sklearn_lasso(self, self._where())

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, LassoProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        alpha = check_number("alpha", self.alpha, strict=False)
        check_settings(self, X)
        # Sparse instances are made dense, as centring would.
        X, y = keep_X_y(self, X, data[0], y_numeric=True)
        X = own_dense(X.toarray()) if issparse(X) else X
        weight = check_weights("sample_weight", data[1], X.shape[0])
        if not weight.sum() > 0:
            raise ValueError("All sample weights are zero: at least one must be positive.")
        labels, per_row = np.zeros(X.shape[0]), {"sample_weight": weight}
        training = TrainingSet(X, Kernel("linear"), labels, float(self.ridge), per_row)
        penalty_weight = check_penalty_weight(self.penalty_weight, X.shape[1])
        problem = LassoProblem(alpha, penalty_weight, bool(self.fit_intercept))
        target = np.array(y, dtype=np.float64)
        return training, problem, {"penalty": problem.penalty, "target": target}
