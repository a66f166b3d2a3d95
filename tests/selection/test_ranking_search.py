"""Weights of preference pairs, chosen by cross-validation over queries."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

import weightpath as wp
from judges.rank_metrics import judge_metric


def documents(seed=0, n=80, n_queries=8):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    y = np.digitize(X[:, 0] + 0.8 * random.normal(size=n), [-0.4, 0.6])
    return X, y, random.permutation(np.arange(n) % n_queries)


def test_folds_are_queries_and_curves_are_exact():
    X, y, qid = documents()
    model = wp.RankingSVM(C=0.3, gamma=0.3)
    search = wp.PathSearchCV(model, "ndcg", cv=4, metric_params={"k": 3, "convention": "paper"})
    search.fit(X, y, start="uniform", end="relevance", qid=qid)
    folds = list(GroupKFold(4).split(X, y, qid))
    places = np.random.default_rng(1).uniform(size=15)
    for (train, test), curve in zip(folds, search.fold_curves_, strict=True):
        for theta in places:
            fresh = wp.RankingSVM(
                C=0.3,
                gamma=0.3,
                pair_weight=lambda a, b, theta=theta: 1 - theta + theta * (2.0**a - 2.0**b),
            ).fit(X[train], y[train], qid=qid[train])
            value = judge_metric(
                "ndcg", y[test], fresh.predict(X[test]), query=qid[test], k=3, convention="paper"
            )
            assert curve(theta) == pytest.approx(value, abs=1e-12)
    grid = np.linspace(0, 1, 2001)
    assert search.best_score_ >= search.curve_(grid).max() - 1e-12
    assert search.best_weights_.shape == (len(search.best_estimator_.pairs_),)
    assert search.best_estimator_.kkt_violation() < 1e-8


def test_polyline_and_grid():
    X, y, qid = documents(3)
    search = wp.PathSearchCV(wp.RankingSVM(gamma=0.3), "ndcg", cv=2, param_grid={"C": [0.05, 0.5]})
    search.fit(X, y, patterns=["uniform", "relevance", lambda a, b: a - b], qid=qid)
    assert search.curve_.edges[-1] == 2.0
    assert search.best_params_["C"] in (0.05, 0.5)


def test_arrays_of_pairs_are_refused():
    X, y, qid = documents()
    search = wp.PathSearchCV(wp.RankingSVM(), "ndcg", cv=2)
    with pytest.raises(TypeError, match="start must be"):
        search.fit(X, y, start=np.ones(80), end="relevance", qid=qid)
