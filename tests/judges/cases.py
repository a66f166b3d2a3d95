"""Named ugly classification problems, each a function of a seed.

A case is data, a kernel and a list of weight vectors; a path goes from each vector to the next.
The names say what hurts: duplicates and ties (``grid``, ``onehot``, ``alldup``), near-constant
kernels (``rbf0.01``), weights over six orders of magnitude (``-C``), weights that vanish and come
back (``-Z``), a class that all but disappears (``vanish``).

Examples
--------
>>> from judges.cases import CASES
>>> case = CASES["grid-linear-Z"](seed=0)
>>> len(case.weights), case.K.shape == (len(case.y), len(case.y))
(3, True)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

import numpy as np
from scipy.spatial.distance import cdist

from weightpath.problems import hinge_staircase

__all__ = ["CASES", "Case", "kernel_matrix", "make_case", "weight_sequence"]

LINEAR = {"name": "linear"}
SQUARE = {"name": "poly", "gamma": 1.0, "degree": 2, "coef0": 1.0}


def kernel_matrix(X, name="linear", gamma=1.0, degree=3, coef0=0.0) -> np.ndarray:
    """Return the kernel matrix of ``X``; equal rows of ``X`` give equal rows of the matrix.

    The parameters mean what they do in scikit-learn.
    """
    X = np.asarray(X, dtype=np.float64)
    if name == "precomputed":
        return X
    if name == "rbf":
        return np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    # einsum adds in one fixed order, unlike a blocked matrix product: equal rows stay equal.
    inner = np.einsum("ik,jk->ij", X, X)
    inner = np.triu(inner) + np.triu(inner, 1).T
    return inner if name == "linear" else (gamma * inner + coef0) ** degree


@dataclass(frozen=True)
class Case:
    """One classification problem and the weights it visits.

    Attributes
    ----------
    name : str
        What it is called in a failure report.
    X : ndarray of shape (n, p)
        The inputs.
    kernel : dict
        Arguments of :func:`kernel_matrix` (and of :class:`weightpath.kernels.Kernel`).
    y : ndarray of shape (n,)
        Labels, +1.0 or -1.0.
    weights : list of ndarray of shape (n,)
        The ``C_i`` to visit, in order.
    margin : float or ndarray of shape (n,), default=1.0
        The margin asked of each instance.
    """

    name: str
    X: np.ndarray
    kernel: dict
    y: np.ndarray
    weights: list = field(repr=False)
    margin: float | np.ndarray = 1.0

    @cached_property
    def K(self) -> np.ndarray:  # noqa: N802
        """The kernel matrix."""
        return kernel_matrix(self.X, **self.kernel)

    def staircases(self) -> list:
        """Return the problem at each weight vector."""
        return [hinge_staircase(self.y, weight, self.margin) for weight in self.weights]


def weight_sequence(which, y, rng, size=1.0) -> list[np.ndarray]:
    """Return the weight vectors of a kind of path.

    ``W``: log-normal to log-normal. ``C``: uniform from 1e-2 to 1e4. ``D``: the same, stopping at
    each decade. ``Z``: a tenth of the weights to zero and back.
    """
    n = len(y)
    if which == "W":
        return [size * rng.lognormal(size=n), size * rng.lognormal(size=n)]
    if which == "C":
        return [np.full(n, 1e-2), np.full(n, 1e4)]
    if which == "D":
        return [np.full(n, c) for c in np.geomspace(1e-2, 1e4, 7)]
    if which == "Z":
        full = np.full(n, float(size))
        part = full.copy()
        part[rng.permutation(n)[: max(n // 10, 1)]] = 0.0
        return [full, part, full.copy()]
    raise ValueError(f"Unknown kind of path {which!r}; choose W, C, D or Z.")


def make_case(name, data, kernel, which, size, seed) -> Case:
    """Return the case of ``data(rng) -> (X, y)`` with a kind of path from ``weight_sequence``."""
    rng = np.random.default_rng(seed)
    X, y = data(rng)
    if "per_feature" in kernel:
        kernel = {"name": "rbf", "gamma": kernel["per_feature"] / X.shape[1]}
    return Case(f"{name}[{seed}]", X, kernel, y, weight_sequence(which, y, rng, size))


def clouds(rng, n=150, p=3, positive=0.5, shift=1.0):
    """Return two Gaussian clouds, ``shift`` apart along the first axis."""
    y = np.where(np.arange(n) < positive * n, 1.0, -1.0)
    rng.shuffle(y)
    X = rng.normal(size=(n, p))
    X[:, 0] += shift * (y > 0)
    return X, y


def grid(rng, n=150):
    """Return points of a 4 by 4 integer grid: every point many times, under both labels."""
    X = rng.integers(0, 4, size=(n, 2)).astype(float)
    return X, signs(X.sum(axis=1) + 1.5 * rng.normal(size=n) - 3.0)


def onehot(rng, n=150):
    """Return four one-hot coded factors of four values: duplicates and a singular matrix."""
    codes = rng.integers(0, 4, size=(n, 4))
    X = np.hstack([np.eye(4)[codes[:, j]] for j in range(4)])
    score = X @ rng.normal(size=16) + 0.5 * rng.normal(size=n)
    return X, signs(score - np.median(score))


def alldup(rng, n=120):
    """Return copies of only six points with labels at random."""
    X = rng.normal(size=(6, 2))[rng.integers(0, 6, n)]
    return X, signs(rng.normal(size=n))


def signs(score):
    """Return +1 where the score is positive and -1 elsewhere, both present."""
    y = np.where(score > 0, 1.0, -1.0)
    y[np.argmax(score)], y[np.argmin(score)] = 1.0, -1.0
    return y


@lru_cache
def sklearn_table(name):
    """Return a standardised table that ships with scikit-learn."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def real(rng, name, classes=(1, 0), n=150):
    """Return rows of a scikit-learn table, two of its classes."""
    X, y = sklearn_table(name)
    rows = rng.permutation(np.flatnonzero(np.isin(y, classes)))[:n]
    return X[rows], np.where(y[rows] == classes[0], 1.0, -1.0)


