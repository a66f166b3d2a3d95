"""Full conformal prediction: every label of a new row is tried, by exact paths."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from weightpath.conformal.given_models import FittedModel, fitted_model
from weightpath.conformal.kernel_sets import KernelSets
from weightpath.conformal.label_sets import kept_labels
from weightpath.conformal.lasso_sets import LassoSets
from weightpath.conformal.model_of_all_rows import ModelOfAllRows
from weightpath.conformal.ranks import n_rejected
from weightpath.conformal.unions import EVERYTHING
from weightpath.estimators import SVC, SVR, Lasso, QuantileSVR
from weightpath.estimators.checks import check_fraction
from weightpath.path.preparation import last_step

__all__ = ["FullConformal"]

Reals = NDArray[np.float64]


class FullConformal(ModelOfAllRows):
    r"""Full conformal prediction sets, exact and without a grid of refits.

    The new row is added to the training rows with a label :math:`y`, the model is fitted to all
    :math:`n + 1` of them, and :math:`y` is kept in the set of the row if its own residual is not
    among the largest:

    .. math::

        \frac{\#\{i \le n + 1 : |r_i(y)| \ge |r_{n+1}(y)|\}}{n + 1} > \alpha ,

    the new row counted. Of a classifier the scores :math:`1 - y_i f(x_i)` take the place of the
    absolute residuals, and every class is tried. Of a regression :math:`y` goes through all real
    numbers along an exact path, on pieces of which all residuals are straight lines; so the ends of
    the intervals are exact.

    Parameters
    ----------
    estimator : SVR, QuantileSVR, Lasso, SVC or Pipeline
        The model, not fitted, or a scikit-learn pipeline whose last step is one. It is not changed.
    alpha : float, default=0.1
        The fraction of labels that the sets may miss.
    n_jobs : int or None, default=None
        Number of threads of a kernel machine, as joblib counts them.

    Attributes
    ----------
    estimator_ : estimator or Pipeline
        The model, fitted to the training rows.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    JackknifePlus : Intervals from leave-one-out, one fit for all new rows.

    Notes
    -----
    If the training rows and the new one are exchangeable, the set holds the label of the new row
    with probability at least :math:`1 - \alpha`, on average over all of them. That needs a method
    that treats all :math:`n + 1` rows alike. What is resolved when the training rows are fitted
    stays as it is: ``gamma="scale"`` and the transformers of a pipeline. Give a number for
    ``gamma``, or transformers that were fitted on other rows, for the guarantee in the strict
    sense.

    Of several classes the score of a row is the largest :math:`1 - y f(x)` over the pairs of its
    class. Scores that differ only by rounding are equal, and count.

    References
    ----------
    .. [1] V. Vovk, A. Gammerman, G. Shafer, "Algorithmic Learning in a Random World", Springer,
       2005.
    .. [2] J. Lei, "Fast exact conformalization of the lasso using piecewise linear homotopy",
       Biometrika 106, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import FullConformal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (80, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=80)
    >>> conformal = FullConformal(wp.SVR(C=1.0, gamma=1.0), alpha=0.1).fit(X, y)
    >>> ((low, high),) = conformal.predict_interval([[0.5]])
    >>> bool(low < np.sin(1.0) < high)
    True

    Label sets of a classifier:

    >>> toy = wp.datasets.make_toy(80, random_state=0)
    >>> labels = FullConformal(wp.SVC(C=1.0, gamma=0.5), alpha=0.2).fit(toy.X, toy.y)
    >>> [one.tolist() for one in labels.predict_set(toy.X[:3])]
    [[1], [-1], [1]]
    """

    def __init__(
        self, estimator: Any = None, alpha: float = 0.1, *, n_jobs: int | None = None
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model to the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for a precomputed kernel its matrix.
        y : array-like of shape (n_samples,)
            Their targets or labels.

        Returns
        -------
        self : FullConformal
        """
        alpha = check_fraction("alpha", self.alpha)
        given = SVR() if self.estimator is None else self.estimator
        fitted = fitted_model(given, (SVR, QuantileSVR, Lasso, SVC), X, y)
        own = FittedModel(fitted)
        _check_suits(own.model)
        needed = n_rejected(alpha, len(own.model.training_set_))
        sets: KernelSets | LassoSets | None = None
        if needed > 0 and isinstance(own.model, Lasso):
            sets = LassoSets(FittedModel(_with_larger_penalty(fitted, X, y)).model, needed)
        elif needed > 0 and not isinstance(own.model, SVC):
            sets = KernelSets(own.model, needed, self.n_jobs)
        self._own, self._needed, self._sets = own, needed, sets
        self._publish(fitted)
        return self

    def predict_set(self, X: Any) -> list[NDArray[Any]]:
        """Return the prediction set of each new row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows, raw ones of a pipeline; for a precomputed kernel their values with all
            training rows and, in one more column, with themselves.

        Returns
        -------
        list of ndarray
            Of a regression, for each row the closed intervals of its set, of shape (k, 2) and
            increasing; an end may be infinite, and an interval may be a single point. Of a
            classifier, the labels that are kept, perhaps none.
        """
        check_is_fitted(self, "estimator_")
        rows = self._own.rows(X)
        if isinstance(self._own.model, SVC):
            classes = self._own.model.classes_
            if self._needed == 0:
                return [classes.copy() for _ in range(rows.shape[0])]
            kept = kept_labels(self._own.model, rows, self._needed, self.n_jobs)
            return [classes[one] for one in kept]
        if self._sets is None:
            return [EVERYTHING.copy() for _ in range(rows.shape[0])]
        return self._sets.sets(rows)

    def predict_interval(self, X: Any) -> Reals:
        """Return the hull of the prediction set of each new row; for regressions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows, as for :meth:`predict_set`.

        Returns
        -------
        ndarray of shape (m, 2)
            The least and the largest target of each set; they may be infinite.
        """
        check_is_fitted(self, "estimator_")
        if isinstance(self._own.model, SVC):
            raise TypeError("The sets of a classifier are no intervals: use predict_set.")
        return np.array([(one[0, 0], one[-1, 1]) for one in self.predict_set(X)]).reshape(-1, 2)


def _check_suits(model: Any) -> None:
    """Raise unless a fitted model treats all rows alike, as full conformal prediction needs."""
    if isinstance(model, Lasso):
        if not (model.alpha_ * model.penalty_weight_ > 0).all():
            raise ValueError(
                "Full conformal prediction of a Lasso needs alpha > 0 and positive penalty_weight."
            )
        return
    if isinstance(model, SVC):
        return
    if model.ridge > 0:
        raise ValueError(
            f"Full conformal prediction of {type(model).__name__} needs ridge=0: with a ridge, "
            "residuals on the margin are not at their level."
        )
    if isinstance(model, SVR) and np.ptp(model.epsilon_) > 0:
        raise ValueError("Full conformal prediction needs one epsilon for all rows.")


def _with_larger_penalty(fitted: Any, X: Any, y: Any) -> Any:
    """Return a lasso, or a pipeline that ends in one, as :class:`LassoSets` begins with."""
    last = last_step(fitted)
    n = len(last.training_set_)
    factor = (n + 1) / n
    larger = clone(last).set_params(alpha=last.alpha * factor, ridge=last.ridge * factor)
    if not isinstance(fitted, Pipeline):
        return larger.fit(X, y)
    # The transformers stay as they were fitted.
    return larger.fit(last.training_set_.X, last.quantities_["target"])
