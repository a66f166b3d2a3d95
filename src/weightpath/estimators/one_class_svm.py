"""The weighted one-class support vector machine."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_fraction, check_some_weight, check_weights
from weightpath.estimators.input_data import check_settings, keep_X, make_training_set
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.one_class import OneClassProblem, on_boundary
from weightpath.estimators.problem import Quantities
from weightpath.estimators.sklearn_models import sklearn_one_class
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import SolutionPath

__all__ = ["OneClassSVM"]


@final
class OneClassSVM(OutlierMixin, PathEstimator):
    r"""Weighted one-class support vector machine with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 - \rho \, \nu \sum_i w_i + \sum_i w_i \, [\rho - w'\phi(x_i)]_+

    where :math:`w_i` are the instance weights, as scikit-learn's does: the coefficients satisfy
    :math:`0 \le \alpha_i \le w_i` and :math:`\sum_i \alpha_i = \nu \sum_i w_i`. It follows the
    solution exactly when weights or :math:`\nu` change.

    ``move`` takes ``sample_weight`` and ``nu``, each alone or together. What moves on straight
    lines are the weights and :math:`\nu \sum_i w_i`; where both move, :math:`\nu` in between is the
    mean of both ends weighted by their total weights.

    Parameters
    ----------
    nu : float, default=0.5
        An upper bound of the fraction of the weight outside the boundary and a lower bound of the
        fraction of the weight of support vectors; above 0, at most 1.
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
        Tolerance of the approximate solution that ``fit`` starts from.
        The result is exact whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, because each copy has a diagonal entry.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
    shrinking : bool, default=True
        Without effect; taken from code written for scikit-learn, as are the next ones.
    verbose : bool or int, default=False
        Without effect.
    max_iter : int, default=-1
        Without effect: the fit is exact. ``max_events`` limits the length of paths.

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
    offset_ : ndarray of shape (1,)
        The offset :math:`\rho`, with ``decision_function = score_samples - offset_``.
    weights_ : ndarray of shape (n_samples,)
        The weights that the model sits at.
    nu_ : float
        The value of nu that the model sits at.
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
    .. [1] B. Schoelkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson, "Estimating
       the support of a high-dimensional distribution", Neural Computation 13, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = wp.OneClassSVM(nu=0.5, gamma=0.5).fit(X)
    >>> path = model.move(nu=0.1)
    >>> bool(path.kkt_violation() < 1e-9)
    True
    >>> bool(np.mean(model.predict(X) == -1) <= 0.1)
    True
    """

    problem_type = OneClassProblem

    offset_: NDArray[np.float64]

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        shrinking: bool = True,
        verbose: bool | int = False,
        max_iter: int = -1,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.shrinking = shrinking
        self.verbose = verbose
        self.max_iter = max_iter

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples). They are copied, except arrays that are read-only or memory-mapped.
        y : object, default=None
            Not used.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.

        Returns
        -------
        self : OneClassSVM
        """
        return self._fit(X, sample_weight)

    def move(
        self,
        *,
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        nu: float | Unmoved = UNMOVED,
    ) -> SolutionPath:
        r"""Follow the exact path to new values of several quantities at once.

        The weights and :math:`\nu \sum_i w_i` move on straight lines; what is not named stays.

        Parameters
        ----------
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        nu : float, optional
            The new value of nu.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"sample_weight": sample_weight, "nu": nu})

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the sum of kernels at each instance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            Large for inliers.
        """
        return self.decision_function(X) + self.offset_

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the signed distances from the boundary, in units of the kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            Positive for inliers, negative for outliers; values that differ from zero only by
            rounding are zero.
        """
        return on_boundary(self._values(X)[:, 0], self.offset_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return which instances are inliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            1 for inliers, the boundary included, and -1 for outliers.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.OneClassSVM` with the same function, for exporters.

        Returns
        -------
        sklearn.svm.OneClassSVM
            It predicts as this model does, to rounding.
        """
        fitted = self._where()
        return sklearn_one_class(self, fitted, nu=fitted.attributes["nu_"])

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, OneClassProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        nu = check_fraction("nu", self.nu, one=True)
        check_settings(self, X)
        X = keep_X(self, X)
        n = X.shape[0]
        weight = check_weights("sample_weight", data[0], n)
        check_some_weight(weight)
        training = make_training_set(self, X, np.zeros(n, dtype=np.intp), weight)
        return training, OneClassProblem(), {"weight": weight, "nu": np.full(n, nu)}
