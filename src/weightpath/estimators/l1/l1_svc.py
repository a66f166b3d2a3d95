"""The 1-norm support vector classifier, a linear program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from weightpath.estimators.base import UNMOVED, Unmoved
from weightpath.estimators.checks import check_number
from weightpath.estimators.classification import HingeProblem
from weightpath.estimators.classifier_face import (
    classification,
    predicted_labels,
    shaped_values,
)
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.l1.base import LinearProgramEstimator
from weightpath.estimators.problem import Quantities
from weightpath.estimators.training_set import TrainingSet
from weightpath.path.programs import LinearProgramPath

__all__ = ["L1SVC"]


@final
class L1SVC(ClassifierMixin, LinearProgramEstimator):
    r"""The 1-norm support vector machine (linear program machine) with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \sum_j |w_j| + \sum_i C_i \, [\delta_i - y_i (w'x_i + b)]_+, \qquad
        C_i = C \cdot \text{class\_weight} \cdot \text{sample\_weight}_i ,

    with a bias that is not penalised, and follows the solution exactly when the :math:`C_i` or the
    margins :math:`\delta_i` (one by default) change. The solution is a vertex of a linear program:
    most coefficients are exactly zero. With a kernel the columns of its matrix take the place of
    the features, :math:`f(x) = \sum_j w_j k(x, x_j) + b`; it need not be positive semidefinite.
    Several classes are treated one against one.

    While weights move, the model is a step function of theta: it jumps from vertex to vertex. At a
    breakpoint everything between two vertices is optimal, and ``path.at(theta)`` is the middle.

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
        Coefficient of "rbf", "poly" and "sigmoid", as for :class:`~weightpath.SVC`.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class. "balanced" means total weight / (n_classes * weight of the
        class), made anew whenever instance weights move.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes.
    break_ties : bool, default=False
        Whether ``predict`` breaks ties of votes by ``decision_function``; needs "ovr".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (n_pairs, n_features)
        Coefficients of the features; linear kernel only.
    intercept_ : ndarray of shape (n_pairs,)
        The bias.
    support_ : ndarray of shape (n_support,)
        Training rows whose kernels have a coefficient; other kernels only, as are the next two.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    dual_coef_ : ndarray of shape (n_pairs, n_support)
        Their coefficients.
    weights_ : ndarray of shape (n_samples,)
        The ``C_i`` that the model sits at.
    margin_ : ndarray of shape (n_samples,)
        The margins that the model sits at.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C for each class.
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
    .. [1] J. Zhu, S. Rosset, T. Hastie, R. Tibshirani, "1-norm support vector machines", NIPS 2003.
    .. [2] P. S. Bradley, O. L. Mangasarian, "Feature selection via concave minimization and support
       vector machines", ICML 1998.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=100) > 0, 1, -1)
    >>> model = wp.L1SVC(C=0.06).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([ 0,  1, 11])
    >>> path = model.reweight(np.linspace(2, 0, 100))
    >>> bool(path.kkt_violation() < 1e-9)
    True
    """

    problem_type = HingeProblem

    classes_: NDArray[Any]

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "linear",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        max_events: int = 1_000_000,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.max_events = max_events
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        margin: ArrayLike | None = None,
    ) -> Self:
        """Fit the model exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set; with a kernel their columns stay, too.
        margin : float or array-like of shape (n_samples,) or None, default=None
            The margin asked of each instance; one if not given.

        Returns
        -------
        self : L1SVC
        """
        return self._fit(X, y, sample_weight, margin)

    def move(
        self,
        *,
        C: float | Unmoved = UNMOVED,
        class_weight: Mapping[Any, float] | str | Unmoved | None = UNMOVED,
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        margin: ArrayLike | Unmoved = UNMOVED,
    ) -> LinearProgramPath:
        r"""Follow the exact path to new values of several quantities at once.

        All :math:`C_i` and :math:`\delta_i` move on straight lines; what is not named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        class_weight : dict, "balanced" or None, optional
            The new factors of classes.
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        margin : float or array-like of shape (n_samples,), optional
            The new margins.

        Returns
        -------
        LinearProgramPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        given = {"C": C, "class_weight": class_weight, "sample_weight": sample_weight}
        return self._move({**given, "margin": margin})

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,), (n, n_classes) or (n, n_classes * (n_classes - 1) / 2)
            Two classes: positive for ``classes_[1]``. More: by ``decision_function_shape``.
        """
        values = self._values(X)
        return shaped_values(self, self._fitted.problem, values)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances; for a precomputed kernel its values with all training instances.

        Returns
        -------
        ndarray of shape (n,)
            Labels of the classes.
        """
        values = self._values(X)
        return predicted_labels(self, self._fitted.problem, values)

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, HingeProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        return classification(self, check_number("C", self.C), X, *data)
