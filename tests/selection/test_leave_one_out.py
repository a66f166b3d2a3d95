"""Leave-one-out equals fitting again without the instance, for every estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from estimators.samples import KINDS, Kind, fingerprint, overlapping, random_weights
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from selection.refits import assert_like_refits, refitted, values
from weightpath.estimators.problem import Fitted


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X)[:90], y[:90]


# The promise -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
def test_breast_cancer_equals_refits(cancer, kernel, step):
    X, y = cancer
    model = wp.SVC(kernel=kernel).fit(X, y)
    found = assert_like_refits(model, X, y, index=np.arange(0, len(y), step))
    assert found.n_paths == np.isin(model.support_, found.indices).sum()


def test_equals_refits_of_scikit_learn(cancer):
    X, y = cancer
    model = wp.SVC(C=0.5, gamma=0.05).fit(X, y)
    index = model.support_[::12]
    found = wp.leave_one_out(model, indices=index)
    for i, value in zip(index, found.decision_values, strict=True):
        keep = np.arange(len(y)) != i
        theirs = svm.SVC(C=0.5, gamma=0.05, tol=1e-8).fit(X[keep], y[keep])
        assert abs(theirs.decision_function(X[[i]])[0] - value) < 1e-5


# Every estimator -------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize(
    "model",
    [
        wp.SVR(C=20, epsilon=15.0),
        wp.SVR(C=5, epsilon=0.0),
        wp.QuantileSVR(C=10, quantile=0.25),
        wp.QuantileSVR(C=10),
        wp.OneClassSVM(nu=0.3),
        wp.OneClassSVM(nu=1.0),
    ],
    ids=str,
)
def test_regressions_and_one_class(diabetes, model, kernel):
    X, y = diabetes
    weight = random_weights(len(y), 3, zeros=0.1)
    model = model.set_params(kernel=kernel).fit(X, y, sample_weight=weight)
    index = np.arange(0, len(y), 11)
    assert_like_refits(model, X, y, weight, index)


def test_losses_and_errors(diabetes, cancer):
    X, y = diabetes
    epsilon = np.where(np.arange(len(y)) % 2, 10.0, 30.0)
    found = wp.leave_one_out(wp.SVR(C=20, epsilon=epsilon).fit(X, y))
    error = y - found.decision_values
    np.testing.assert_allclose(found.losses, np.maximum(0, np.abs(error) - epsilon))
    np.testing.assert_array_equal(found.predictions, found.decision_values)
    assert found.error == found.losses.mean()
    found = wp.leave_one_out(wp.QuantileSVR(C=20, quantile=0.2).fit(X, y))
    error = y - found.decision_values
    np.testing.assert_allclose(found.losses, np.where(error > 0, 0.2 * error, -0.8 * error))
    found = wp.leave_one_out(wp.OneClassSVM(nu=0.3).fit(X))
    np.testing.assert_array_equal(found.predictions, np.where(found.decision_values >= 0, 1, -1))
    np.testing.assert_allclose(found.losses, np.maximum(0, -found.decision_values))
    X, y = cancer
    names = np.array(["b", "m"])[y]
    found = wp.leave_one_out(wp.SVC().fit(X, names))
    np.testing.assert_array_equal(found.predictions, np.where(found.decision_values > 0, "m", "b"))
    assert found.error == np.mean(found.predictions != names)
    np.testing.assert_allclose(
        found.losses, np.maximum(0, 1 - np.where(y == 1, 1, -1) * found.decision_values)
    )
    assert found.n_events >= found.n_paths > 0


@pytest.mark.parametrize("class_weight", [None, {0: 3.0}, "balanced"])
@pytest.mark.parametrize("break_ties", [False, True])
def test_one_against_one(class_weight, break_ties):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3, 2:], y[::3]
    weight = random_weights(len(y), 1, zeros=0.1)
    model = wp.SVC(C=2.0, class_weight=class_weight, break_ties=break_ties)
    model.fit(X, y, sample_weight=weight)
    index = np.arange(0, len(y), 7)
    found = wp.leave_one_out(model, indices=index)
    for k, i in enumerate(index):
        fresh, _ = refitted(model, X, y, [i], weight)
        assert found.predictions[k] == fresh.predict(X[[i]])[0]
    assert_like_refits(model, X, y, weight, index, result=found)
    losses = np.zeros(len(index))
    for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        sign = np.where(y[index] == a, 1, np.where(y[index] == b, -1, 0))
        losses += np.abs(sign) * np.maximum(0, 1 - sign * found.decision_values[:, k])
    np.testing.assert_allclose(found.losses, losses)


def test_balanced_classes_are_balanced_again():
    X, y = overlapping(40, seed=2)
    y = (y + (np.arange(40) < 12) > 0).astype(int)
    model = wp.SVC(C=3.0, class_weight="balanced").fit(X, y)
    found = assert_like_refits(model, X, y)
    assert found.n_paths == len(y)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_training_matrix(name):
    kind = Kind(name)
    X, y = overlapping(30, n_classes=3, seed=5)
    model = kind.model().fit(kind.training(X), y)
    plain = wp.leave_one_out(Kind("dense").model().fit(X, y))
    found = wp.leave_one_out(model)
    np.testing.assert_allclose(found.decision_values, plain.decision_values, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(found.predictions, plain.predictions)


def test_ridge():
    X, y = overlapping(40, seed=4)
    model = wp.SVC(C=2.0, ridge=0.3).fit(X, y)
    assert_like_refits(model, X, y, index=np.arange(0, 40, 3))
    X, y = overlapping(30, n_classes=3, seed=4)
    assert_like_refits(wp.SVC(C=2.0, ridge=0.3).fit(X, y), X, y, index=np.arange(0, 30, 4))


# Groups ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        wp.SVC(C=2.0),
        wp.SVC(C=2.0, class_weight="balanced"),
        wp.SVR(C=2.0),
        wp.OneClassSVM(nu=0.4),
        wp.Lasso(alpha=0.05),
        wp.Lasso(alpha=0.05, ridge=0.1),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_groups_equal_refits_without_them(model, n_classes):
    X, y = overlapping(36, n_classes=n_classes, seed=3)
    groups = np.array(["c", "a", "b", "d", "e"])[np.random.default_rng(0).integers(0, 5, 36)]
    groups[:2] = "one", "one"
    model.fit(X, y)
    found = wp.leave_one_out(model, groups=groups)
    for name in np.unique(groups):
        rows = np.flatnonzero(groups == name)
        fresh, _ = refitted(model, X, y, rows)
        np.testing.assert_allclose(
            found.decision_values.reshape(36, -1)[rows],
            values(fresh, X[rows]),
            rtol=0,
            atol=1e-9,
        )


# Threads, travels, the model stays --------------------------------------------------------------


@pytest.mark.parametrize("cache_size", [200, 0.001])
@pytest.mark.parametrize(
    "model", [wp.SVC(C=2.0), wp.SVC(kernel="linear"), wp.SVR(C=5.0), wp.Lasso(alpha=0.01)], ids=str
)
def test_threads_change_no_bit_and_nothing_changes_the_model(model, cache_size):
    X, y = overlapping(80, seed=9)
    model = model.set_params(cache_size=cache_size).fit(X, y)
    before = fingerprint(model)
    found = [wp.leave_one_out(model, n_jobs=n_jobs) for n_jobs in (None, 2, 3)]
    assert fingerprint(model) == before
    for other in found[1:]:
        np.testing.assert_array_equal(other.decision_values, found[0].decision_values)
        assert other.n_events == found[0].n_events
    model = model.set_params(cache_size=200).fit(X, y)
    np.testing.assert_allclose(
        wp.leave_one_out(model).decision_values, found[0].decision_values, rtol=0, atol=1e-10
    )


def test_models_that_have_travelled():
    X, y = overlapping(40, seed=11)
    weight = random_weights(40, 5, zeros=0.2)
    model = wp.SVC(C=2.0, gamma=0.4).fit(X, y)
    path = model.reweight(weight)
    fresh = wp.SVC(C=2.0, gamma=0.4).fit(X, y, sample_weight=weight)
    assert_like_refits(fresh, X, y, weight, result=wp.leave_one_out(model))
    copied = pickle.loads(pickle.dumps(model))
    assert_like_refits(fresh, X, y, weight, result=wp.leave_one_out(copied))
    between = 0.75 + 0.25 * weight
    fresh = wp.SVC(C=2.0, gamma=0.4).fit(X, y, sample_weight=between)
    assert_like_refits(fresh, X, y, between, result=wp.leave_one_out(path.model_at(0.25)))
    model.add(X[:3] + 0.1, y[:3])
    larger, labels = np.vstack([X, X[:3] + 0.1]), np.append(y, y[:3])
    fresh = wp.SVC(C=2.0, gamma=0.4).fit(larger, labels, sample_weight=np.append(weight, [1, 1, 1]))
    np.testing.assert_allclose(
        wp.leave_one_out(model).decision_values,
        wp.leave_one_out(fresh).decision_values,
        rtol=0,
        atol=1e-9,
    )


def test_tubes_that_were_closed_on_a_path(diabetes):
    X, y = diabetes
    model = wp.SVR(C=5.0, epsilon=10.0, gamma=0.1).fit(X, y)
    model.move(epsilon=0.0)
    index = np.arange(0, len(y), 5)
    fresh = wp.SVR(C=5.0, epsilon=0.0, gamma=0.1).fit(X, y)
    found = wp.leave_one_out(model, indices=index)
    assert_like_refits(fresh, X, y, index=index, result=found)


def test_progress_is_shown_only_where_asked_for(capfd):
    X, y = overlapping(30, seed=0)
    model = wp.SVC().fit(X, y)
    wp.leave_one_out(model)
    assert capfd.readouterr() == ("", "")
    wp.leave_one_out(model, verbose=1)
    wp.leave_one_out(model, n_jobs=2, verbose=1)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("Removals") >= 2


# Wrong input -----------------------------------------------------------------------------------


def test_wrong_input():
    X, y = overlapping(20, seed=0)
    with pytest.raises(NotFittedError):
        wp.leave_one_out(wp.SVC())
    with pytest.raises(TypeError, match="estimator of weightpath"):
        wp.leave_one_out(svm.SVC().fit(X, y))
    model = wp.SVC().fit(csr_matrix(X), y)
    for indices, error, words in (
        ([20], IndexError, "no training instance 20"),
        ([0.5], ValueError, "whole numbers"),
        (np.ones(20, bool), ValueError, "flatnonzero"),
        ([], ValueError, "whole numbers"),
    ):
        with pytest.raises(error, match=words):
            wp.leave_one_out(model, indices=indices)
    with pytest.raises(ValueError, match="groups has shape"):
        wp.leave_one_out(model, groups=[0, 1])
    with pytest.raises(ValueError, match="not both"):
        wp.leave_one_out(model, indices=[0], groups=np.arange(20))
    assert wp.leave_one_out(model, indices=-1).indices.tolist() == [19]


def test_documents_of_a_ranking_are_not_left_out():
    X, y = overlapping(20, seed=0)
    model = wp.RankingSVM(gamma=0.5).fit(X, y)
    with pytest.raises(TypeError, match="RankingSVM cannot be left out one by one"):
        wp.leave_one_out(model)
    where = Fitted(model.training_set_, model.problem_, dict(model.quantities_), model.subproblems_)
    with pytest.raises(TypeError, match="RankingProblem has no loss of single instances"):
        model.problem_.judge(where, np.arange(1), np.zeros((1, 1)))


def test_last_of_its_class_is_named():
    X, y = overlapping(12, seed=0)
    y = (np.arange(12) == 7).astype(int)
    model = wp.SVC().fit(X, y)
    with pytest.raises(ValueError, match="instance 7 no weighted instance of class 1"):
        wp.leave_one_out(model)
    others = np.delete(np.arange(12), 7)
    assert_like_refits(model, X, y, index=others)
    with pytest.raises(ValueError, match="no model"):
        wp.leave_one_out(wp.Lasso().fit(X, y), groups=np.zeros(12))
    with pytest.raises(ValueError, match="no model"):
        wp.leave_one_out(wp.SVR().fit(X, y), groups=np.zeros(12))


def test_event_cap():
    X, y = overlapping(40, seed=0)
    model = wp.SVC(C=10.0).fit(X, y).set_params(max_events=1)
    with pytest.raises(wp.PathError, match="max_events"):
        wp.leave_one_out(model)


# All models at other rows ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        wp.SVC(C=2.0, gamma=0.3),
        wp.SVR(C=20, epsilon=15.0),
        wp.QuantileSVR(C=10, quantile=0.25),
        wp.OneClassSVM(nu=0.3),
        wp.Lasso(alpha=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_all_models_at_other_rows(diabetes, model):
    X, y = diabetes
    if isinstance(model, wp.SVC):
        y = (y > 140).astype(int)
    model.fit(X, y)
    found = wp.leave_one_out(model, indices=np.arange(0, 90, 9))
    where = fingerprint(model)
    given = found.decision_function(X[:6])
    assert fingerprint(model) == where
    assert given.shape == (10, 6)
    for k, i in enumerate(found.indices):
        fresh, _ = refitted(model, X, y, [i])
        scale = np.abs(values(model, X)).max()
        np.testing.assert_allclose(given[k], values(fresh, X[:6])[:, 0], atol=1e-8 * scale)
    own = found.decision_function(X[found.indices]).diagonal()
    np.testing.assert_allclose(own, found.decision_values, atol=1e-9 * scale)


def test_all_models_of_groups_and_of_several_classes():
    X, y = load_iris(return_X_y=True)
    X, y = X[::3, 2:], y[::3]
    model = wp.SVC(C=2.0).fit(X, y)
    groups = np.arange(50) // 5
    found = wp.leave_one_out(model, groups=groups)
    given = found.decision_function(X)
    assert given.shape == (50, 50, 3)
    own = given[np.arange(50), np.arange(50)]
    np.testing.assert_allclose(own, found.decision_values, atol=1e-9)
    np.testing.assert_array_equal(given[0], given[4])
    # Wherever the model goes, they stay.
    model.reweight(np.linspace(0.5, 1.5, 50))
    np.testing.assert_array_equal(found.decision_function(X), given)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_allclose(again.decision_function(X), given)
    with pytest.raises(ValueError, match="features"):
        found.decision_function(X[:, :1])
