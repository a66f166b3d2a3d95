"""Regression of a stream."""

from __future__ import annotations

from copy import copy
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import assert_all_finite

from weightpath.applications.forgetting_window import Forgetting, WindowStep
from weightpath.applications.online_model import OnlineModel
from weightpath.estimators import SVR
from weightpath.estimators.kernel_choice import KernelFunction

__all__ = ["OnlineSVR"]


@final
class OnlineSVR(RegressorMixin, OnlineModel):
    r"""Support vector regression over the newest rows of a stream, exact after every arrival.

    The window holds the newest rows. When rows arrive the oldest depart, and the weights of all
    move to ``forgetting``: on one exact path of :class:`weightpath.SVR`, so that the model always
    is the one that a fit to the window from scratch would give.

    Parameters
    ----------
    window : int or None, default=None
        How many rows the window holds at most; None forgets none.
    forgetting : float, callable or None, default=3.0
        The weights of the rows in the window, in units of C: a number ``a`` for
        ``weightpath.weights.forgetting(n, a)``; a function that returns the weights of ``n`` rows,
        oldest first; or None for equal weights. The default is the paper's.
    C : float, default=1.0
        Trade-off parameter.
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
    epsilon : float, default=0.1
        Half the width of the tube within which an error costs nothing.
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
    svr_ : SVR
        The model of the window.
    path_ : SolutionPath or None
        The path of the last arrivals, followed when it is read unless it was before; None if they
        led to a fit from scratch.
    window_X_, window_y_, window_weight_ : ndarray
        What the window holds, oldest first; the weights are in units of C.
    gamma_ : float
        The resolved coefficient of the kernel.
    n_seen_ : int
        How many rows have been learnt.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the first rows had any.

    See Also
    --------
    weightpath.applications.prequential : Test, then train, over a stream.

    Examples
    --------
    >>> import numpy as np
    >>> import weightpath as wp
    >>> model = wp.OnlineSVR(window=70, forgetting=2.0, C=10.0, gamma=1.0, epsilon=0.01)
    >>> for t in np.arange(0.0, 12.0, 0.1):
    ...     model = model.learn_one({"sine": np.sin(t), "cosine": np.cos(t)}, np.sin(t + 0.5))
    >>> round(float(model.predict_one({"sine": 0.0, "cosine": 1.0})), 1)
    0.5
    """

    _kind = SVR

    def __init__(
        self,
        window: int | None = None,
        *,
        forgetting: Forgetting = 3.0,
        C: float = 1.0,
        kernel: str | KernelFunction = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        epsilon: float = 0.1,
        tol: float = 1e-3,
        cache_size: float = 200,
        ridge: float = 0.0,
        max_events: int = 1_000_000,
        follow_paths: bool = False,
    ) -> None:
        self.window = window
        self.forgetting = forgetting
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.epsilon = epsilon
        self.tol = tol
        self.cache_size = cache_size
        self.ridge = ridge
        self.max_events = max_events
        self.follow_paths = follow_paths

    @property
    def svr_(self) -> SVR:
        """The model of the window."""
        slider = self._learnt_slider("svr_")
        assert slider is not None
        model: SVR = slider.model
        return model

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Forget everything and learn these rows; of more than the window holds, the last.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Instances, oldest first.
        y : array-like of shape (n_samples,)
            Their targets.

        Returns
        -------
        self : OnlineSVR
        """
        draft = self._forgotten()
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def partial_fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn arrivals: they enter, the oldest leave, and all weights move, on one path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            Arrivals, oldest first.
        y : array-like of shape (n_new,)
            Their targets.

        Returns
        -------
        self : OnlineSVR
        """
        draft = copy(self)
        draft._learn_rows(X, y)
        self.__dict__ = draft.__dict__
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Instances.

        Returns
        -------
        ndarray of shape (n,)
            The values of the fitted function.
        """
        return self._predict_rows(self._validated(X))

    def _predict_rows(self, X: Any) -> NDArray[np.float64]:
        return self.svr_.predict(X)

    def _target_check(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _check_targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        targets = np.asarray(y, dtype=np.float64)
        assert_all_finite(targets, input_name="y")
        return targets

    def _is_plain_target(self, y: Any, n: int) -> bool:
        is_plain = isinstance(y, np.ndarray) and y.shape == (n,) and y.dtype == np.float64
        return is_plain and bool(np.isfinite(y).all())

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
