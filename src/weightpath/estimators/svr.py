"""Weighted support vector regression."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_number
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.problem import Quantities
from weightpath.estimators.regression import TubeProblem
from weightpath.estimators.regressor_face import regression
from weightpath.estimators.sklearn_models import sklearn_regressor
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import SolutionPath

__all__ = ["SVR"]


@final
class SVR(RegressorMixin, PathEstimator):
    r"""Weighted support vector regression with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, [\,|y_i - w'\phi(x_i) - b| - \epsilon_i]_+, \qquad
        C_i = C \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i`, the half-widths :math:`\epsilon_i` of
    the tubes or the targets :math:`y_i` change.

    ``move`` takes ``C``, ``sample_weight``, ``epsilon`` (a number or one for each instance) and
    ``y``: each alone or together, on a straight line of all :math:`C_i`, :math:`\epsilon_i` and
    :math:`y_i`. On paths the instances within their tubes are ``inside``, those on the edge of
    their tubes are the ``margin``, the others are ``outside``.

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

    problem_type = TubeProblem

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        epsilon: ArrayLike = 0.1,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        shrinking: bool = True,
        verbose: bool | int = False,
        max_iter: int = -1,
    ) -> None:
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
        self.shrinking = shrinking
        self.verbose = verbose
        self.max_iter = max_iter

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
        self : SVR
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
        epsilon: ArrayLike | Unmoved = UNMOVED,
        y: ArrayLike | Unmoved = UNMOVED,
    ) -> SolutionPath:
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
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"C": C, "sample_weight": sample_weight, "epsilon": epsilon, "y": y})

    def add(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        epsilon: ArrayLike | None = None,
    ) -> SolutionPath:
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
        return self._slide(X, y, 0, None, sample_weight=sample_weight, epsilon=epsilon)

    def slide(
        self,
        X: Any,
        y: ArrayLike | None = None,
        drop: int = 0,
        sample_weight: ArrayLike | None = None,
        epsilon: ArrayLike | None = None,
    ) -> SolutionPath:
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
        return self._slide(X, y, drop, sample_weight, epsilon=epsilon)

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.SVR` with the same function, for exporters.

        Returns
        -------
        sklearn.svm.SVR
            It predicts as this model does, to rounding. Its
            ``epsilon`` is the mean of those of the instances.
        """
        fitted = self._where()
        epsilon = float(fitted.quantities["epsilon"].mean())
        C = fitted.attributes["C_"]
        return sklearn_regressor("SVR", self, fitted, C=C, epsilon=epsilon)

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, TubeProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        return regression(self, check_number("C", self.C), self.epsilon, X, *data)
