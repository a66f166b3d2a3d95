"""Ranking on OHSUMED, the data of the paper's section 5.2."""

import numpy as np
import pytest

import weightpath as wp
from weightpath.datasets import load_ohsumed
from weightpath.problems import PreferencePairs

# As the paper counts them.
PAIRS = {1: 367663, 2: 422716, 3: 378087, 4: 295814, 5: 283484}
GAMMA = 1 / 45


@pytest.mark.data("ohsumed")
@pytest.mark.parametrize("fold", PAIRS)
def test_pairs_of_the_folds(fold, data_home):
    data = load_ohsumed(fold, "train", data_home)
    pairs = PreferencePairs.of(data.target, data.qid)
    assert len(pairs) == PAIRS[fold]
    assert (data.target[pairs.first] > data.target[pairs.second]).all()
    assert (data.qid[pairs.first] == data.qid[pairs.second]).all()


@pytest.mark.data("ohsumed")
def test_path_on_some_queries(data_home):
    data = load_ohsumed(1, "train", data_home)
    sizes = {q: int(np.sum(data.qid == q)) for q in np.unique(data.qid)}
    some = np.isin(data.qid, sorted(sizes, key=sizes.get)[:8])
    X, y, qid = data.data[some], data.target[some], data.qid[some]
    model = wp.RankingSVM(1e-2, gamma=GAMMA).fit(X, y, qid)
    assert model.kkt_violation() < 1e-8
    path = model.reweight("relevance")
    assert path.n_events > 20
    assert path.kkt_violation() < 1e-8
    fresh = wp.RankingSVM(1e-2, gamma=GAMMA, pair_weight="relevance").fit(X, y, qid)
    np.testing.assert_allclose(model.predict(X), fresh.predict(X), rtol=0, atol=1e-8)


@pytest.mark.slow
@pytest.mark.data("ohsumed")
def test_path_on_a_whole_fold(data_home):
    data = load_ohsumed(1, "train", data_home)
    model = wp.RankingSVM(1e-4, gamma=GAMMA).fit(data.data, data.target, data.qid)
    assert model.kkt_violation() < 1e-8
    path = model.reweight("relevance")
    assert path.status == "complete"
    some = np.random.default_rng(0).uniform(size=20)
    assert path.kkt_violation(np.array([0.0, 1.0, *some])) < 1e-8
    assert model.kkt_violation() < 1e-8
