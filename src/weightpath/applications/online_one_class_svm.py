"""Novelty in a stream."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import validate_data

from weightpath.applications.forgetting_window import Forgetting, WindowStep
from weightpath.applications.online_model import OnlineModel
from weightpath.estimators import OneClassSVM
from weightpath.estimators.input_data import is_plain
from weightpath.estimators.kernel_choice import KernelFunction

__all__ = ["OnlineOneClassSVM"]


@final
class OnlineOneClassSVM(OutlierMixin, OnlineModel):
    r"""A one-class support vector machine over the newest rows of a stream, exact at every arrival.

    The window holds the newest rows. When rows arrive the oldest depart, and the weights of all
    move to ``forgetting``: on one exact path of :class:`weightpath.OneClassSVM`, so that the model
    always is the one that a fit to the window from scratch would give.

    Parameters
    ----------
    window : int or None, default=None
        How many rows the window holds at most; None forgets none.
    forgetting : float, callable or None, default=3.0
        The weights of the rows in the window: a number ``a`` for
        ``weightpath.weights.forgetting(n, a)``; a function that returns the weights of ``n`` rows,
        oldest first; or None for equal weights.
    nu : float, default=0.5
        An upper bound of the fraction of the weight outside the boundary; above 0, at most 1.
    kernel : {"linear", "poly", "rbf", "sigmoid"} or callable, default="rbf"
        The kernel. Its matrix must be positive semidefinite.
    degree : int, default=3
        Degree of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "rbf", "poly" and "sigmoid". "scale" is resolved from the first rows and then
        stays (``gamma_``), until ``fit``: where rows arrive one by one, give a number or begin with
        ``fit``.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance of the approximate solution that a fit from scratch starts from.
    cache_size : float, default=200
        Memory in MB that a path may use besides the data and the record.
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix.
    max_events : int, default=1_000_000
        A path of more events is given up for a fit from scratch.
    follow_paths : bool, default=False
        Whether the way to every new window is followed at once, event by event. Otherwise its end
        is found without the way where that is quicker, as exact and as well verified, and the path
        is followed when ``path_`` is read. Below the default of ``max_events`` it always is.

    Attributes
    ----------
    one_class_svm_ : OneClassSVM
        The model of the window.
    path_ : SolutionPath or None
        The path of the last arrivals, followed when it is read unless it was before; None if they
        led to a fit from scratch.
    offset_ : ndarray of shape (1,)
        What ``score_samples`` exceeds at inliers.
    window_X_, window_weight_ : ndarray
        What the window holds, oldest first.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_seen_ : int
        How many rows have been learnt.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the first rows had any.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> X = np.random.default_rng(0).normal(size=(120, 2)) + np.linspace(0, 3, 120)[:, None]
    >>> model = wp.OnlineOneClassSVM(window=60, nu=0.2, gamma=0.5).fit(X[:60])
    >>> bool(model.score_one([3.0, 3.0]) < 0)
    True
    >>> for x in X[60:]:
    ...     model = model.learn_one(x)
    >>> bool(model.score_one([3.0, 3.0]) < 0)
    False
    """

    _kind = OneClassSVM

    def __init__(
        self,
        window: int | None = None,
        *,
        forgetting: Forgetting = 3.0,
        nu: float = 0.5,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        follow_paths: bool = False,
    ) -> None:
        self.window = window
        self.forgetting = forgetting
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.follow_paths = follow_paths

    @property
    def one_class_svm_(self) -> OneClassSVM:
        """The model of the window."""
        slider = self._learnt_slider("one_class_svm_")
        assert slider is not None
        model: OneClassSVM = slider.model
        return model

    def fit(self, X: Any, y: object = None) -> Self:
        """Forget everything and learn these rows; of more than the window holds, the last.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Instances, oldest first.
        y : object, default=None
            Not used.

        Returns
        -------
        self : OnlineOneClassSVM
        """
        draft = self._forgotten()
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Learn arrivals: they enter, the oldest leave, and all weights move, on one path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals, oldest first.
        y : object, default=None
            Not used.

        Returns
        -------
        self : OnlineOneClassSVM
        """
        draft = copy(self)
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def learn_one(self, x: Any, y: object = None) -> Self:
        """Learn one instance, as the models of river do.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            The instance.
        y : object, default=None
            Not used.

        Returns
        -------
        self : OnlineOneClassSVM
            The model itself.
        """
        return super().learn_one(x, 0)

    def score_one(self, x: Any) -> float | None:
        """Return the decision value of one instance.

        Parameters
        ----------
        x : dict or array-like of shape (n_features,)
            The instance.

        Returns
        -------
        float or None
            Negative for an outlier; None before anything has been learnt. The scores of anomaly
            detectors in river have the other sign.
        """
        if not self.__sklearn_is_fitted__():
            return None
        return float(self.one_class_svm_.decision_function(self._one(x, learning=False))[0])

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Return the sum of kernels at each instance.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Large for inliers.
        """
        X = self._validated(X)
        return self.one_class_svm_.score_samples(X)

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the signed distances from the boundary, in units of the kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            Positive for inliers, negative for outliers.
        """
        X = self._validated(X)
        return self.one_class_svm_.decision_function(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return which instances are inliers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            1 for inliers, the boundary included, and -1 for outliers.
        """
        return self._predict_rows(self._validated(X))

    @property
    def offset_(self) -> NDArray[np.float64]:
        """What ``score_samples`` exceeds at inliers."""
        return self.one_class_svm_.offset_

    def _predict_rows(self, X: Any) -> NDArray[Any]:
        return self.one_class_svm_.predict(X)

    def _learn_rows(self, X: Any, y: Any) -> None:
        """Check arrivals, which have no targets, and learn them."""
        if not is_plain(self, X):
            reset = not self.__sklearn_is_fitted__()
            X = validate_data(
                self, X, reset=reset, accept_sparse="csr", dtype=np.float64, order="C"
            )
        self._learn(X, np.zeros(X.shape[0]))

    def _check_targets(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _is_plain_target(self, y: Any, n: int) -> bool:
        return True

    def _absorb(self, step: WindowStep) -> Any:
        self._follow(
            self.__dict__.get("_slider"),
            {},
            step.X_new,
            step.y_new,
            step.weight,
            step.n_departed,
            lambda: (step.X, step.y),
        )
        assert self._slider is not None
        return self._slider.X
