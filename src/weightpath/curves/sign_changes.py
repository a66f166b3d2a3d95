r"""Where piecewise linear functions of theta change their sign.

On one segment every function is :math:`g(\theta) = g_s + h_s (\theta - \theta_s)`, so it has at
most one zero :math:`\theta_s - g_s / h_s` there. Between segments it may jump (a bias that is not
unique moves while theta stands still), so its sign at the end of a segment and at the start of the
next are compared as well. Zero counts as not positive. A function that only touches zero so gives
two opposite changes at one theta, which cancel once all changes there have been made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.decision_path import Block

__all__ = ["SignChanges", "pieces", "sign_changes", "zeros"]

# Numbers per piece of a block: half a megabyte, so that the passes over it stay in cache.
PIECE = 1 << 16


@dataclass(frozen=True, eq=False)
class SignChanges:
    """All changes of sign along a path.

    Parameters
    ----------
    positive : ndarray of bool, shape (n_functions,)
        Whether a function is positive at the start.
    theta : ndarray of shape (n_changes,)
        Where a sign changes.
    row : ndarray of int, shape (n_changes,)
        Whose sign changes.
    becomes : ndarray of bool, shape (n_changes,)
        Whether the function is positive afterwards.
    """

    positive: NDArray[np.bool_]
    theta: NDArray[np.float64]
    row: NDArray[np.intp]
    becomes: NDArray[np.bool_]


def pieces(blocks: Iterable[Block]) -> Iterator[Block]:
    """Cut blocks of segments into blocks that fit into the processor's cache."""
    for left, right, value, slope in blocks:
        step = max(1, PIECE // max(1, value.shape[1]))
        for first in range(0, len(left), step):
            part = slice(first, first + step)
            yield left[part], right[part], value[part], slope[part]


def zeros(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> tuple[
    NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]
]:
    """Zeros inside the segments of a block.

    Parameters
    ----------
    left, right : ndarray of shape (n_segments,)
        Ends of the segments.
    value, slope : ndarray of shape (n_segments, n_functions)
        Value at the left end and slope of every function on every segment.

    Returns
    -------
    start_positive, end_positive : ndarray of bool, shape (n_segments, n_functions)
        Whether a function is positive at the left end, at the right end.
    segment, row : ndarray of int, shape (n_zeros,)
        Where these two differ.
    theta : ndarray of shape (n_zeros,)
        The zero between them.
    """
    end = slope * (right - left)[:, None]
    end += value
    start_positive, end_positive = value > 0, end > 0
    segment, row = _true_places(start_positive != end_positive)
    theta = left[segment] - value[segment, row] / slope[segment, row]
    # Rounding may carry a zero past the end of its segment.
    np.clip(theta, left[segment], right[segment], out=theta)
    return start_positive, end_positive, segment, row, theta


def _true_places(mask: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column of every true entry; the flat search is far quicker where they are few."""
    row, column = np.divmod(np.flatnonzero(mask), mask.shape[1])
    return row, column


def sign_changes(blocks: Iterable[Block]) -> SignChanges:
    """Changes of sign of all functions, inside segments and at breakpoints.

    Parameters
    ----------
    blocks : iterable of (left, right, value, slope)
        Consecutive segments of a path, as ``SolutionPath.iter_segments`` yields them.

    Returns
    -------
    SignChanges
        In no particular order; several changes of one function may share a theta.
    """
    initial: NDArray[np.bool_] | None = None
    last = np.empty(0, dtype=bool)
    thetas, rows, signs = [], [], []
    for left, right, value, slope in pieces(blocks):
        start, end, segment, row, theta = zeros(left, right, value, slope)
        if initial is None:
            initial = last = start[0]
        previous = np.concatenate((last[None], end[:-1]))
        at, jumper = _true_places(previous != start)
        thetas += [left[at], theta]
        rows += [jumper, row]
        signs += [start[at, jumper], end[segment, row]]
        last = end[-1]
    if initial is None:
        raise ValueError("The path has no segments.")
    return SignChanges(initial, np.concatenate(thetas), np.concatenate(rows), np.concatenate(signs))
