"""Rows of weight zero (all knots equal) with an empty margin and a balance that does not change.

The anchor of the bias interval must be a row that can be free: one of weight zero only flips from
one of its equal knots to the other and leaves the margin empty, again and again.
"""

import numpy as np

from weightpath.problems import Staircase, hinge_staircase

__all__ = ["PROBLEMS"]


def small_weights():
    """Two inside rows and one of weight zero that is the nearest to its level at the start."""
    X = np.array([[1.0], [-1.0], [2.0]])
    stair = hinge_staircase([1.0, -1.0, 1.0], [0.1, 0.1, 0.0])
    return X @ X.T, stair, np.array([0.1, -0.1, 0.0]), 0.65


def own_margins():
    """Own margins and one weight zero, from the zero vector."""
    X = np.array([[1.0], [2.0], [0.0]])
    stair = hinge_staircase([1.0, 1.0, -1.0], [1.0, 0.0, 2.0], np.array([1.0, 0.0, -1.0]))
    return X @ X.T, stair, np.zeros(3), 0.0


def regression_of_nothing():
    """Epsilon-insensitive regression in which no row has any weight."""
    knots = np.zeros((2, 3))
    levels = np.array([[-np.inf, -1.0, 1.0, np.inf]] * 2)
    return np.ones((2, 2)), Staircase(np.array([-2.0, 1.0]), knots, levels), np.zeros(2), 0.0


def regression_of_one():
    """Epsilon-insensitive regression of two rows, one without weight."""
    knots = np.array([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0]])
    levels = np.array([[-np.inf, -1.0, 1.0, np.inf]] * 2)
    K = np.array([[4.0, 2.0], [2.0, 1.0]])
    return K, Staircase(np.array([1.0, -1.0]), knots, levels), np.zeros(2), 0.0


PROBLEMS = {
    f.__name__: f for f in (small_weights, own_margins, regression_of_nothing, regression_of_one)
}
