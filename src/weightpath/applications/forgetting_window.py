"""A window over a stream: which rows it holds, and how much each of them counts."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse, vstack

from weightpath.estimators.checks import check_number, check_weights, check_whole_number
from weightpath.frozen import freeze
from weightpath.weights import forgetting as sigmoid_forgetting

# How fast to forget, a function that gives the weights of so many rows, or None: equal weights.
Forgetting = float | Callable[[int], ArrayLike] | None

__all__ = ["ForgettingWindow", "WindowStep", "forgetting_weights"]


def forgetting_weights(forgetting: Forgetting, n: int) -> NDArray[np.float64]:
    """Return the weights of ``n`` rows, oldest first.

    Parameters
    ----------
    forgetting : float, callable or None
        How fast :func:`weightpath.weights.forgetting` forgets; or a function of ``n`` that returns
        the weights; or None, for equal weights.
    n : int
        Number of rows.

    Returns
    -------
    ndarray of shape (n,)
        The weights.

    Examples
    --------
    >>> from weightpath.applications.forgetting_window import forgetting_weights
    >>> forgetting_weights(lambda n: 0.5 ** np.arange(n)[::-1], 3)
    array([0.25, 0.5 , 1.  ])
    """
    if forgetting is None:
        return np.ones(n)
    if callable(forgetting):
        weight = np.asarray(forgetting(n))
        if weight.shape != (n,):
            raise ValueError(
                f"forgetting({n}) must return {n} weights, oldest first; its result has shape "
                f"{weight.shape}."
            )
        return check_weights(f"forgetting({n})", weight, n)
    if type(forgetting) is float or isinstance(forgetting, numbers.Real):
        return _sigmoid(n, check_number("forgetting", forgetting, strict=False))
    raise ValueError(
        "forgetting must be a number >= 0, a function of the number of rows, or None for equal "
        f"weights; got {forgetting!r}."
    )


@lru_cache(maxsize=16)
def _sigmoid(n: int, a: float) -> NDArray[np.float64]:
    """Return the weights of a sigmoid, read-only: a window that is full asks again and again."""
    weight = sigmoid_forgetting(n, a)
    weight.setflags(write=False)
    return weight


@dataclass(frozen=True, eq=False)
class ForgettingWindow:
    """The newest rows of a stream, oldest first, with their weights; never changed, only replaced.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, n_features)
        The instances.
    y : ndarray of shape (n,)
        Their labels or targets.
    weight : ndarray of shape (n,)
        Their weights.
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64]


class WindowStep:
    """What arrivals make of a window.

    Parameters
    ----------
    old : ForgettingWindow or None
        The window before them; None if they are the first.
    X, y : arrays
        The arrivals, oldest first.
    length : int or None
        How many rows the window holds at most; None lets it grow.
    forgetting : float, callable or None
        See :func:`forgetting_weights`.

    Attributes
    ----------
    n_before, n_departed : int
        How many rows the old window has, and how many of them are no longer in the new one.
    X_new, y_new : arrays
        The arrivals that are in the new window, the newest; fewer than there are if they exceed it.
    y, weight : arrays
        Labels or targets of all rows of the new window, and their weights.
    """

    def __init__(
        self,
        old: ForgettingWindow | None,
        X: Any,
        y: NDArray[Any],
        length: int | None,
        forgetting: Forgetting,
    ):
        n_arrived = X.shape[0]
        if length is not None:
            length = check_whole_number("window", length, 1)
            n_arrived = min(n_arrived, length)
        self._old = old
        self.n_before = 0 if old is None else old.X.shape[0]
        n_stay = self.n_before if length is None else min(self.n_before, length - n_arrived)
        self.n_departed = self.n_before - n_stay
        self.X_new, self.y_new = X[X.shape[0] - n_arrived :], y[len(y) - n_arrived :]
        if old is None:
            self.y = self.y_new.copy()
        else:
            self.y = np.concatenate([old.y[self.n_departed :], self.y_new])
        self.weight = forgetting_weights(forgetting, n_stay + n_arrived)

    @cached_property
    def X(self) -> Any:  # noqa: N802
        """All instances of the new window; read-only, so that a fit needs no copy."""
        if self._old is None:
            return freeze(self.X_new.copy())
        return freeze(stacked(self._old.X[self.n_departed :], self.X_new))

    def window(self, X: Any) -> ForgettingWindow:
        """Return the new window, whose instances are these."""
        return ForgettingWindow(X, self.y, self.weight)


def stacked(above: Any, below: Any) -> Any:
    """Return rows below others, dense or sparse as the first ones are."""
    if issparse(above):
        return vstack([above, csr_matrix(below)], format="csr")
    return np.vstack([above, below.toarray() if issparse(below) else below])
