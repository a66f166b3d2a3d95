"""Jackknife+: intervals from residuals of rows that were left out, one at a time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from weightpath.conformal.given_models import fitted_model
from weightpath.conformal.model_of_all_rows import ModelOfAllRows
from weightpath.conformal.ranks import plus_intervals
from weightpath.estimators import SVR, Lasso, QuantileSVR
from weightpath.estimators.checks import check_fraction
from weightpath.path.preparation import last_step
from weightpath.selection.leave_one_out import leave_one_out

__all__ = ["JackknifePlus"]

Reals = NDArray[np.float64]


class JackknifePlus(ModelOfAllRows):
    r"""Jackknife+ intervals from exact leave-one-out, without refits.

    With :math:`f_{-i}` the model without row i and :math:`R_i = |y_i - f_{-i}(x_i)|`, the interval
    at :math:`x` goes from the :math:`\lfloor \alpha (n + 1) \rfloor`-th smallest of
    :math:`f_{-i}(x) - R_i` to the :math:`\lceil (1 - \alpha)(n + 1) \rceil`-th smallest of
    :math:`f_{-i}(x) + R_i`, and to infinity where there is no such one [1]_. All
    :math:`f_{-i}` come from one fit: the weight of each row goes to zero along an exact path.

    Parameters
    ----------
    estimator : SVR, QuantileSVR, Lasso or Pipeline
        The model, not fitted, or a scikit-learn pipeline whose last step is one. It is not changed.
    alpha : float, default=0.1
        The fraction of targets that the intervals may miss; see the notes.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them. The result does not depend on it.
    verbose : int, default=0
        From 1 on a progress bar is shown while rows are left out.

    Attributes
    ----------
    estimator_ : estimator or Pipeline
        The model, fitted to all training rows.
    left_out_ : LeaveOneOut
        The models without each of them.
    residuals_ : ndarray of shape (n_samples,)
        The :math:`R_i`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    CVPlus : The same with folds, for any regression.
    weightpath.leave_one_out : The models without each row.

    Notes
    -----
    If all rows are exchangeable and the method treats its rows alike, the interval holds the target
    of a new row with probability at least :math:`1 - 2 \alpha`, on average over all of them; in
    practice it is mostly close to :math:`1 - \alpha`. The kernel stays that of the fit to all rows
    (``gamma="scale"`` is not resolved again), and so do the transformers of a pipeline.

    References
    ----------
    .. [1] R. Barber, E. Candès, A. Ramdas, R. Tibshirani, "Predictive inference with the
       jackknife+", Annals of Statistics 49, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> from weightpath.conformal import JackknifePlus
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, (100, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=100)
    >>> conformal = JackknifePlus(wp.SVR(C=1.0, gamma=1.0), alpha=0.1).fit(X, y)
    >>> ((low, high),) = conformal.predict_interval([[0.5]])
    >>> bool(low < np.sin(1.0) < high)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        alpha: float = 0.1,
        *,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the model, and leave out every row once.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; for a precomputed kernel its matrix.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : JackknifePlus
        """
        alpha = check_fraction("alpha", self.alpha)
        given = SVR() if self.estimator is None else self.estimator
        fitted = fitted_model(given, (SVR, QuantileSVR, Lasso), X, y)
        target = last_step(fitted).quantities_["target"]
        if len(target) < 2:
            raise ValueError("Rows cannot be left out of a single one: give at least two.")
        left_out = leave_one_out(fitted, n_jobs=self.n_jobs, verbose=self.verbose)
        self.left_out_, self._alpha = left_out, alpha
        self.residuals_ = np.abs(target - left_out.decision_values)
        self._publish(fitted)
        return self

    def predict_interval(self, X: Any) -> Reals:
        """Return the interval of each new row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows, raw ones of a pipeline; for a precomputed kernel their values with all
            training rows.

        Returns
        -------
        ndarray of shape (m, 2)
            The ends of the intervals; they are infinite where there are too few training rows.
        """
        check_is_fitted(self, "estimator_")
        values = self.left_out_.decision_function(X)
        return plus_intervals(values, self.residuals_, self._alpha)
