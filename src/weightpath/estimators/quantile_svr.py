"""Weighted quantile regression with kernels."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import (
    check_fraction,
    check_number,
    check_some_weight,
    check_weights,
    products,
)
from weightpath.estimators.input_data import check_settings, keep_X_y, make_training_set
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.problem import Quantities
from weightpath.estimators.regression import PinballProblem
from weightpath.estimators.sklearn_models import sklearn_regressor
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import SolutionPath

__all__ = ["QuantileSVR"]


@final
class QuantileSVR(RegressorMixin, PathEstimator):
    r"""Weighted kernel quantile regression with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, \rho_\tau(y_i - w'\phi(x_i) - b), \qquad
        \rho_\tau(r) = \max(\tau r, (\tau - 1) r), \qquad
        C_i = C \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i`, the quantile :math:`\tau` or the targets
    :math:`y_i` change. A path from 0.05 to 0.95 holds all quantiles between; as each is a
    separate fit, the curves of two quantiles may cross.

    ``move`` takes ``C``, ``sample_weight``, ``quantile`` and ``y``: each alone or together. What
    moves on straight lines are the targets and the bounds of the coefficients,
    :math:`C_i(\tau - 1)` and :math:`C_i\tau`. So the :math:`C_i` do, and the quantile alone does;
    where both move, the quantile in between is the mean of both ends weighted by their
    :math:`C_i`, which is one for each instance unless all weights change by one factor.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter.
    quantile : float, default=0.5
        The quantile, above 0 and below 1.
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
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from, for targets of size one.
        The result is exact whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, because each copy has a diagonal entry.
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
    quantile_ : float
        The quantile that the model sits at; of a model between two ends of a path on which
        quantile and weights moved together, the weighted mean of ``quantiles_``.
    quantiles_ : ndarray of shape (n_samples,)
        The quantile of each instance.
    target_ : ndarray of shape (n_samples,)
        The targets that the model sits at.
    C_ : float
        The trade-off parameter that the model sits at.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_iter_ : int
        One: an exact fit does not iterate until it is close enough.
    fit_status_ : int
        0: the fit was successful; otherwise there is an error.
    shape_fit_ : tuple of int
        The shape of the training instances.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.
    subproblems_ : tuple of Subproblem
        The staircase problems behind the model, solved: rows, kernel columns, problem and state.

    References
    ----------
    .. [1] I. Takeuchi, Q. V. Le, T. D. Sears, A. J. Smola, "Nonparametric quantile estimation",
       Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.3 * np.cos(50 * X[:, 0])
    >>> model = wp.QuantileSVR(C=10, quantile=0.1, gamma=0.5).fit(X, y)
    >>> path = model.move(quantile=0.9)
    >>> bool(path.kkt_violation() < 1e-9)
    True
    >>> low, high = path.decision_function(X, [0.0, 1.0])
    >>> bool(np.mean(y < low - 1e-9) <= 0.1), bool(np.mean(y > high + 1e-9) <= 0.1)
    (True, True)
    """

    problem_type = PinballProblem

    def __init__(
        self,
        C: float = 1.0,
        quantile: float = 0.5,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
    ) -> None:
        self.C = C
        self.quantile = quantile
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples). They are copied, except arrays that are read-only or memory-mapped.
        y : array-like of shape (n_samples,)
            The values to fit.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.

        Returns
        -------
        self : QuantileSVR
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            The values of the fitted function.
        """
        return self._values(X)[:, 0]

    def move(
        self,
        *,
        C: float | Unmoved = UNMOVED,
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        quantile: float | Unmoved = UNMOVED,
        y: ArrayLike | Unmoved = UNMOVED,
    ) -> SolutionPath:
        """Follow the exact path to new values of several quantities at once.

        Targets and bounds of the coefficients move on straight lines; what is not named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        quantile : float, optional
            The new quantile.
        y : array-like of shape (n_samples,), optional
            The new targets.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"C": C, "sample_weight": sample_weight, "quantile": quantile, "y": y})

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.SVR` with the same function, for exporters.

        scikit-learn has no quantile regression with kernels, but its functions are the same.

        Returns
        -------
        sklearn.svm.SVR
            It predicts as this model does, to rounding.
        """
        fitted = self._where()
        return sklearn_regressor("SVR", self, fitted, C=fitted.attributes["C_"])

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, PinballProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        C = check_number("C", self.C)
        check_settings(self, X)
        X, y = keep_X_y(self, X, data[0], y_numeric=True)
        n = X.shape[0]
        weight = check_weights("sample_weight", data[1], n)
        check_some_weight(weight)
        quantile = np.full(n, check_fraction("quantile", self.quantile))
        training = make_training_set(self, X, np.zeros(n, dtype=np.intp), weight)
        target = np.array(y, dtype=np.float64)
        return (
            training,
            PinballProblem(C),
            {"weight": products(C, weight), "target": target, "quantile": quantile},
        )
