"""The campaign's own kernels: formulas in long double, and callables for the estimators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

__all__ = ["KernelChoice", "choose_kernel"]

WIDE = np.longdouble


@dataclass(frozen=True)
class KernelChoice:
    """A kernel: its name in reports, what the estimator is given, and its values.

    Attributes
    ----------
    name : str
    params : dict
        Parameters of the estimator.
    function : callable
        The values, as a function of two matrices of features.
    features : bool
        Whether the estimator is given features; else a matrix of kernel values.
    """

    name: str
    params: dict
    function: object
    features: bool = True

    def matrix(self, A, B) -> np.ndarray:
        """Return the kernel values of all pairs of rows."""
        return self.function(A, B)

    def rows_for(self, A, X) -> np.ndarray:
        """Return what the estimator is given for the rows ``A`` on training rows ``X``."""
        return A if self.features else np.asarray(self.function(A, X), dtype=np.float64)


def inner(A, B):
    return np.asarray(A, dtype=WIDE) @ np.asarray(B, dtype=WIDE).T


def rbf(A, B, gamma):
    A, B = np.asarray(A, dtype=WIDE), np.asarray(B, dtype=WIDE)
    square = sum((A[:, k, None] - B[None, :, k]) ** 2 for k in range(A.shape[1]))
    return np.exp(-WIDE(gamma) * square)


def poly(A, B, gamma, degree, coef0):
    return (WIDE(gamma) * inner(A, B) + WIDE(coef0)) ** degree


def sigmoid(A, B, gamma, coef0):
    return np.tanh(WIDE(gamma) * inner(A, B) + WIDE(coef0))


def laplace(A, B, gamma, tilt=0.0):
    """A kernel for estimators, in double precision; with a tilt it is not symmetric."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    apart = sum(np.abs(A[:, k, None] - B[None, :, k]) for k in range(A.shape[1]))
    values = np.exp(-gamma * apart)
    return values + tilt * np.tanh(gamma * (A[:, :1] - B[None, :, 0]))


def affine(A, B, gamma, tilt=0.0):
    """One plus a scaled inner product, in double precision."""
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    values = 1.0 + gamma * np.einsum("ik,jk->ij", A, B)
    return values + tilt * np.tanh(np.sqrt(gamma) * (A[:, :1] - B[None, :, 0]))


def stored(A, B, function, lowered):
    """Values of a kernel in double precision; ``lowered`` takes a multiple of a product away."""
    values = np.asarray(function(A, B), dtype=np.float64)
    if lowered:
        a, b = np.sin(np.arange(len(A)) + A[:, 0]), np.sin(np.arange(len(B)) + B[:, 0])
        values = values - lowered * np.outer(a, b)
    return values


def choose_kernel(g, X) -> KernelChoice:
    """Draw a kernel for the data."""
    variance = float(X.var()) or 1.0
    size = float(np.mean(X**2)) * X.shape[1] or 1.0
    name = g.choice(
        ["linear", "rbf", "poly", "precomputed", "sigmoid", "callable"],
        p=[0.3, 0.35, 0.1, 0.1, 0.05, 0.1],
    )
    if name == "linear":
        return KernelChoice("linear", {"kernel": "linear"}, inner)
    if name == "rbf":
        gamma = 10.0 ** g.uniform(-3, 3) / variance
        return KernelChoice("rbf", {"kernel": "rbf", "gamma": gamma}, partial(rbf, gamma=gamma))
    if name == "poly":
        own = {"gamma": 10.0 ** g.uniform(-2, 1) / size, "degree": int(g.integers(1, 5))}
        own["coef0"] = float(g.choice([0.0, 1.0, 0.1, -0.5], p=[0.3, 0.4, 0.2, 0.1]))
        return KernelChoice("poly", {"kernel": "poly", **own}, partial(poly, **own))
    if name == "sigmoid":
        own = {"gamma": 10.0 ** g.uniform(-3, 1) / size, "coef0": float(g.choice([0.0, 0.5, -1]))}
        return KernelChoice("sigmoid", {"kernel": "sigmoid", **own}, partial(sigmoid, **own))
    if name == "precomputed":
        gamma = 10.0 ** g.uniform(-2, 2) / variance
        base = inner if g.random() < 0.5 else partial(rbf, gamma=gamma)
        lowered = 0.0
        if g.random() < 0.15:
            lowered = 10.0 ** g.uniform(-3, 0.5) * (size if base is inner else 1.0)
        function = partial(stored, function=base, lowered=lowered)
        return KernelChoice("precomputed", {"kernel": "precomputed"}, function, features=False)
    return choose_callable(g, variance, size)


def choose_callable(g, variance, size) -> KernelChoice:
    """Draw a kernel function, now and then one that is not symmetric."""
    tilt = 10.0 ** g.uniform(-3, 0) if g.random() < 0.2 else 0.0
    if g.random() < 0.5:
        function = partial(laplace, gamma=10.0 ** g.uniform(-2, 2) / variance**0.5, tilt=tilt)
    else:
        function = partial(affine, gamma=10.0 ** g.uniform(-2, 2) / size, tilt=tilt)
    return KernelChoice("asymmetric" if tilt else "callable", {"kernel": function}, function)
