"""Basis pursuit as an estimator: checks, errors, copies, rounds of reweighting."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import weightpath as wp


@parametrize_with_checks([wp.BasisPursuit(), wp.BasisPursuit(penalty_weight=2.0)])
def test_estimator_check(estimator, check):
    check(estimator)


def measured(m=25, n=60, k=9, seed=0):
    """Return a sensing matrix, a sparse signal and what is measured of it."""
    g = np.random.default_rng(seed)
    Phi, signal = g.normal(size=(m, n)), np.zeros(n)
    signal[g.choice(n, k, replace=False)] = g.normal(size=k)
    return Phi, signal, Phi @ signal


def test_a_sparse_signal_is_recovered():
    Phi, signal, y = measured(k=5)
    model = wp.BasisPursuit().fit(Phi, y)
    assert model.coef_ == pytest.approx(signal, abs=1e-12)
    assert (model.active_ == np.flatnonzero(signal)).all()
    assert model.predict(Phi) == pytest.approx(y, abs=1e-12) and model.score(Phi, y) > 1 - 1e-14
    assert model.intercept_ == 0.0 and model.is_consistent_
    assert model.objective_ == pytest.approx(np.abs(signal).sum())


def test_reweighting_recovers_more_than_plain_weights():
    """As in the paper on reweighted l1: fewer measurements suffice."""
    plain, reweighted = 0, 0
    for seed in range(30):
        Phi, signal, y = measured(25, 60, 10, seed)
        model = wp.BasisPursuit().fit(Phi, y)
        plain += np.allclose(model.coef_, signal, atol=1e-6)
        paths = model.reweighted_l1(4, epsilon=0.1)
        assert len(paths) == 4 and max(path.kkt_violation() for path in paths) < 1e-10
        # Each round is the fit at its weights.
        before = paths[-1].at(0.0).coef
        fresh = wp.BasisPursuit(1.0 / (np.abs(before) + 0.1)).fit(Phi, y)
        assert model.objective_ == pytest.approx(fresh.objective_, rel=1e-12)
        reweighted += np.allclose(model.coef_, signal, atol=1e-6)
    assert reweighted >= plain + 5


def test_equals_the_limit_of_the_lasso():
    Phi, _, y = measured(k=25)
    model, lasso = wp.BasisPursuit().fit(Phi, y), wp.Lasso(0.0, fit_intercept=False).fit(Phi, y)
    assert model.coef_ == pytest.approx(lasso.coef_, abs=1e-12)
    weight = np.linspace(0.0, 2.0, 60)
    model.reweight(weight)
    other = wp.Lasso(0.0, penalty_weight=weight, fit_intercept=False).fit(Phi, y)
    assert model.objective_ == pytest.approx(weight @ np.abs(other.coef_), rel=1e-12)


def test_inconsistent_equations_are_fitted_by_least_squares():
    g = np.random.default_rng(0)
    Phi = g.normal(size=(12, 4)) @ g.normal(size=(4, 20))
    y = g.normal(size=12)
    model = wp.BasisPursuit().fit(Phi, y)
    best = Phi @ np.linalg.lstsq(Phi, y, rcond=1e-10)[0]
    assert not model.is_consistent_ and model.active_.size <= 4
    assert model.predict(Phi) == pytest.approx(best, abs=1e-12)
    assert model.kkt_violation() < 1e-13
    tall = wp.BasisPursuit().fit(Phi[:, :3], y)
    assert tall.coef_ == pytest.approx(np.linalg.lstsq(Phi[:, :3], y, rcond=None)[0], abs=1e-12)


def test_free_features_cost_nothing():
    Phi, _, y = measured()
    weight = np.ones(60)
    weight[:25] = 0.0
    model = wp.BasisPursuit(weight).fit(Phi, y)
    assert model.objective_ == pytest.approx(0.0, abs=1e-12) and model.kkt_violation() < 1e-10
    all_free = wp.BasisPursuit(0.0).fit(Phi, y)
    assert all_free.predict(Phi) == pytest.approx(y, abs=1e-10) and all_free.duality_gap() == 0.0


def test_path_to_and_move():
    Phi, _, y = measured()
    model, weight = wp.BasisPursuit().fit(Phi, y), np.linspace(0.5, 2.0, 60)
    before = model.coef_
    path = model.path_to(penalty_weight=weight)
    assert (model.coef_ == before).all() and (model.penalty_weight_ == 1.0).all()
    model.move(penalty_weight=weight)
    assert (model.coef_ == path.at(1.0).coef).all() and (model.penalty_weight_ == weight).all()


def test_wrong_arguments():
    Phi, _, y = measured()
    for bad, message in (
        (-1.0, "must not be negative"),
        ([1.0, 2.0], "expected"),
        ("a", "must be a number"),
        (np.full(60, np.nan), "NaN or infinity"),
    ):
        with pytest.raises(ValueError, match=message):
            wp.BasisPursuit(bad).fit(Phi, y)
    model = wp.BasisPursuit()
    for use in (lambda: model.coef_, lambda: model.predict(Phi), lambda: model.reweight(1.0)):
        with pytest.raises(NotFittedError):
            use()
    model.fit(Phi, y)
    before = model.coef_
    with pytest.raises(ValueError, match="must not be negative"):
        model.reweight(-np.ones(60))
    with pytest.raises(ValueError, match="penalty_weight is None"):
        model.reweight(None)
    with pytest.raises(ValueError, match="n_rounds"):
        model.reweighted_l1(0)
    with pytest.raises(ValueError, match="epsilon"):
        model.reweighted_l1(epsilon=0.0)
    assert (model.coef_ == before).all()


def test_copies_go_on():
    Phi, _, y = measured()
    model = wp.BasisPursuit().fit(Phi, y)
    for twin in (pickle.loads(pickle.dumps(model)), deepcopy(model)):
        twin.reweight(np.linspace(0.5, 2.0, 60))
        assert (model.penalty_weight_ == 1.0).all() and twin.kkt_violation() < 1e-12
    path = pickle.loads(pickle.dumps(model.reweight(np.linspace(0.5, 2.0, 60))))
    assert path.kkt_violation() < 1e-12 and path.model_at(0.4).kkt_violation() < 1e-12
    assert not hasattr(clone(model), "_pursued")


def test_frames_sparse_matrices_and_pipelines():
    pandas = pytest.importorskip("pandas")
    Phi, _, y = measured()
    frame = pandas.DataFrame(Phi, columns=[f"c{j}" for j in range(60)])
    plain, named = wp.BasisPursuit().fit(Phi, y), wp.BasisPursuit().fit(frame, y)
    assert (named.coef_ == plain.coef_).all() and named.feature_names_in_[3] == "c3"
    path = named.reweight(2.0)
    assert path.model_at(0.5).feature_names_in_[3] == "c3"
    assert path.predict(frame, 0.5) == pytest.approx(y, abs=1e-12)
    with pytest.raises(ValueError, match="feature names"):
        path.predict(frame.rename(columns={"c3": "x"}), 0.5)
    assert (wp.BasisPursuit().fit(csr_matrix(Phi), y).coef_ == plain.coef_).all()
    piped = make_pipeline(StandardScaler(), wp.BasisPursuit()).fit(Phi, y - y.mean())
    assert piped.predict(Phi) == pytest.approx(y - y.mean(), abs=1e-10)
