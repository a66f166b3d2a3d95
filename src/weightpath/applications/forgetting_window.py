"""A window over a stream: which rows it holds, and how much each of them counts."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, issparse, vstack

from weightpath.estimators.checks import check_number, check_weights, check_whole_number
from weightpath.weights import forgetting as sigmoid_forgetting

# How fast to forget, a function that gives the weights of so many rows, or None: equal weights.
Forgetting = float | Callable[[int], ArrayLike] | None

__all__ = ["ForgettingWindow", "forgetting_weights"]


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
    if isinstance(forgetting, numbers.Real):
        return sigmoid_forgetting(n, check_number("forgetting", forgetting, strict=False))
    raise ValueError(
        "forgetting must be a number >= 0, a function of the number of rows, or None for equal "
        f"weights; got {forgetting!r}."
    )


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

    @classmethod
    def after(
        cls,
        old: ForgettingWindow | None,
        X: Any,
        y: NDArray[Any],
        length: int | None,
        forgetting: Forgetting,
    ) -> tuple[Self, int, int]:
        """Return the window after arrivals.

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

        Returns
        -------
        window : ForgettingWindow
            The new window.
        n_departed : int
            How many rows of the old one are no longer in it.
        n_arrived : int
            How many arrivals are in it, the newest; fewer than there are if they exceed it.
        """
        if length is not None:
            length = check_whole_number("window", length, 1)
        n_arrived = X.shape[0] if length is None else min(X.shape[0], length)
        n_before = 0 if old is None else old.X.shape[0]
        n_stay = n_before if length is None else min(n_before, length - n_arrived)
        X, y = X[X.shape[0] - n_arrived :], y[len(y) - n_arrived :]
        if old is not None:
            X = stacked(old.X[n_before - n_stay :], X)
            y = np.concatenate([old.y[n_before - n_stay :], y])
        else:
            X, y = X.copy(), y.copy()
        window = cls(X, y, forgetting_weights(forgetting, n_stay + n_arrived))
        return window, n_before - n_stay, n_arrived


def stacked(above: Any, below: Any) -> Any:
    """Return rows below others, dense or sparse as the first ones are."""
    if issparse(above):
        return vstack([above, csr_matrix(below)], format="csr")
    return np.vstack([above, below.toarray() if issparse(below) else below])
