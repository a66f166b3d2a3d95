"""Weighted support vector regression."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from weightpath.estimators.checks import check_epsilon
from weightpath.estimators.first_guess import guess_regressor
from weightpath.estimators.regression import KernelRegressor
from weightpath.estimators.tube import stand_as
from weightpath.path import Reading, SolutionPath
from weightpath.problems import tube_staircase

__all__ = ["SVR"]


class SVR(KernelRegressor):
    r"""Weighted support vector regression with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, [\,|y_i - w'\phi(x_i) - b| - \epsilon_i]_+, \qquad
        C_i = C \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i`, the half-widths :math:`\epsilon_i` of
    the tubes or the targets :math:`y_i` change.

    ``move`` takes ``C``, ``sample_weight``, ``epsilon`` (a number or one for each instance) and
    ``y``: each alone or together, on a straight line of all :math:`C_i`, :math:`\epsilon_i` and
    :math:`y_i`. On paths the instances within their tubes are ``inside``, those at the edge of
    theirs are the ``margin``, the others are ``outside``.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is 1 / (n_features * variance of X),
        with the *weighted* variance, so that weight 2 equals two copies. It is resolved by ``fit``
        (``gamma_``); moving never changes the kernel.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    epsilon : float or array-like of shape (n_samples,), default=0.1
        Half the width of the tube within which an error costs nothing, of all instances or of
        each. Zero gives the weighted absolute loss.
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from, for targets of size one.
        The result is exact whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and its own record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, as each has a diagonal entry of its own.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Training rows with a coefficient.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    n_support_ : ndarray of shape (1,)
        The number of support vectors.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        The bias, the middle of its interval where it is not unique.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features; linear kernel only.
    weights_ : ndarray of shape (n_samples,)
        The ``C_i`` that the model sits at.
    epsilon_ : ndarray of shape (n_samples,)
        The half-widths of the tubes that the model sits at.
    target_ : ndarray of shape (n_samples,)
        The targets that the model sits at.
    C_ : float
        The trade-off parameter that the model sits at.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    References
    ----------
    .. [1] M. Karasuyama, N. Harada, M. Sugiyama, I. Takeuchi, "Multi-parametric solution-path
       algorithm for instance-weighted support vector machines", Machine Learning 88, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(50 * X[:, 0])
    >>> model = wp.SVR(C=10, gamma=0.5, epsilon=0.2).fit(X, y)
    >>> path = model.move(epsilon=0.02, sample_weight=np.linspace(0.1, 1, 60))
    >>> bool(path.kkt_violation() < 1e-9)
    True
    >>> model.support_.size > path.model_at(0).support_.size
    True
    """

    _moves = ("C", "sample_weight", "epsilon", "y")
    _shown: ClassVar[dict[str, str]] = {
        "weights_": "weight",
        "epsilon_": "epsilon",
        "target_": "target",
    }

    epsilon_: np.ndarray

    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        epsilon=0.1,
        tol=1e-3,
        cache_size=200,
        ridge=0.0,
        max_events=1_000_000,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.epsilon = epsilon
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events

    def add(self, X, y, sample_weight=None, epsilon=None) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,)
            Their targets.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.
        epsilon : float or array-like of shape (n_new,) or None, default=None
            The half-widths of their tubes. It may be left out if all training instances have the
            same, which is then theirs too.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        check_is_fitted(self)
        keep = np.ones(self._X.shape[0], dtype=bool)
        X, labels, new = self._arrivals(X, y, sample_weight, epsilon=epsilon)
        return self._exchange_rows(X, labels, new, keep, {})

    def slide(self, X, y, drop=0, sample_weight=None, epsilon=None) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : array-like of shape (n_new,)
            Their targets.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.
        epsilon : float or array-like of shape (n_new,) or None, default=None
            The half-widths of the arrivals' tubes, as in ``add``.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        check_is_fitted(self)
        X, labels, new = self._arrivals(X, y, None, epsilon=epsilon)
        keep, final = self._window(drop, sample_weight, labels)
        return self._exchange_rows(X, labels, new, keep, final)

    def _shape_quantities(self, n):
        return {"epsilon": check_epsilon(self.epsilon, n)}

    def _shape_of_arrivals(self, n, epsilon=None):
        if epsilon is None:
            epsilon = self.epsilon_[0]
            if (self.epsilon_ != epsilon).any():
                raise ValueError(
                    "The training instances have different epsilons: give those of the new ones, "
                    "epsilon=..."
                )
        return {"epsilon": check_epsilon(epsilon, n)}

    def _solve(self, rows) -> None:
        own = self._quantities
        weight, epsilon = own["weight"], own["epsilon"]
        reading = Reading("svr", np.where(epsilon == 0, 0.0, 1.0))
        mean = float(np.average(epsilon, weights=weight / weight.max()))
        guess = partial(guess_regressor, self._kernel, own["target"], weight, mean)
        self._parts = (self._solved_part(rows, reading, 1, guess),)

    def _reading(self, rows, pair, labels):
        return Reading("svr", np.ones(len(rows)))

    def _staircase(self, rows, reading, quantities):
        return tube_staircase(
            quantities["target"][rows],
            quantities["weight"][rows],
            quantities["epsilon"][rows],
            reading.sign == 0,
        )

    def _ready(self, part, start, end):
        closed = (start["epsilon"] == 0) & (end["epsilon"] == 0)
        return stand_as(part, closed[part.rows])

    def _aim(self, targets):
        quantities, attributes = super()._aim(targets)
        if "epsilon" in targets:
            quantities["epsilon"] = check_epsilon(targets["epsilon"], self._X.shape[0])
        return quantities, attributes
