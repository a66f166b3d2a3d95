"""Support vector regression with a share of support vectors instead of epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from weightpath.estimators.checks import check_fraction, check_number
from weightpath.estimators.gradient import Gradient, one_sided
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.estimators.nu.nu_gradient import ShareAdjoint
from weightpath.estimators.nu.nu_model import NuModel
from weightpath.estimators.nu.share_search import ShareSearch
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.estimators.regressor_face import regression
from weightpath.estimators.sklearn_models import sklearn_regressor
from weightpath.estimators.svr import SVR

__all__ = ["NuSVR"]

# The tube in which the search begins, as a fraction of the one that holds all targets.
_FIRST = 0.1

# By this factor epsilon grows or falls from one path to the next, downwards so often before zero.
_FACTOR, _MOST_DOWN = 3.0, 4


@final
class NuSVR(RegressorMixin, NuModel):
    r"""Support vector regression whose coefficients are the share ``nu`` of their bounds.

    The :class:`~weightpath.SVR` at the epsilon on its path where

    .. math:: \sum_i |\beta_i| = \nu \sum_i C_i, \qquad C_i = C \cdot \text{sample\_weight}_i ,

    found exactly: as epsilon grows the left side never rises, and between two breakpoints it is a
    straight line; where it jumps, the coefficients are between both sides, with the same function.
    Where even epsilon = 0 has a smaller share, that is the solution. :math:`\nu` is
    an upper bound of the fraction of the weight outside the tube, and a lower bound of that of
    support vectors [1]_.

    Parameters
    ----------
    nu : float, default=0.5
        The share; above 0, at most 1.
    C : float, default=1.0
        Trade-off parameter.
    kernel, degree, gamma, coef0 : as in :class:`~weightpath.SVR`
        The kernel.
    tol, cache_size, ridge, max_events : as in :class:`~weightpath.SVR`
        Of the fit and its paths. The result is exact whatever ``tol`` is.
    shrinking, verbose, max_iter : as in :class:`~weightpath.SVR`
        Taken from code written for scikit-learn, without effect.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube that was found.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As of :class:`~weightpath.SVR`.
    gamma_, n_iter_, fit_status_, shape_fit_
        As of :class:`~weightpath.SVR`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The model does not move: when weights change, epsilon would have to change with them, and not on
    a straight line. :meth:`to_svr` returns the SVR at the same solution, which moves.

    References
    ----------
    .. [1] B. Schoelkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett, "New support vector
       algorithms", Neural Computation 12, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(50 * X[:, 0])
    >>> model = wp.NuSVR(nu=0.25, C=10, gamma=0.5).fit(X, y)
    >>> round(float(np.abs(model.dual_coef_).sum() / (60 * 10)), 12)
    0.25
    >>> bool(np.mean(np.abs(y - model.predict(X)) > model.epsilon_ + 1e-9) <= 0.25)
    True
    """

    kind = SVR
    kind_method = "to_svr"

    epsilon_: float

    def __init__(
        self,
        nu: float = 0.5,
        *,
        C: float = 1.0,
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
        self.C = C
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the epsilon of ``nu`` and the model there, exactly.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape (n_samples,
            n_samples).
        y : array-like of shape (n_samples,)
            The values to fit.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights, not negative; ones if not given.

        Returns
        -------
        self : NuSVR
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

    def to_svr(self) -> SVR:
        """Return the regression with epsilon instead of nu, at the same solution; it moves.

        Returns
        -------
        SVR
            A fitted estimator.
        """
        fitted = self._where()
        state = fitted.subproblems[0].state
        guess = state.beta, state.bias
        # A solution that can move: where the share jumps, the model is between two of them.
        problem: Any = fitted.problem
        there = problem.solve_pair(fitted.training, fitted.quantities, self._effort(), guess=guess)
        model: SVR = self._as_kind(replace(fitted, subproblems=(there,)), epsilon=self.epsilon_)
        return model

    def to_sklearn(self) -> Any:
        """Return a fitted :class:`sklearn.svm.NuSVR` with the same function, for exporters.

        Returns
        -------
        sklearn.svm.NuSVR
            It predicts as this model does, to rounding.
        """
        return sklearn_regressor("NuSVR", self, self._where(), nu=self.nu, C=self.C)

    def _differentiate(self, fitted: Fitted, X: Any, per_function: NDArray[np.float64]) -> Gradient:
        cotangent = np.ascontiguousarray(per_function[:, 0])
        if self.epsilon_ == 0.0:
            # Even a tube without width has a smaller share: nu has no effect.
            found = self.to_svr().gradient(X, cotangent)
            kept = {name: found[name] for name in ("sample_weight", "C", "y")}
            sides = tuple(name for name in found.one_sided if name in kept)
            return Gradient({**kept, "nu": 0.0}, found.rows, sides)
        problem: Any = fitted.problem
        (own,), weight = fitted.subproblems, fitted.quantities["weight"]
        adjoint = ShareAdjoint(own, weight, self.nu, fitted.training.ridge)
        functional = problem.functional(fitted.training, own, X, cotangent, adjoint.felt)
        slopes = adjoint.slopes(functional, 0.0)
        by_weight = problem.by_weights(weight, slopes.weight)
        return one_sided({**by_weight, "y": slopes.target, "nu": slopes.nu}, [adjoint.ties])

    def _set_out(self, X: Any, *data: Any) -> Fitted:
        nu = check_fraction("nu", self.nu, one=True)
        C = check_number("C", self.C)
        training, problem, quantities = regression(self, C, 0.0, X, *data)
        problem.check(quantities, training.labels)

        def at(epsilon: float) -> Quantities:
            return {**quantities, "epsilon": np.full(len(training), epsilon)}

        counts = quantities["target"][quantities["weight"] > 0]
        # The tube around the middle holds all targets, with some room.
        widest = 0.505 * float(np.ptp(counts))
        epsilon = _FIRST * widest
        solution = problem.solve_pair(training, at(epsilon), self._effort())
        search = ShareSearch(nu, problem, training, at, self._options(training.ridge))

        def steps(epsilon: float, up: bool) -> Iterator[float]:
            return _upwards(epsilon, widest) if up else _downwards(epsilon)

        if widest > 0.0:
            solution, epsilon, _ = search.locate(solution, epsilon, steps, _middle)
        self.epsilon_ = epsilon
        return Fitted(training, problem, at(epsilon), (solution,))


def _upwards(epsilon: float, widest: float) -> Iterator[float]:
    """Yield wider and wider tubes; the last one holds all targets."""
    while epsilon < widest:
        epsilon = min(_FACTOR * epsilon, widest)
        yield epsilon


def _middle(lower: float, upper: float) -> float:
    return 0.5 * (lower + upper)


def _downwards(epsilon: float) -> Iterator[float]:
    """Yield narrower and narrower tubes; the last one has no width."""
    for _ in range(_MOST_DOWN):
        epsilon /= _FACTOR
        yield epsilon
    yield 0.0
