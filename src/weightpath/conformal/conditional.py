"""Cutoffs that hold given the features: conformal prediction over an RKHS, exactly."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from weightpath.conformal.forced import forced_ends, reach_of_others
from weightpath.conformal.ranks import n_rejected
from weightpath.estimators import QuantileSVR
from weightpath.estimators.checks import check_fraction, check_number
from weightpath.estimators.input_data import is_plain, is_precomputed
from weightpath.estimators.kernel_choice import KernelFunction

__all__ = ["ConditionalConformal"]

Reals = NDArray[np.float64]

# A coefficient within this fraction of what the calibration rows can balance is at that limit.
_AT_REACH = 1e-12


class ConditionalConformal(BaseEstimator):
    r"""Conformal cutoffs of scores that adapt to the features, without refits and bisection.

    For a new row :math:`x` with a score :math:`S` that is not known, let :math:`f_S` be the
    quantile regression over all :math:`n + 1` rows,

    .. math::

        \min_{h, b} \; \tfrac12 \|h\|^2 + C \sum_{i=1}^{n} \ell(s_i - h(x_i) - b)
        + C \, \ell(S - h(x) - b), \qquad
        \ell(r) = \max\{(1 - \alpha) r, \, -\alpha r\} ,

    with :math:`h` in the space of a kernel. The coefficient of the new row rises with :math:`S`,
    from :math:`-C \alpha` to :math:`C (1 - \alpha)`. The cutoff is the largest score at which it is
    still below its bound :math:`C (1 - \alpha)` (the supremum): a label whose score is not above
    the cutoff is in the prediction set. [1]_ finds it by bisection, each step of which solves the
    problem again. Here it is the end of one exact path from the solution without the new row, along
    which the coefficient of the new row rises from zero to its bound.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "precomputed"} or callable, default="rbf"
        The kernel.
    gamma : float or {"scale", "auto"}, default="scale"
        Its coefficient, as of :class:`~weightpath.QuantileSVR`. "scale" is computed from the
        calibration rows; the guarantee asks for one that was chosen without them.
    C : float, default=1.0
        The weight of each row, the new one included: small for cutoffs that hardly depend on the
        features.
    alpha : float, default=0.1
        The fraction of labels that the sets may miss.
    random_state : int, RandomState instance or None, default=None
        Draws the levels of randomised cutoffs, afresh in each call of :meth:`cutoff`; an int gives
        the same levels in each call.
    randomize : bool, default=False
        Whether the path of each new row ends where its coefficient reaches a random level, uniform
        between :math:`-C \alpha` and :math:`C (1 - \alpha)`, instead of the bound. Then the
        coverage is exact; without it, it is at least as large.
    degree : int, default=3
        The degree of kernel "poly".
    coef0 : float, default=0.0
        The constant of kernels "poly" and "sigmoid".
    cache_size : float, default=200
        Memory in MB, mostly for kernel values.
    n_jobs : int or None, default=None
        Number of threads, as joblib counts them. The result does not depend on it.

    Attributes
    ----------
    model_ : QuantileSVR
        The quantile regression over the calibration rows.
    n_events_ : ndarray of int
        The events on the paths of the last call of :meth:`cutoff`.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    See Also
    --------
    FullConformal : Sets from refits with every label.

    Notes
    -----
    The cutoff is infinite where the calibration rows are too few, :math:`n \alpha < 1 - \alpha`:
    their coefficients cannot balance that of the new row. A randomised cutoff is infinite where
    this is so of its level, and minus infinity where a negative level cannot be balanced.

    With calibration rows and the new one exchangeable, for every weighting :math:`w` of the space
    that is not negative, the coverage under the shift by :math:`w` is :math:`1 - \alpha` up to a
    term that the penalty on :math:`h` leaves, the mean of :math:`\langle h, w \rangle / (C (n +
    1))`, see [1]_; for constant :math:`w` there is no such term, as the intercept is not penalised:
    the marginal coverage is at least :math:`1 - \alpha`. It is no guarantee for the one row at
    hand.

    References
    ----------
    .. [1] I. Gibbs, J. Cherian, E. Candès, "Conformal prediction with conditional guarantees",
       Journal of the Royal Statistical Society, Series B, 2025.

    Examples
    --------
    Errors that grow with the feature; the cutoffs do so, too:

    >>> import numpy as np
    >>> from weightpath.conformal import ConditionalConformal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 1, (300, 1))
    >>> scores = np.abs(rng.normal(0, 0.1 + X[:, 0]))
    >>> conformal = ConditionalConformal(gamma=2.0, C=1.0, alpha=0.1).fit(X, scores)
    >>> low, high = conformal.cutoff([[0.1], [0.9]])
    >>> bool(low < high)
    True
    """

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        gamma: float | str = "scale",
        C: float = 1.0,
        alpha: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
        *,
        randomize: bool = False,
        degree: int = 3,
        coef0: float = 0.0,
        cache_size: float = 200,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.C = C
        self.alpha = alpha
        self.random_state = random_state
        self.randomize = randomize
        self.degree = degree
        self.coef0 = coef0
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X_cal: Any, scores: ArrayLike) -> Self:
        """Fit the quantile regression over the calibration rows.

        Parameters
        ----------
        X_cal : array-like or sparse matrix of shape (n, n_features)
            Calibration rows, which the model that gives the scores has not seen; for a precomputed
            kernel its matrix of shape (n, n).
        scores : array-like of shape (n,)
            Their scores, larger for stranger labels, such as ``|y - prediction|``.

        Returns
        -------
        self : ConditionalConformal
        """
        alpha, C = check_fraction("alpha", self.alpha), check_number("C", self.C)
        X, y = validate_data(
            self, X_cal, scores, accept_sparse="csr", dtype=np.float64, y_numeric=True
        )
        self.model_ = QuantileSVR(
            C=C,
            quantile=1.0 - alpha,
            kernel=self.kernel,
            degree=self.degree,
            gamma=self.gamma,
            coef0=self.coef0,
            cache_size=self.cache_size,
        ).fit(X, y)
        self._bounds = -C * alpha, C * (1.0 - alpha)
        self._is_enough = n_rejected(alpha, X.shape[0]) >= 1
        return self

    def cutoff(self, X: Any) -> Reals:
        """Return the cutoff of the score at each new row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, n_features)
            New rows; for a precomputed kernel their values with all calibration rows and, in one
            more column, with themselves.

        Returns
        -------
        ndarray of shape (m,)
            The largest score that is kept at each row: infinite where every score is, minus
            infinity where none is.
        """
        check_is_fitted(self, "model_")
        X = self._checked(X)
        level = self._levels(X.shape[0])
        low, high = reach_of_others(self.model_)
        found = np.where(level > 0, np.inf, -np.inf)
        within = (level > low * (1.0 - _AT_REACH)) & (level <= high * (1.0 + _AT_REACH))
        if not self.randomize:
            within[:] = self._is_enough
        self.n_events_ = np.zeros(level.size, dtype=np.intp)
        if within.any():
            ends = forced_ends(self.model_, X[within], level[within], n_jobs=self.n_jobs)
            self.n_events_[within] = ends.n_events
            found[within] = ends.own + ends.low
        return found

    def _checked(self, X: Any) -> Any:
        """Return new rows, checked."""
        if is_precomputed(self):
            X = check_array(X, dtype=np.float64, order="C", input_name="X")
            n = len(self.model_.training_set_)
            if X.shape[1] != n + 1:
                raise ValueError(
                    f"For a precomputed kernel, a new row holds its kernel values with the {n} "
                    f"calibration rows and then with itself: expected {n + 1} columns, got "
                    f"{X.shape[1]}."
                )
            return X
        if not hasattr(self, "feature_names_in_") and is_plain(self.model_, X):
            return X
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, order="C")

    def _levels(self, count: int) -> Reals:
        """Return the coefficient at which the path of each new row ends."""
        lower, upper = self._bounds
        if not self.randomize:
            return np.full(count, upper)
        draw = check_random_state(self.random_state).uniform(size=count)
        levels: Reals = np.clip(upper - (upper - lower) * draw, lower, upper)
        return levels