def paper_toy(seed, n=100) -> Case:
    """The paper's artificial data: half of the weights go from 0 to 10, the rest stay at 10."""
    rng = np.random.default_rng(seed)
    k = n // 4
    centre = np.repeat([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]], k, axis=0)
    variance = np.repeat([[1.0, 0.5], [0.5, 0.5], [1.0, 0.5], [0.5, 0.5]], k, axis=0)
    X = centre + np.sqrt(variance) * rng.normal(size=(4 * k, 2))
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    y = np.repeat([1.0, 1.0, -1.0, -1.0], k)
    cheap = np.repeat([True, False, True, False], k)
    weights = [np.where(cheap, 0.0, 10.0), np.full(4 * k, 10.0)]
    return Case(f"paper-toy[{seed}]", X, {"name": "rbf", "gamma": 1.0}, y, weights)


def integer_weights(seed) -> Case:
    """Copies of six points under small integer weights: ties all along the path."""
    rng = np.random.default_rng(seed)
    X, y = alldup(rng)
    weights = [rng.integers(1, 4, len(y)).astype(float) for _ in range(4)]
    return Case(f"alldup-integer[{seed}]", X, {"name": "rbf", "gamma": 0.5}, y, weights)


def separable(seed) -> Case:
    """Two far clouds: from C of about 1 on nothing changes, up to 1e4 and back."""
    rng = np.random.default_rng(seed)
    X, y = clouds(rng, p=2, shift=8.0)
    weights = [np.full(len(y), c) for c in (1e-2, 1e4, 1e-2)]
    return Case(f"separable[{seed}]", X, LINEAR, y, weights)


def vanish(seed) -> Case:
    """The positive class nearly vanishes (1e-8 of its weight) and returns."""
    rng = np.random.default_rng(seed)
    X, y = clouds(rng, p=2)
    full = np.ones(len(y))
    weights = [full, np.where(y > 0, 1e-8, 1.0), full, 3.0 * full]
    return Case(f"vanish[{seed}]", X, {"name": "rbf", "gamma": 0.5}, y, weights)


def tiny(seed, kernel) -> Case:
    """At most six integer points under integer weights 0 to 3: for exact arithmetic.

    Every weight vector keeps some weight in both classes.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    X = rng.integers(-1, 3, size=(n, 2)).astype(float)
    y = signs(rng.normal(size=n))
    weights = []
    for _ in range(4):
        weight = rng.integers(0, 4, size=n).astype(float)
        for label in (1.0, -1.0):
            members = np.flatnonzero(y == label)
            if not weight[members].any():
                weight[rng.choice(members)] = 1.0
        weights.append(weight)
    return Case(f"tiny-{kernel['name']}[{seed}]", X, kernel, y, weights)


def data_sets():
    """Yield ``(name, data, kernel, sizes of the weights)`` of the cases with standard paths."""
    for share, positive in (("balanced", 0.5), ("unbalanced", 0.15)):
        for p in (2, 5, 30):
            yield f"linear{p}-{share}", partial(clouds, p=p, positive=positive), LINEAR, (1.0,)
        for width in (10, 1, 0.1, 0.01):
            kernel = {"per_feature": width}
            yield f"rbf{width}-{share}", partial(clouds, positive=positive), kernel, (1.0, 1e3)
    for kind, kernel in (("linear", LINEAR), ("rbf", {"per_feature": 1.0}), ("poly", SQUARE)):
        yield f"grid-{kind}", grid, kernel, (1.0,)
    yield "onehot", onehot, LINEAR, (1.0,)
    yield "alldup", alldup, {"per_feature": 1.0}, (1.0,)
    for kind, kernel in (("linear", LINEAR), ("rbf", {"per_feature": 1.0})):
        yield f"cancer-{kind}", partial(real, name="breast_cancer"), kernel, (1.0,)
        yield f"digits-{kind}", partial(real, name="digits", classes=(3, 8)), kernel, (1.0,)


def build_cases() -> dict:
    """Return all cases by name; each is called with a seed."""
    found = {}
    for name, data, kernel, sizes in data_sets():
        for which in "WCDZ":
            for size in sizes if which in "WZ" else (1.0,):
                full = f"{name}-{which}" + ("" if size == 1.0 else f"{size:g}")
                found[full] = partial(make_case, full, data, kernel, which, size)
    found["paper-toy"] = paper_toy
    found["alldup-integer"] = integer_weights
    found["separable"] = separable
    found["vanish"] = vanish
    found["tiny-linear"] = partial(tiny, kernel=LINEAR)
    found["tiny-poly"] = partial(tiny, kernel=SQUARE)
    return found


CASES = build_cases()
