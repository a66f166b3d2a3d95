"""Data, and one way to speak to models of every kind of training matrix."""

from __future__ import annotations

from dataclasses import dataclass

import joblib
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

import weightpath as wp
from weightpath.estimators.problem import Fitted

GAMMA = 0.4
KINDS = ("dense", "sparse", "precomputed", "callable")


class PlainRbf:
    """A kernel function that can be pickled, and whose name is the same in every process."""

    def __call__(self, A, B):
        return rbf_kernel(A, B, gamma=GAMMA)

    def __repr__(self):
        return "plain_rbf"


plain_rbf = PlainRbf()


def overlapping(n=60, n_classes=2, n_features=3, seed=0):
    """Classes that overlap, every one with several instances, in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    centers = 1.3 * rng.normal(size=(n_classes, n_features))
    return centers[y] + rng.normal(size=(n, n_features)), y


def random_weights(n, seed=0, zeros=0.0):
    """Positive weights, a share of them zero."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.1, 3.0, n) * (rng.uniform(size=n) >= zeros)


def spoiled(values, index, value):
    """Return a copy of the values with one of them changed."""
    values = np.array(values, dtype=float)
    values[index] = value
    return values


def indefinite(A, B):
    """Symmetric, not positive semidefinite."""
    return -np.linalg.norm(A[:, None] - B[None], axis=-1) - 1.0


@dataclass(frozen=True)
class Kind:
    """How rows are handed to a model whose training matrix is of some kind; always the same rbf."""

    name: str

    def model(self, **params):
        kernel = {"precomputed": "precomputed", "callable": plain_rbf}.get(self.name, "rbf")
        return wp.SVC(**{"C": 2.0, "kernel": kernel, "gamma": GAMMA, **params})

    def training(self, X):
        return self.points(X, X)

    def points(self, X, X_train):
        if self.name == "precomputed":
            return plain_rbf(X, X_train)
        return csr_matrix(X) if self.name == "sparse" else X

    def arrivals(self, X_new, X_train):
        return self.points(X_new, np.vstack([X_train, X_new]))


def pairwise_values(model, X):
    """Decision values of all pairs of classes, whatever the shape that the model is asked for."""
    shape, ties = model.decision_function_shape, model.break_ties
    try:
        return model.set_params(decision_function_shape="ovo", break_ties=False).decision_function(
            X
        )
    finally:
        model.set_params(decision_function_shape=shape, break_ties=ties)


def assert_same_model(model, other, X, tolerance=1e-7):
    """Assert that two models decide alike."""
    np.testing.assert_allclose(
        pairwise_values(model, X), pairwise_values(other, X), rtol=0, atol=tolerance
    )


def shown_by(model):
    """The names of what an instance has and its class has not: parameters and attributes."""
    return sorted(set(dir(model)) - set(dir(type(model))))


def interrupt_on_arrival(patch, call, twin):
    """Interrupt a call where it has made the last state, which the model then takes over."""
    made, original = [], Fitted.__post_init__

    def count(self):
        made.append(self)
        original(self)

    patch.setattr(Fitted, "__post_init__", count)
    call(twin)
    last, made[:] = len(made), []

    def interrupt(self):
        count(self)
        if len(made) == last:
            raise KeyboardInterrupt

    patch.setattr(Fitted, "__post_init__", interrupt)


def fingerprint(model):
    """A hash of everything that a model is: parameters, public and private state."""
    return joblib.hash(vars(model))
