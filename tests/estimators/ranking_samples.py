"""Documents of several queries, and ways to hand them to a ranking model."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

import weightpath as wp
from estimators.samples import GAMMA, KINDS, plain_rbf
from judges.ranking import all_pairs

__all__ = ["KINDS", "arrivals", "assert_same_scores", "documents", "machine", "points"]


def documents(n=36, n_features=3, n_queries=3, n_levels=3, seed=0):
    """Documents with graded relevances, their queries in mixed order."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = np.digitize(X[:, 0] + 0.7 * rng.normal(size=n), np.linspace(-0.7, 0.7, n_levels - 1))
    return X, y, rng.permutation(np.arange(n) % n_queries)


def machine(kind, **params):
    """Return a model whose training matrix is of some kind; always the same rbf."""
    kernel = {"precomputed": "precomputed", "callable": plain_rbf}.get(kind, "rbf")
    return wp.RankingSVM(**{"C": 0.5, "kernel": kernel, "gamma": GAMMA, **params})


def points(kind, X, X_train):
    """Return documents as a model of some kind takes them."""
    if kind == "precomputed":
        return plain_rbf(X, X_train)
    return csr_matrix(X) if kind == "sparse" else X


def arrivals(kind, X_new, X_train):
    """Return new training documents as a model of some kind takes them."""
    return points(kind, X_new, np.vstack([X_train, X_new]))


def assert_same_scores(model, other, X, tolerance=1e-8):
    """Assert that two models give documents the same scores."""
    theirs = other.predict(X)
    scale = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(model.predict(X), theirs, rtol=0, atol=tolerance * scale)
    np.testing.assert_array_equal(model.pairs_, other.pairs_)


def pair_gains(y, query):
    """Return ``2**y_i - 2**y_j`` of all pairs, by a loop."""
    return np.array([2.0 ** y[i] - 2.0 ** y[j] for i, j in all_pairs(y, query)])
