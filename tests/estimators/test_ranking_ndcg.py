"""Exact NDCG along ranking paths, against direct evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

import weightpath as wp
from estimators.ranking_samples import documents
from judges.rank_metrics import judge_metric


@pytest.fixture(scope="module")
def path():
    X, y, qid = documents(90, 4, 5, 3, seed=2)
    return wp.RankingSVM(C=0.5, gamma=0.3).fit(X, y, qid=qid).reweight("relevance")


@pytest.mark.parametrize("convention", ["sklearn", "paper", "exponential"])
@pytest.mark.parametrize("k", [None, 1, 10, 100])
def test_ndcg_equals_direct_evaluation(path, k, convention):
    X, y, qid = documents(120, 4, 6, 3, seed=11)
    curve = path.curve(X, y, "ndcg", qid=qid, k=k, convention=convention)
    theta = np.random.default_rng(0).uniform(size=200)
    scores = path.decision_function(X, theta)
    for t, score in zip(theta, scores, strict=True):
        value = judge_metric("ndcg", y, score, query=qid, k=k, convention=convention)
        assert curve(t) == pytest.approx(value, abs=1e-12)
    assert len(curve) > 1 or k == 1


def test_duplicated_documents_share_their_places(path):
    X, y, qid = documents(40, 4, 2, 3, seed=5)
    X, y, qid = np.vstack([X, X]), np.append(y, y[::-1]), np.append(qid, qid)
    curve = path.curve(X, y, "ndcg", qid=qid, k=10, convention="paper")
    theta = np.random.default_rng(3).uniform(size=50)
    half = path.decision_function(X[:40], theta)
    for t, score in zip(theta, half, strict=True):
        value = judge_metric(
            "ndcg", y, np.append(score, score), query=qid, k=10, convention="paper"
        )
        assert curve(t) == pytest.approx(value, abs=1e-12)


def test_score_is_the_mean_ndcg(path):
    model = path.model_at(0.4)
    X, y, qid = documents(60, 4, 3, 3, seed=8)
    score = model.predict(X)
    expected = np.mean(
        [ndcg_score(y[None, qid == q], score[None, qid == q], k=5) for q in np.unique(qid)]
    )
    assert model.score(X, y, qid=qid, k=5) == pytest.approx(expected, abs=1e-12)
    assert model.score(X, y, qid=qid, k=5, convention="paper") == pytest.approx(
        judge_metric("ndcg", y, score, query=qid, k=5, convention="paper"), abs=1e-12
    )
    with pytest.raises(ValueError, match="rows but y"):
        model.score(X, y[:5], qid=qid)
