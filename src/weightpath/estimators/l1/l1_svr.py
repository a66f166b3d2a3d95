"""Regression with the epsilon-insensitive loss and absolute penalties, a linear program."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from weightpath.estimators.base import UNMOVED, Unmoved
from weightpath.estimators.checks import check_number
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.l1.base import LinearProgramEstimator
from weightpath.estimators.problem import Quantities
from weightpath.estimators.regression import TubeProblem
from weightpath.estimators.regressor_face import regression
from weightpath.estimators.training_set import TrainingSet
from weightpath.path.programs import LinearProgramPath

__all__ = ["L1SVR"]


@final
class L1SVR(RegressorMixin, LinearProgramEstimator):
    r"""Support vector regression as a linear program, with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \sum_j |w_j| + \sum_i C_i \, [\,|y_i - w'x_i - b| - \epsilon_i]_+, \qquad
        C_i = C \cdot \text{sample\_weight}_i ,

    with a bias that is not penalised, and follows the solution exactly when the :math:`C_i`, the
    half-widths :math:`\epsilon_i` of the tubes or the targets :math:`y_i` change. The solution is a
    vertex of a linear program: most coefficients are exactly zero. With a kernel the columns of its
    matrix take the place of the features; it need not be positive semidefinite.

    While weights move, the model is a step function of theta: it jumps from vertex to vertex. While
    targets or tubes move, it is piecewise linear.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter. Small values give no coefficients at all.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="linear"
        "linear" has a coefficient for each feature, all others for the kernel of each training
        row. The matrix of a kernel must be symmetric.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid", as for :class:`~weightpath.SVR`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    epsilon : float or array-like of shape (n_samples,), default=0.1
        Half the width of the tube within which an error costs nothing, of all instances or of
        each. Zero gives least absolute deviations with absolute penalties.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients of the features; linear kernel only.
    intercept_ : ndarray of shape (1,)
        The bias.
    support_ : ndarray of shape (n_support,)
        Training rows whose kernels have a coefficient; other kernels only, as are the next two.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    dual_coef_ : ndarray of shape (1, n_support)
        Their coefficients.
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
    n_iter_ : int
        One: an exact fit does not iterate until it is close enough.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if ``X`` had any.

    References
    ----------
    .. [1] A. Smola, B. Schoelkopf, G. Raetsch, "Linear programs for automatic accuracy control in
       regression", ICANN 1999.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(50 * X[:, 0])
    >>> model = wp.L1SVR(C=1, kernel="rbf", gamma=1.0, epsilon=0.2).fit(X, y)
    >>> path = model.move(epsilon=0.05, sample_weight=np.linspace(0.1, 1, 60))
    >>> bool(path.kkt_violation() < 1e-9)
    True
    >>> model.support_.size > path.model_at(0).support_.size
    True
    """

    problem_type = TubeProblem

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "linear",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        epsilon: ArrayLike = 0.1,
        max_events: int = 1_000_000,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.epsilon = epsilon
        self.max_events = max_events

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            The values to fit.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set; with a kernel their columns stay, too.

        Returns
        -------
        self : L1SVR
        """
        return self._fit(X, y, sample_weight)

    def move(
        self,
        *,
        C: float | Unmoved = UNMOVED,
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        epsilon: ArrayLike | Unmoved = UNMOVED,
        y: ArrayLike | Unmoved = UNMOVED,
    ) -> LinearProgramPath:
        r"""Follow the exact path to new values of several quantities at once.

        All :math:`C_i`, :math:`\epsilon_i` and :math:`y_i` move on straight lines; what is not
        named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        epsilon : float or array-like of shape (n_samples,), optional
            The new half-widths of the tubes.
        y : array-like of shape (n_samples,), optional
            The new targets.

        Returns
        -------
        LinearProgramPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"C": C, "sample_weight": sample_weight, "epsilon": epsilon, "y": y})

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

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, TubeProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        return regression(self, check_number("C", self.C), self.epsilon, X, *data)
