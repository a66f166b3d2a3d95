"""The weighted support vector classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from weightpath.estimators.base import UNMOVED, PathEstimator, Unmoved
from weightpath.estimators.checks import check_number, check_weights, per_row
from weightpath.estimators.class_weights import is_balanced, resolve_class_weight
from weightpath.estimators.classification import HingeProblem
from weightpath.estimators.input_data import check_settings, keep_X_y, make_training_set
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.problem import Quantities
from weightpath.estimators.training_set import TrainingSet
from weightpath.metrics.votes import one_vs_rest_values
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

    ``move`` takes ``C``, ``sample_weight`` and ``margin``: each alone or together, on a straight
    line of all :math:`C_i` and :math:`\delta_i`.

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
        sample_weight: ArrayLike | Unmoved = UNMOVED,
        margin: ArrayLike | Unmoved = UNMOVED,
    ) -> SolutionPath:
        r"""Follow the exact path to new values of several quantities at once.

        All :math:`C_i` and :math:`\delta_i` move on straight lines; what is not named stays.

        Parameters
        ----------
        C : float, optional
            The new trade-off parameter.
        sample_weight : array-like of shape (n_samples,), optional
            The new weights, as in ``reweight``.
        margin : float or array-like of shape (n_samples,), optional
            The new margins.

        Returns
        -------
        SolutionPath
            All solutions between the old values (theta = 0) and the new ones (theta = 1).
        """
        return self._move({"C": C, "sample_weight": sample_weight, "margin": margin})

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
        values, pairs = self._pair_values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        self._check_shape()
        if self.decision_function_shape == "ovo":
            return values
        return one_vs_rest_values(values, pairs, len(self.classes_))

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
        if len(problem.classes) > 2:
            self._check_shape()
        labels: NDArray[Any] = problem.classes[problem.predicted(values, self.break_ties)]
        return labels

    def _pair_values(self, X: Any) -> tuple[NDArray[np.float64], list[tuple[int, int]]]:
        """Return the values of all pairs of classes, and the pairs."""
        return self._values(X), [one.pair for one in self.subproblems_]

    def _check_shape(self) -> None:
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(
                'decision_function_shape must be "ovr" or "ovo", got '
                f"{self.decision_function_shape!r}."
            )
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError('break_ties=True needs decision_function_shape="ovr", got "ovo".')

    def _set_up(self, X: Any, *data: Any) -> tuple[TrainingSet, HingeProblem, Quantities]:
        """Check the parameters and the data of a fit; return what they define."""
        y, sample_weight, margin = data
        C = check_number("C", self.C)
        self._check_shape()
        check_settings(self, X)
        X, y = keep_X_y(self, X, y)
        check_classification_targets(y)
        n = X.shape[0]
        weight = check_weights("sample_weight", sample_weight, n)
        margins = np.ones(n) if margin is None else per_row("margin", margin, n)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "SVC needs at least two classes in y: the number of classes has to be greater than "
                f"one, got {len(classes)} class."
            )
        ones = HingeProblem(classes, C, np.ones(len(classes)), is_balanced(self.class_weight))
        ones.check({"weight": weight}, labels)
        training = make_training_set(self, X, labels, weight)
        factors = resolve_class_weight(self.class_weight, classes, labels, weight)
        problem = replace(ones, class_weight=factors)
        return training, problem, {"weight": problem.weights(weight, labels), "margin": margins}
