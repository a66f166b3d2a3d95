"""Classification under covariate shift, with the flattening of the weights chosen exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from weightpath.curves import Curve, mean_curve
from weightpath.engine import COMPLETE
from weightpath.errors import Advice, PathError
from weightpath.estimators import SVC
from weightpath.metrics import Metric
from weightpath.path import SolutionPath
from weightpath.weights import ImportanceFit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from weightpath.plotting import CurveDisplay

__all__ = ["CovariateShiftSVC"]


class CovariateShiftSVC(ClassifierMixin, BaseEstimator):
    r"""A classifier for inputs whose distribution differs from that of the training rows.

    Weighting each training row by its *importance*, the ratio :math:`r(x)` of the two input
    densities, removes the bias of covariate shift but adds variance. In between are the flattened
    weights

    .. math:: w_i(\theta) = 1 - \theta + \theta \, r(x_i), \qquad 0 \le \theta \le 1 ,

    all of which lie on one exact path. On the training rows of every fold that path is followed;
    the error on the other rows, weighted by importance and so an estimate of the error on the new
    inputs [1]_, is an exact function of :math:`\theta`, and the best :math:`\theta` is chosen. No
    labels of new inputs are needed.

    Parameters
    ----------
    estimator : SVC or None, default=None
        The classifier; ``SVC()`` if not given. It is not changed.
    cv : int, splitter or iterable, default=5
        Folds, as in scikit-learn.
    metric : str or Metric, default="zero_one"
        What decides, a metric of classifiers; see :meth:`weightpath.SolutionPath.curve`.
    sigma, ridge : float, sequence of float or None, default=None
        Width and ridge of the importance, or several to choose from; see
        :class:`weightpath.weights.ImportanceFit`.
    n_basis : int, default=100
        Largest number of bumps in the model of the importance.
    random_state : int, RandomState instance or None, default=0
        Draws the centres of the bumps.
    n_jobs : int or None, default=None
        How many folds are done at once, by joblib.

    Attributes
    ----------
    flattening_ : float
        The chosen :math:`\theta`: 0 for equal weights, 1 for the importance itself.
    curve_ : Curve
        The importance-weighted error over all held-out rows, exact at every :math:`\theta`.
    fold_curves_ : list of Curve
        That of every fold.
    importance_ : ndarray of shape (n_samples,)
        The importance of the training rows.
    importance_fit_ : ImportanceFit or None
        The ratio of the densities as a function; None without new inputs.
    weights_ : ndarray of shape (n_samples,)
        The flattened weights that were chosen.
    path_ : SolutionPath
        The path on all rows, from equal weights to the importance.
    best_estimator_ : SVC
        The model on all rows at the chosen theta, an ordinary fitted estimator.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    References
    ----------
    .. [1] M. Sugiyama, M. Krauledat and K.-R. Müller, "Covariate shift adaptation by importance
       weighted cross validation", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(0, 1, (120, 2)), rng.normal(0.7, 0.7, (100, 2))
    >>> y = np.where(X[:, 0] ** 2 + X[:, 1] > 1, 1, -1)
    >>> model = wp.CovariateShiftSVC(wp.SVC(C=1, kernel="linear")).fit(X, y, X_test=X_new)
    >>> bool(model.curve_(model.flattening_) <= min(model.curve_(0.0), model.curve_(1.0)))
    True
    """

    def __init__(
        self,
        estimator: SVC | None = None,
        cv: Any = 5,
        *,
        metric: str | Metric = "zero_one",
        sigma: float | Sequence[float] | None = None,
        ridge: float | Sequence[float] | None = None,
        n_basis: int = 100,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.metric = metric
        self.sigma = sigma
        self.ridge = ridge
        self.n_basis = n_basis
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, X_test: Any = None) -> Self:
        """Estimate the importance, choose the flattening, and make the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows. Features should be on comparable scales.
        y : array-like of shape (n_samples,)
            Their labels.
        X_test : array-like of shape (n_test, n_features) or None, default=None
            Inputs as they will be in use; no labels. Without them nothing is known of a shift, and
            every importance is one.

        Returns
        -------
        self : CovariateShiftSVC
        """
        estimator = SVC() if self.estimator is None else self.estimator
        if not hasattr(estimator, "reweight"):
            raise TypeError(
                "CovariateShiftSVC needs a classifier that can reweight, such as weightpath.SVC; "
                f"{type(estimator).__name__} cannot."
            )
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        ratio = self._ratio(X, X_test)
        weight = np.ones(X.shape[0]) if ratio is None else ratio(X)
        folds = list(check_cv(self.cv, y, classifier=True).split(X, y))
        if ratio is not None:
            for train in (slice(None), *(train for train, _ in folds)):
                check_importance(y[train], weight[train], ratio.sigma)
        tasks = (
            delayed(trace_fold)(estimator, X, y, weight, train, test, self.metric)
            for train, test in folds
        )
        curves = Parallel(n_jobs=self.n_jobs)(tasks)
        model, path = traced(estimator, X, y, weight)
        share = [float(weight[test].sum()) for _, test in folds]
        self.fold_curves_: list[Curve] = curves
        # A fold without importance says nothing about the new inputs.
        counted = [k for k, curve in enumerate(curves) if curve is not None]
        self.curve_ = mean_curve([curves[k] for k in counted], [share[k] for k in counted])
        self.flattening_ = self.curve_.best.theta
        self.importance_, self.importance_fit_ = weight, ratio
        self.weights_ = 1.0 - self.flattening_ + self.flattening_ * weight
        self.path_ = path
        self.best_estimator_ = path.model_at(self.flattening_)
        self.classes_ = model.classes_
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of the chosen model.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray
            As of ``best_estimator_``.
        """
        check_is_fitted(self)
        values: NDArray[np.float64] = self.best_estimator_.decision_function(self._rows(X))
        return values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes that the chosen model predicts.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Labels of the classes.
        """
        check_is_fitted(self)
        predictions: NDArray[Any] = self.best_estimator_.predict(self._rows(X))
        return predictions

    def plot(self, ax: Axes | None = None, **options: Any) -> CurveDisplay:
        """Draw the importance-weighted error against the flattening, with its best theta.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a new figure by default.
        **options
            Passed on to :meth:`weightpath.Curve.plot`.

        Returns
        -------
        CurveDisplay
            Holds the data, ``ax_`` and ``figure_``.
        """
        check_is_fitted(self)
        display = self.curve_.plot(ax=ax, **options)
        display.ax_.set_xlabel("flattening θ  (0 = equal weights, 1 = importance)")
        display.ax_.set_ylabel("importance-weighted validation error")
        return display

    def _ratio(self, X: Any, X_test: Any) -> ImportanceFit | None:
        """Return the ratio of the densities; None without new inputs."""
        if X_test is None:
            return None
        X_test = validate_data(self, X_test, dtype=np.float64, reset=False)
        options: dict[str, Any] = {"n_basis": self.n_basis, "random_state": self.random_state}
        return ImportanceFit(X, X_test, self.sigma, self.ridge, **options)

    def _rows(self, X: Any) -> Any:
        return validate_data(self, X, dtype=np.float64, reset=False)


def check_importance(y: NDArray[Any], weight: NDArray[np.float64], sigma: float) -> None:
    """Raise unless every class has a row of some importance."""
    for label in np.unique(y):
        if not weight[y == label].any():
            raise ValueError(
                f"All training rows of class {label.item()!r} (of a fold, maybe) have importance "
                "zero, so that nothing is known about it where the new inputs are. Try a larger "
                f"sigma (it is {sigma:.3g}), fewer folds or more training rows."
            )


def traced(
    estimator: Any, X: Any, y: NDArray[Any], weight: NDArray[np.float64]
) -> tuple[SVC, SolutionPath]:
    """Return a model and the path on which it came from equal weights."""
    model = clone(estimator).fit(X, y)
    path = model.reweight(weight)
    if path.status != COMPLETE:
        advice = Advice("Raise {max_events} of the estimator.", {"max_events": model.max_events})
        raise PathError(f"The path was {path.status}.", advice=advice, theta=float(path.theta[-1]))
    return model, path


def trace_fold(
    estimator: Any,
    X: Any,
    y: NDArray[Any],
    weight: NDArray[np.float64],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    metric: str | Metric,
) -> Curve | None:
    """Return the importance-weighted curve of one fold; None if its rows have no importance."""
    if not weight[test].any():
        return None
    _, path = traced(estimator, X[train], y[train], weight[train])
    return path.curve(X[test], y[test], metric, sample_weight=weight[test])
