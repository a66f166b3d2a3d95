"""The weighted support vector classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_number
from weightpath.estimators.classification import HingeProblem
from weightpath.estimators.classifier_face import (
    classification,
    predicted_labels,
    shaped_values,
)
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.problem import Quantities
from weightpath.estimators.sklearn_models import sklearn_classifier
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import SolutionPath

__all__ = ["SVC"]


@final
class SVC(ClassifierMixin, PathEstimator):
    r"""Weighted support vector classification with exact paths.

    Minimises, exactly and with a certificate,

    .. math::

        \tfrac12 \|w\|^2 + \sum_i C_i \, [\delta_i - y_i (w'\phi(x_i) + b)]_+, \qquad
        C_i = C \cdot \text{class\_weight} \cdot \text{sample\_weight}_i ,

    and follows the solution exactly when the :math:`C_i` or the margins :math:`\delta_i` (one by
    default) change. Several classes are treated one against one, as in scikit-learn.

    ``move`` takes ``C``, ``sample_weight``, ``margin`` and ``class_weight``: each alone or
    together, on a straight line of all :math:`C_i` and :math:`\delta_i`.

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
    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class. "balanced" means total weight / (n_classes * weight of the
        class), made anew whenever instance weights move, so that every model equals a fresh fit.
    tol : float, default=1e-3
        Tolerance of the approximate solution that ``fit`` starts from. The result is exact
        whatever its value.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record: most of it for
        kernel columns, the rest for the work around them.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix; not needed, but the paper used 1e-6. With a
        ridge weight 2 no longer equals two copies, because each copy has a diagonal entry.
    max_events : int, default=1_000_000
        A path stops after this many events, with a warning, and the model stays where it was.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape of ``decision_function`` for more than two classes.
    break_ties : bool, default=False
        Whether ``predict`` breaks ties of votes by ``decision_function``; needs "ovr".
    shrinking : bool, default=True
        Without effect; taken from code written for scikit-learn, as are the next ones.
    probability : False, default=False
        Only False. For probabilities use ``CalibratedClassifierCV(SVC(), ensemble=False)`` of
        :mod:`sklearn.calibration`.
    verbose : bool or int, default=False
        Without effect.
    max_iter : int, default=-1
        Without effect: the fit is exact. ``max_events`` limits the length of paths.
    random_state : object, default=None
        Without effect: nothing is random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_support,)
        Training rows with a coefficient, by class.
    support_vectors_ : ndarray or sparse matrix of shape (n_support, n_features)
        These rows (empty for a precomputed kernel).
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        Coefficients, laid out as in scikit-learn.
    intercept_ : ndarray of shape (n_classes * (n_classes - 1) / 2,)
        The bias, the middle of its interval where it is not unique.
    coef_ : ndarray of shape (n_pairs, n_features)
        Weights of the features; linear kernel only.
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
    n_iter_ : ndarray of shape (n_pairs,)
        Ones: an exact fit does not iterate until it is close enough.
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
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.SVC(C=10, gamma=0.5).fit(toy.X, toy.y)
    >>> path = model.reweight(np.where(toy.cost == 1, 0.5, 1.0))
    >>> bool(path.kkt_violation() < 1e-9)
    True
    """

    problem_type = HingeProblem

    classes_: NDArray[Any]

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        shrinking: bool = True,
        probability: bool | str = False,
        verbose: bool | int = False,
        max_iter: int = -1,
        random_state: object = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.shrinking = shrinking
        self.probability = probability
        self.verbose = verbose
        self.max_iter = max_iter
        self.random_state = random_state

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
            n_samples). They are copied, except arrays that are read-only or memory-mapped.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given. Instances of weight zero have no influence
            but stay in the training set.
        margin : float or array-like of shape (n_samples,) or None, default=None
            The margin asked of each instance; one if not given. It may be zero or negative.

        Returns
        -------
        self : SVC
        """
        return self._fit(X, y, sample_weight, margin)

    def move(
        self,
        *,
        C: float | Unmoved = UNMOVED,
        class_weight: Mapping[Any, float] | str | Unmoved | None = UNMOVED,
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        margin: ArrayLike | Unmoved = UNMOVED,
    ) -> SolutionPath:
        r"""Follow the exact path to new values of several quantities at once.

        All :math:`C_i` and :math:`\delta_i` move on straight lines; what is not named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        class_weight : dict, "balanced" or None, optional
            The new factors of classes, as when the model is made; classes that a dict leaves out
            have the factor 1. The parameter ``class_weight`` stays; see ``class_weight_``.
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        margin : float or array-like of shape (n_samples,), optional
            The new margins.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        given = {"C": C, "class_weight": class_weight, "sample_weight": sample_weight}
        return self._move({**given, "margin": margin})

    def add(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        margin: ArrayLike | None = None,
    ) -> SolutionPath:
        """Add instances along an exact path: their weights rise from zero.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            New instances. For a precomputed kernel, the kernel values with all training
            instances and then with the new ones: shape (n_new, n_samples + n_new).
        y : array-like of shape (n_new,)
            Their labels, of classes that the model knows.
        sample_weight : array-like of shape (n_new,) or None, default=None
            Their weights; ones if not given.
        margin : float or array-like of shape (n_new,) or None, default=None
            Their margins; one if not given.

        Returns
        -------
        SolutionPath
            The path on the enlarged training set; the new instances come last.
        """
        return self._slide(X, y, 0, None, sample_weight=sample_weight, margin=margin)

    def slide(
        self,
        X: Any,
        y: ArrayLike | None = None,
        drop: int = 0,
        sample_weight: ArrayLike | None = None,
        margin: ArrayLike | None = None,
    ) -> SolutionPath:
        """Add instances, drop the oldest and change all weights, on one exact path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals; they come last in the training set. For a precomputed kernel as in ``add``.
        y : array-like of shape (n_new,)
            Their labels.
        drop : int, default=0
            How many of the first instances depart.
        sample_weight : array-like of shape (n_samples - drop + n_new,) or None, default=None
            The weights of all instances afterwards. If not given, those that stay keep theirs
            and arrivals have one.
        margin : float or array-like of shape (n_new,) or None, default=None
            Margins of the arrivals; one if not given.

        Returns
        -------
        SolutionPath
            The path on the training set with the arrivals and, still, the departing instances.
        """
        return self._slide(X, y, drop, sample_weight, margin=margin)

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
        problem: Any = self._fitted.problem
        return shaped_values(self, problem, values)

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
        problem: Any = self._fitted.problem
        return predicted_labels(self, problem, values)

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.SVC` with the same function, for exporters.

        Returns
        -------
        sklearn.svm.SVC
            It predicts as this model does, to rounding.
        """
        fitted = self._where()
        found = fitted.attributes
        factors = dict(zip(self.classes_.tolist(), found["class_weight_"].tolist(), strict=True))
        return sklearn_classifier("SVC", self, fitted, C=found["C_"], class_weight=factors)

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, HingeProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        return classification(self, check_number("C", self.C), X, *data)
