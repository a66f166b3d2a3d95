"""Novelty in a stream: after every arrival, what a fit from scratch to the window would be."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import weightpath as wp
from weightpath.applications.forgetting_window import forgetting_weights

PARAMS = {"nu": 0.3, "gamma": 0.7}


def stream(n=80, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + np.linspace(0, 2, n)[:, None]


def assert_fresh(model, X):
    """Compare with a fit to the window from scratch."""
    rows = X[max(0, model.n_seen_ - (model.window or 10**9)) : model.n_seen_]
    weight = forgetting_weights(model.forgetting, len(rows))
    fresh = wp.OneClassSVM(**PARAMS).fit(rows, sample_weight=weight)
    at = stream(30, seed=1)
    np.testing.assert_allclose(
        model.decision_function(at), fresh.decision_function(at), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(model.offset_, fresh.offset_, atol=1e-9)
    assert model.one_class_svm_.kkt_violation() < 1e-9


@pytest.mark.parametrize("forgetting", [3.0, None, lambda n: 0.9 ** np.arange(n)[::-1]])
@pytest.mark.parametrize("window", [25, None])
def test_it_is_always_the_model_of_its_window(window, forgetting):
    X = stream()
    model = wp.OnlineOneClassSVM(window, forgetting=forgetting, **PARAMS).fit(X[:10])
    assert_fresh(model, X)
    for start in range(10, 80, 7):
        model.partial_fit(X[start : start + 7])
        assert_fresh(model, X)
        assert model.path_ is not None and model.path_.kkt_violation() < 1e-9


def test_one_row_at_a_time_with_names():
    X = stream(40)
    model = wp.OnlineOneClassSVM(20, **PARAMS)
    assert model.score_one({"a": 0.0, "b": 0.0}) is None
    assert model.predict_one({"a": 0.0, "b": 0.0}) is None
    for a, b in X:
        model.learn_one({"a": a, "b": b})
    assert_fresh(model, X)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    score = model.score_one({"b": 9.0, "a": 9.0})
    assert isinstance(score, float) and score < 0
    assert model.predict_one({"b": 9.0, "a": 9.0}) == -1
    assert model.score_one(X[-1]) == pytest.approx(model.decision_function(X[-1:])[0])


def test_scores_are_decision_values_above_the_offset():
    X = stream()
    model = wp.OnlineOneClassSVM(**PARAMS).fit(X)
    np.testing.assert_allclose(
        model.score_samples(X) - model.offset_, model.decision_function(X), atol=1e-12
    )
    assert (model.predict(X) == np.where(model.decision_function(X) >= 0, 1, -1)).all()


def test_sparse_streams_and_pickles():
    X = stream()
    model = wp.OnlineOneClassSVM(30, **PARAMS).fit(csr_matrix(X[:40]))
    model = pickle.loads(pickle.dumps(model)).partial_fit(csr_matrix(X[40:]))
    assert_fresh(model, X)


def test_a_second_fit_forgets_the_first():
    X = stream()
    model = wp.OnlineOneClassSVM(30, **PARAMS).fit(X).fit(X[:12, :1])
    assert model.n_seen_ == 12 and model.n_features_in_ == 1


def test_a_failure_leaves_the_model():
    X = stream()
    model = wp.OnlineOneClassSVM(30, **PARAMS).fit(X)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[np.nan, 0.0]])
    with pytest.raises(ValueError, match="features"):
        model.learn_one([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_a_changed_parameter_is_used_at_the_next_arrival():
    X = stream()
    model = wp.OnlineOneClassSVM(30, gamma=0.7).fit(X[:40]).set_params(nu=0.3)
    model.partial_fit(X[40:])
    assert model.path_ is None
    assert_fresh(model, X)


def test_before_anything_is_learnt():
    with pytest.raises(NotFittedError):
        wp.OnlineOneClassSVM().predict([[0.0]])
    with pytest.raises(ValueError, match="precomputed"):
        clone(wp.OnlineOneClassSVM(kernel="precomputed")).fit(stream())
