"""Hypothesis strategies of whole classification paths, made to contain ties and duplicates."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from judges.cases import Case

__all__ = ["inputs", "kernels", "labels", "margins", "svc_paths", "weights"]

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 10.0)


@st.composite
def inputs(draw, n):
    """Draw ``n`` rows, some repeated: small integers, or floats rounded to one decimal."""
    p = draw(st.integers(1, 4))
    n_distinct = draw(st.integers(1, n))
    if draw(st.booleans()):
        entry = st.integers(-1, 3).map(float)
    else:
        entry = st.integers(-30, 30).map(lambda k: k / 10)
    flat = draw(st.lists(entry, min_size=n_distinct * p, max_size=n_distinct * p))
    rows = draw(st.lists(st.integers(0, n_distinct - 1), min_size=n, max_size=n))
    return np.array(flat).reshape(n_distinct, p)[rows]


@st.composite
def labels(draw, n):
    """Draw ``n`` labels, +1.0 or -1.0, both present."""
    y = np.array(draw(st.lists(st.sampled_from((1.0, -1.0)), min_size=n, max_size=n)))
    if len(set(y)) == 1:
        y[draw(st.integers(0, n - 1))] *= -1.0
    return y


@st.composite
def weights(draw, y):
    """Draw the ``C_i``: uniform or from a few values, zero included; no class loses them all."""
    n = len(y)
    if draw(st.integers(0, 3)) == 0:
        return np.full(n, draw(st.sampled_from(WEIGHTS[1:])))
    weight = np.array(draw(st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n)))
    for label in (1.0, -1.0):
        members = np.flatnonzero(y == label)
        if not weight[members].any():
            weight[members[0]] = 1.0
    return weight


@st.composite
def margins(draw, n):
    """Draw the margins: mostly 1 for all, sometimes own ones, zero and negative included."""
    if draw(st.integers(0, 3)):
        return 1.0
    values = st.sampled_from((1.0, 2.0, 0.5, 0.0, -1.0))
    return np.array(draw(st.lists(values, min_size=n, max_size=n)))


def kernels():
    """Draw kernel arguments: linear, Gaussian, or polynomial (for integer inputs)."""
    gaussian = st.sampled_from((0.05, 0.5, 5.0)).map(lambda g: {"name": "rbf", "gamma": g})
    polynomial = st.integers(2, 3).map(
        lambda d: {"name": "poly", "gamma": 1.0, "degree": d, "coef0": 1.0}
    )
    return st.one_of(st.just({"name": "linear"}), gaussian, polynomial)


@st.composite
def svc_paths(draw, max_n=40, own_margins=True):
    """Draw a whole path: a :class:`judges.cases.Case` with 2 to 4 weight vectors.

    Parameters
    ----------
    max_n : int, default=40
        The largest number of instances; the smallest is 2.
    own_margins : bool, default=True
        Whether some paths ask their own margin of each instance.
    """
    n = draw(st.integers(2, max_n))
    y = draw(labels(n))
    X = draw(inputs(n))
    kernel = draw(kernels())
    if kernel["name"] == "poly":
        X = np.rint(X)
    visited = draw(st.lists(weights(y), min_size=2, max_size=4))
    margin = draw(margins(n)) if own_margins else 1.0
    return Case("drawn", X, kernel, y, visited, margin)
