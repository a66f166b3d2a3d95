"""Support vector classification with a share of support vectors instead of C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from weightpath.estimators.checks import check_fraction
from weightpath.estimators.classification import HingeProblem
from weightpath.estimators.classifier_face import (
    classification,
    predicted_labels,
    shaped_values,
)
from weightpath.estimators.gradient import Gradient, one_sided
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.nu.nu_gradient import ShareAdjoint
from weightpath.estimators.nu.nu_model import NuModel
from weightpath.estimators.nu.share_search import ShareSearch
from weightpath.estimators.problem import Effort, Fitted, Quantities
from weightpath.estimators.sklearn_models import sklearn_classifier
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.svc import SVC
from weightpath.estimators.training_set import TrainingSet

__all__ = ["NuSVC"]

# By this factor C grows or falls from one path to the next.
_FACTOR = 4.0

# So many such factors around the first C are tried: sixteen orders of magnitude each way. Where
# that is beyond double precision the user is warned.
_MOST_PATHS = 27


@final
class NuSVC(ClassifierMixin, NuModel):
    r"""Support vector classification whose coefficients are the share ``nu`` of their bounds.

    The :class:`~weightpath.SVC` at the C on its path where

    .. math:: \sum_i \alpha_i = \nu \sum_i C_i, \qquad
        C_i = C \cdot \text{class\_weight} \cdot \text{sample\_weight}_i ,

    found exactly: as C grows the share never rises, and between two breakpoints both sides are
    straight lines. That is the solution of the :math:`\nu` machine [1]_: :math:`\nu` is an upper
    bound of the fraction of the weight with a margin error, and a lower bound of that of support
    vectors. Several classes are treated one against one, each pair with its own C. Where several C
    have the share, that is chosen whose inverse is in the middle.

    Parameters
    ----------
    nu : float, default=0.5
        The share; above 0 and, for each pair of classes, at most twice the fraction of the weight
        that the lighter class has.
    kernel, degree, gamma, coef0, class_weight : as in :class:`~weightpath.SVC`
        The kernel and the factors of classes.
    tol, cache_size, ridge, max_events : as in :class:`~weightpath.SVC`
        Of the fit and its paths. The result is exact whatever ``tol`` is.
    decision_function_shape, break_ties : as in :class:`~weightpath.SVC`
        Of predictions.
    shrinking, probability, verbose, max_iter, random_state : as in :class:`~weightpath.SVC`
        Taken from code written for scikit-learn, without effect.

    Attributes
    ----------
    C_ : ndarray of shape (n_pairs,)
        The C of each pair of classes.
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As of :class:`~weightpath.SVC`.
    class_weight_, gamma_, n_iter_, fit_status_, shape_fit_
        As of :class:`~weightpath.SVC`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The model does not move: when weights change, C would have to change with them, and not on a
    straight line. Of two classes :meth:`to_svc` returns the SVC at the same solution, which moves.

    References
    ----------
    .. [1] C.-C. Chang and C.-J. Lin, "Training nu-support vector classifiers: theory and
       algorithms", Neural Computation 13, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> model = wp.NuSVC(nu=0.4, gamma=0.5).fit(toy.X, toy.y)
    >>> share = np.abs(model.dual_coef_).sum() / (80 * model.C_[0])
    >>> round(float(share), 12)
    0.4
    >>> bool(model.kkt_violation() < 1e-9)
    True
    """

    kind = SVC
    kind_method = "to_svc"
    shown = (*NuModel.shown, "classes_", "class_weight_")

    classes_: NDArray[Any]
    C_: NDArray[np.float64]

    def __init__(
        self,
        nu: float = 0.5,
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
        self.nu = nu
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the C of ``nu`` and the model there, exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given.

        Returns
        -------
        self : NuSVC
        """
        return self._fit(X, y, sample_weight)

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

    def to_svc(self) -> SVC:
        """Return the classifier with C instead of nu, at the same solution; it moves.

        Returns
        -------
        SVC
            A fitted estimator, for two classes only: with more, each pair has its own C.
        """
        fitted = self._where()
        if len(self.classes_) > 2:
            raise ValueError(
                "With more than two classes each pair has its own C, which no SVC has. Fit an "
                f"SVC with a C between {self.C_.min():.4g} and {self.C_.max():.4g}."
            )
        model: SVC = self._as_kind(fitted, C=float(self.C_[0]))
        return model

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.NuSVC` with the same function, for exporters.

        Returns
        -------
        sklearn.svm.NuSVC
            It predicts as this model does, to rounding.
        """
        fitted = self._where()
        factors = fitted.attributes["class_weight_"].tolist()
        weight = dict(zip(self.classes_.tolist(), factors, strict=True))
        return sklearn_classifier("NuSVC", self, fitted, nu=self.nu, class_weight=weight)

    def _differentiate(self, fitted: Fitted, X: Any, per_function: NDArray[np.float64]) -> Gradient:
        problem: Any = replace(fitted.problem, C=1.0)  # type: ignore[call-arg]
        bound = fitted.quantities["weight"] / fitted.problem.C  # type: ignore[attr-defined]
        values, training = fitted.values(X), fitted.training
        by_weight, by_nu, ties = np.zeros(len(training)), 0.0, []
        for k, own in enumerate(fitted.subproblems):
            rows, cotangent = own.rows, np.ascontiguousarray(per_function[:, k])
            adjoint = ShareAdjoint(own, bound[rows], self.nu, training.ridge)
            functional = problem.functional(training, own, X, cotangent, adjoint.felt)
            # Decision values are those of the machine divided by C, times C.
            slopes = adjoint.slopes(functional, float(cotangent @ values[:, k]))
            by_weight[rows] += self.C_[k] * slopes.weight
            by_nu += float(self.C_[k]) * slopes.nu
            ties.append(rows[adjoint.ties])
        by_sample_weight = problem.by_sample_weight(training.labels, bound, by_weight)
        return one_sided({"sample_weight": by_sample_weight, "nu": by_nu}, ties)

    def _set_out(self, X: Any, *data: Any) -> Fitted:
        nu = check_fraction("nu", self.nu, one=True)
        training, problem, quantities = classification(self, 1.0, X, *data)
        problem.check(quantities, training.labels)
        check_feasible(nu, problem, quantities["weight"], training.labels)
        effort, pairs = self._effort(), problem.pairs
        share = effort._replace(cache_mb=effort.cache_mb / len(pairs))
        found = [self._solve(nu, training, problem, quantities, share, pair) for pair in pairs]
        self.C_ = np.array([C for _, C in found])
        if len(pairs) == 1:
            problem = replace(problem, C=float(self.C_[0]))
            quantities = {**quantities, "weight": self.C_[0] * quantities["weight"]}
        return Fitted(training, problem, quantities, tuple(one for one, _ in found))

    def _solve(
        self,
        nu: float,
        training: TrainingSet,
        problem: HingeProblem,
        quantities: Quantities,
        effort: Effort,
        pair: tuple[int, int],
    ) -> tuple[Subproblem, float]:
        """Return one pair of classes at its C, and that C."""
        weight = quantities["weight"]
        rows = problem.rows_of_pair(pair, training.labels)

        def at(C: float) -> Quantities:
            return {**quantities, "weight": C * weight}

        # Coefficients of this size move decision values by about one.
        reach = np.abs(training.kernel.diagonal(training.matrix(rows))).max() or 1.0
        C = 1.0 / float(reach)
        first = problem.solve_pair(training, at(C), effort, pair)
        options = self._options(training.ridge)
        search = ShareSearch(nu, problem, training, at, options)
        there, C, found = search.locate(first, C, _steps, _middle)
        if not found:
            sum_of_weights = float(there.reading.weights(there.stair).sum())
            least = float(np.abs(there.state.beta).sum()) / sum_of_weights
            raise ValueError(
                f"No C up to {C:.0e} has nu={nu:g}: the share stays above {least:.6g}, as it does "
                "where classes overlap. Use a larger nu, or a kernel that separates them."
            )
        return there, C


def _steps(C: float, up: bool) -> Iterator[float]:
    """Yield larger and larger, or smaller and smaller C."""
    for _ in range(_MOST_PATHS):
        C = C * _FACTOR if up else C / _FACTOR
        yield C


def _middle(lower: float, upper: float) -> float:
    """Return the C whose inverse, the margin of the problem with nu, is in the middle."""
    return 2.0 / (1.0 / lower + 1.0 / upper)


def check_feasible(
    nu: float, problem: HingeProblem, weight: NDArray[np.float64], labels: NDArray[Any]
) -> None:
    """Raise unless a solution can have the share ``nu`` for every pair of classes."""
    total = np.bincount(labels, weight, minlength=len(problem.classes))
    names = problem.classes.tolist()
    for first, second in problem.pairs:
        both = total[first] + total[second]
        most = 2.0 * min(total[first], total[second]) / both
        if nu > most * (1.0 + 1e-12):
            raise ValueError(
                f"The specified nu is infeasible: nu={nu:g}, but with the weights of the classes "
                f"{names[min(first, second)]!r} and {names[max(first, second)]!r} it is at most "
                f"{most:.6g}. Use a smaller nu, or class_weight='balanced'."
            )
