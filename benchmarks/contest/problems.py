"""What is to be solved: data, and a straight line of weights or penalties across them.

Every problem is a path from theta = 0 to theta = 1. Rivals are asked for the solution at its
breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks import lasso, regression
from weightpath.datasets import make_toy


@dataclass(frozen=True, eq=False)
class KernelProblem:
    """A support vector machine with a Gaussian kernel whose weights go from one set to another.

    Attributes
    ----------
    family : str
        Of which family of problems it is.
    X : ndarray of shape (n, n_features)
        The rows.
    y : ndarray of shape (n,)
        Labels, -1 and 1, or targets.
    gamma : float
        Of the kernel.
    epsilon : float or None
        Half the width of the tube in regression; ``None`` is classification.
    C_start, C_end : ndarray of shape (n,)
        The weights, one for each row.
    """

    family: str
    X: np.ndarray
    y: np.ndarray
    gamma: float
    epsilon: float | None
    C_start: np.ndarray
    C_end: np.ndarray

    @property
    def n(self) -> int:
        return len(self.y)

    def weights(self, theta: float) -> np.ndarray:
        """All weights at one place."""
        return (1.0 - theta) * self.C_start + theta * self.C_end


@dataclass(frozen=True, eq=False)
class LassoProblem:
    """The lasso on centred data, its penalty falling from where all coefficients vanish.

    Attributes
    ----------
    family : str
        Of which family of problems it is.
    X : ndarray of shape (n, p)
        The columns.
    y : ndarray of shape (n,)
        The targets.
    largest, smallest : float
        The penalty at the start and at the end.
    """

    family: str
    X: np.ndarray
    y: np.ndarray
    largest: float
    smallest: float

    @property
    def n(self) -> int:
        return len(self.y)

    def penalty(self, theta: float) -> float:
        """The penalty at one place."""
        return (1.0 - theta) * self.largest + theta * self.smallest


Problem = KernelProblem | LassoProblem


@dataclass(frozen=True)
class Family:
    """Problems of one kind and of many sizes.

    Attributes
    ----------
    name : str
        As it is asked for.
    title : str
        For people.
    note : str
        What the problem is, in one sentence or two.
    make : callable
        Takes the number of rows.
    n_rows : int or None
        The rows of real data; ``None`` where data of any size can be drawn.
    """

    name: str
    title: str
    note: str
    make: Callable[[int], Problem]
    n_rows: int | None = None


def toy_weights(n: int) -> KernelProblem:
    """Half of the weights go from 0 to 10: the artificial example of the paper's section 4.1."""
    data = make_toy(n, random_state=0)
    y = data.y.astype(float)
    return KernelProblem("weights", data.X, y, data.gamma, None, data.C_old, data.C_new)


def toy_cost(n: int) -> KernelProblem:
    """One C for all rows, from half of that at which anything happens to 10.

    While C is small all rows of the two classes, which are as many in one as in the other, are on
    the wrong side of their margins and have the coefficient C, as long as some bias suits them all.
    """
    data = make_toy(n, random_state=0)
    y = data.y.astype(float)
    value = np.exp(-data.gamma * cdist(data.X, data.X, "sqeuclidean")) @ y
    first = 2.0 / (value[y > 0].max() - value[y < 0].min())
    start, end = np.full(n, 0.5 * first), np.full(n, data.C)
    return KernelProblem("cost", data.X, y, data.gamma, None, start, end)


def diabetes_weights(n: int) -> KernelProblem:
    """Log-normal weights of the diabetes data go to other log-normal weights."""
    X, y, weights = regression.make_data(n)
    C_start, C_end = regression.C * weights
    return KernelProblem("regression", X, y, 0.1, regression.EPSILON, C_start, C_end)


def normal_lasso(n: int) -> LassoProblem:
    """Normal columns, a fifth as many as rows, down to a thousandth of the largest penalty."""
    X, y = lasso.make_data(n, n // 5, copied=False)
    largest = float(np.abs(X.T @ y).max() / n)
    return LassoProblem("lasso", X, y, largest, lasso.SMALLEST * largest)


FAMILIES = (
    Family(
        "weights",
        "Classification, weight path",
        "Two classes in the plane (the artificial data of the paper's section 4.1), Gaussian "
        "kernel with gamma = 0.5; half of the weights go from 0 to 10, the others stay at 10.",
        toy_weights,
    ),
    Family(
        "cost",
        "Classification, one C for all rows",
        "The same data and kernel; C goes from where all coefficients are still at their bound to "
        "10, the path of R's svmpath.",
        toy_cost,
    ),
    Family(
        "regression",
        "Regression, weight path",
        "The diabetes data of scikit-learn, standardised, targets as they are; epsilon = 5, "
        "Gaussian kernel with gamma = 0.1; log-normal weights times 10 go to others.",
        diabetes_weights,
        n_rows=442,
    ),
    Family(
        "lasso",
        "Lasso, penalty path",
        "Normal columns, a fifth as many as rows, a fifth of them with a coefficient; from the "
        "penalty at which all coefficients vanish down to a thousandth of it.",
        normal_lasso,
    ),
)
