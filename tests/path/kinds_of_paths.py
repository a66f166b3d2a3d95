"""One small path of every kind that can be saved, and points to evaluate it at."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from scipy import sparse

import weightpath as wp

N = 12


def _data(seed: int, n_classes: int = 2):
    rng = np.random.default_rng(seed)
    y = np.arange(N) % n_classes
    X = rng.normal(size=(N, 3))
    X[:, 0] += y
    return X, y, rng.uniform(0.2, 3.0, N), rng


def dense():
    X, y, weight, _ = _data(0)
    return wp.SVC(gamma=0.5).fit(X, y).reweight(weight), X[:4] + 0.1


def sparse_rows():
    X, y, weight, rng = _data(1)
    X = sparse.csr_matrix(X * (rng.uniform(size=X.shape) < 0.6))
    return wp.SVC(kernel="poly", degree=2, coef0=1.0).fit(X, y).reweight(weight), X[:4]


def several_classes():
    X, y, weight, _ = _data(2, 3)
    return wp.SVC(C=2.0).fit(X, np.array(["a", "b", "c"])[y]).reweight(weight), X[:4] - 0.1


def regression():
    X, _, weight, rng = _data(3)
    y = X[:, 0] + 0.3 * rng.normal(size=N)
    return wp.SVR(C=3.0, epsilon=0.2).fit(X, y).move(sample_weight=weight, epsilon=0.1), X[:4]


def quantile():
    X, _, _, rng = _data(4)
    y = X[:, 0] + 0.3 * rng.normal(size=N)
    return wp.QuantileSVR(quantile=0.2, kernel="linear").fit(X, y).move(quantile=0.7), X[:4]


def one_class():
    X, _, weight, _ = _data(5)
    return wp.OneClassSVM(nu=0.3).fit(X).move(sample_weight=weight, nu=0.7), X[:4]


def lasso():
    X, _, _, rng = _data(6)
    y = X @ [2.0, 0.0, -1.0] + 0.1 * rng.normal(size=N)
    return wp.Lasso(alpha=0.02).fit(X, y).path_, X[:4]


def ranking():
    X, _, _, rng = _data(7)
    y = (X[:, 0] + 0.5 * rng.normal(size=N)).round()
    model = wp.RankingSVM(gamma=0.5).fit(X, y, qid=np.arange(N) // 6)
    return model.move(pair_weight="relevance"), X[:4]


def precomputed():
    X, y, weight, _ = _data(8)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=-1))
    return wp.SVC(kernel="precomputed", ridge=0.1).fit(K, y).reweight(weight), K[:4]


def named_columns():
    X, y, weight, _ = _data(9)
    X = pd.DataFrame(X, columns=["one", "two", "three"])
    y = np.array(["no", "yes"], dtype=object)[y]
    return wp.SVC(class_weight={"yes": 2.0}).fit(X, y).reweight(weight), X[:4]


def stopped():
    X, y, weight, _ = _data(10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wp.EventCapWarning)
        return wp.SVC(gamma=0.5, max_events=2).fit(X, y).reweight(weight), X[:4]


KINDS = {
    make.__name__: make
    for make in (
        dense,
        sparse_rows,
        several_classes,
        regression,
        quantile,
        one_class,
        lasso,
        ranking,
        precomputed,
        named_columns,
        stopped,
    )
}
