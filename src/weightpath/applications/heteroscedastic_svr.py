"""Regression whose noise differs between inputs, by weights and fits in turns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from weightpath.engine import COMPLETE
from weightpath.errors import EventCapWarning
from weightpath.estimators import SVR
from weightpath.estimators.checks import check_number, check_whole_number
from weightpath.estimators.kernel_choice import KernelFunction
from weightpath.path import SolutionPath
from weightpath.weights import heteroscedastic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.applications.reweighting_display import ReweightingDisplay

__all__ = ["HeteroscedasticSVR", "Reweighting"]


@dataclass(frozen=True)
class Reweighting:
    """One round: new weights from the last residuals, and the path to their solution.

    Attributes
    ----------
    change : float
        The mean relative change of the residuals, which the stopping rule watches.
    largest_change : float
        The largest change of a fitted value.
    n_events : int
        Events of the path.
    residual_scale : float
        Root of the mean squared residual at its end.
    objective : float
        The weighted objective at its end; computed when it is first read.
    path : SolutionPath
        The path.
    """

    change: float
    largest_change: float
    n_events: int
    residual_scale: float
    path: SolutionPath = field(repr=False, compare=False)

    @cached_property
    def objective(self) -> float:
        """The weighted objective at the end of the path."""
        return float(self.path.at(1.0).objective)


class HeteroscedasticSVR(RegressorMixin, BaseEstimator):
    r"""Support vector regression for unequal noise: weights from residuals, in turns with fits.

    The first fit has equal weights. Then, with the residuals :math:`e_i` of the last one,

    .. math:: C_i = C \frac{\hat\sigma}{\max(|e_i|, \text{floor} \cdot \hat\sigma)}, \qquad
              \hat\sigma = \sqrt{\frac1n \sum_j e_j^2},

    and the solution follows along an exact path of :class:`weightpath.SVR`; again and again until
    the residuals hardly change,

    .. math:: \frac1n \sum_i \frac{|e_i^{\text{old}} - e_i|}
              {\max(|e_i^{\text{old}}|, \text{floor} \cdot \hat\sigma^{\text{old}})}
              \le \text{tol} .

    With ``floor=0`` that is the scheme of [1]_, section 5.1, which a residual of zero breaks.

    Parameters
    ----------
    C : float, default=1.0
        Trade-off parameter: the weight of an instance whose residual is as large as
        :math:`\hat\sigma`.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid".
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    epsilon : float, default=0.1
        Half the width of the tube within which an error costs nothing.
    max_iter : int, default=200
        The most reweightings. A scheme that needs more ends with a warning.
    tol : float, default=1e-3
        The mean relative change of the residuals at which to stop.
    floor : float, default=1e-3
        Residuals below this fraction of :math:`\hat\sigma` count as that large: no weight exceeds
        C / floor.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix.
    max_events : int, default=1_000_000
        A path of more events ends the scheme, with a warning.

    Attributes
    ----------
    svr_ : SVR
        The model at the last weights.
    paths_ : list of SolutionPath
        The path of each reweighting. ``paths_[0].model_at(0)`` is the fit with equal weights.
    history_ : list of Reweighting
        What each changed, its events and its objective.
    n_iter_ : int
        How many reweightings there were.
    weights_ : ndarray of shape (n_samples,)
        The ``C_i`` that the model sits at.
    residual_ : ndarray of shape (n_samples,)
        Targets minus fitted values.
    residual_scale_ : float
        Root of their mean square.
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
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(0, 1, 80)[:, None]
    >>> y = np.sin(6 * X[:, 0]) + rng.normal(0, 0.02 + 0.4 * X[:, 0])
    >>> model = wp.HeteroscedasticSVR(C=1.0, gamma=5.0, epsilon=0.02).fit(X, y)
    >>> model.history_[-1].change <= 1e-3
    True
    >>> bool(max(path.kkt_violation() for path in model.paths_) < 1e-9)
    True
    """

    svr_: SVR
    paths_: list[SolutionPath]
    history_: list[Reweighting]

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        epsilon: ArrayLike = 0.1,
        max_iter: int = 200,
        tol: float = 1e-3,
        floor: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.tol = tol
        self.floor = floor
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit with equal weights, then reweight until the residuals hardly change.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training instances; for a precomputed kernel its matrix of shape
            (n_samples, n_samples).
        y : array-like of shape (n_samples,)
            The values to fit.

        Returns
        -------
        self : HeteroscedasticSVR
        """
        most = check_whole_number("max_iter", self.max_iter, 1)
        tol = check_number("tol", self.tol, strict=False)
        floor = check_number("floor", self.floor, strict=False)
        names = set(SVR().get_params()) & set(self.get_params()) - {"tol", "max_iter"}
        svr = SVR(**{name: getattr(self, name) for name in names}).fit(X, y)
        paths: list[SolutionPath] = []
        history: list[Reweighting] = []
        residual, change = svr.target_ - svr.predict(X), np.inf
        status: Any = COMPLETE
        while change > tol and len(paths) < most:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EventCapWarning)
                path = svr.reweight(heteroscedastic(residual, floor))
            status = path.status
            if status != COMPLETE:
                break
            old, residual = residual, svr.target_ - svr.predict(X)
            change = relative_change(old, residual, floor)
            paths.append(path)
            history.append(_round(change, old, residual, path))
        if status != COMPLETE:
            message = f"{status.message} The model stays at the weights before."
            warnings.warn(message, EventCapWarning, stacklevel=2)
        elif change > tol:
            warnings.warn(
                f"After {most} reweightings the residuals still change, by {change:.2g} in the "
                f"mean (tol={tol:g}). Raise max_iter, tol or floor, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.__dict__.pop("feature_names_in_", None)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(svr, name):
                setattr(self, name, getattr(svr, name))
        self.svr_, self.paths_, self.history_, self.n_iter_ = svr, paths, history, len(paths)
        self.weights_, self.residual_ = svr.weights_, residual
        self.residual_scale_ = float(np.sqrt(np.mean(residual**2)))
        return self

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
        check_is_fitted(self)
        return self.svr_.predict(X)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> ReweightingDisplay:
        """Draw how the residuals settle, round by round.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        **kwargs
            Passed to :meth:`ReweightingDisplay.plot`.

        Returns
        -------
        ReweightingDisplay
            Holds ``ax_`` and ``figure_``.
        """
        from weightpath.applications.reweighting_display import ReweightingDisplay

        check_is_fitted(self)
        return ReweightingDisplay(self.history_, self.tol).plot(ax, **kwargs)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.sparse = not precomputed
        tags.input_tags.pairwise = precomputed
        return tags


def relative_change(old: NDArray[np.float64], new: NDArray[np.float64], floor: float) -> float:
    """Return the mean change of residuals, relative to the old ones or to the least that counts.

    Parameters
    ----------
    old, new : ndarray of shape (n,)
        Residuals.
    floor : float
        Fraction of their root mean square below which old ones count as that large.

    Returns
    -------
    float
        The mean; zero if nothing changed.
    """
    moved = np.abs(old - new)
    size = np.maximum(np.abs(old), floor * np.sqrt(np.mean(old**2)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.mean(np.where(moved == 0, 0.0, moved / size)))


def _round(
    change: float, old: NDArray[np.float64], residual: NDArray[np.float64], path: SolutionPath
) -> Reweighting:
    return Reweighting(
        change=change,
        largest_change=float(np.abs(old - residual).max()),
        n_events=path.n_events,
        residual_scale=float(np.sqrt(np.mean(residual**2))),
        path=path,
    )
