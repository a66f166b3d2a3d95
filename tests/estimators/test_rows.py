"""Instances that come and go leave the model where a fresh fit would be."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse

import weightpath as wp
from estimators.samples import (
    KINDS,
    Kind,
    assert_same_model,
    overlapping,
    pairwise_values,
    random_weights,
)

N, NEW = 50, 12


def split(n_classes):
    X, y = overlapping(N + NEW, n_classes)
    return X[:N], y[:N], X[N:], y[N:]


@pytest.fixture(params=[(name, k) for name in KINDS for k in (2, 3)], ids=str)
def case(request):
    name, n_classes = request.param
    return Kind(name), *split(n_classes)


def test_add_equals_a_fresh_fit(case):
    kind, X, y, X_new, y_new = case
    weight, margin = random_weights(NEW, 1), np.linspace(0.2, 1.5, NEW)
    model = kind.model().fit(kind.training(X), y)
    before = pairwise_values(model, kind.points(X_new, X))
    path = model.add(kind.arrivals(X_new, X), y_new, weight, margin)
    whole, labels = np.vstack([X, X_new]), np.append(y, y_new)
    fresh = kind.model().fit(
        kind.training(whole),
        labels,
        np.append(np.ones(N), weight),
        np.append(np.ones(N), margin),
    )
    points = kind.training(whole)
    assert_same_model(model, fresh, points)
    np.testing.assert_array_equal(model.support_, fresh.support_)
    assert path.kkt_violation() < 1e-9
    start = path.subproblem_values(kind.points(X_new, whole), 0.0)
    np.testing.assert_allclose(start, before, rtol=0, atol=1e-9)
    model.move(C=5.0)
    assert_same_model(
        model,
        kind.model(C=5.0).fit(points, labels, fresh.weights_ / 2.0, fresh.margin_),
        points,
    )


def test_remove_equals_a_fresh_fit(case):
    kind, X, y, _, _ = case
    weight, margin = random_weights(N, 1), np.linspace(0.5, 1.5, N)
    model = kind.model().fit(kind.training(X), y, weight, margin)
    gone = [3, -1, 17, 20, 21, 3]
    path = model.remove(gone)
    kept = np.setdiff1d(np.arange(N), np.array(gone) % N)
    fresh = kind.model().fit(kind.training(X[kept]), y[kept], weight[kept], margin[kept])
    points = kind.training(X[kept])
    assert_same_model(model, fresh, points)
    np.testing.assert_array_equal(model.support_, fresh.support_)
    np.testing.assert_array_equal(model.margin_, margin[kept])
    assert path.X.shape[0] == N
    assert path.kkt_violation() < 1e-9
    model.reweight(np.ones(kept.size))
    assert_same_model(model, kind.model().fit(points, y[kept], margin=margin[kept]), points)


@pytest.mark.parametrize("reweighted", [False, True])
def test_slide_equals_a_fresh_fit(case, reweighted):
    kind, X, y, X_new, y_new = case
    drop = 15
    old = random_weights(N, 2)
    model = kind.model().fit(kind.training(X), y, old)
    new = random_weights(N - drop + NEW, 3, zeros=0.1) if reweighted else None
    path = model.slide(kind.arrivals(X_new, X), y_new, drop=drop, sample_weight=new, margin=0.9)
    whole, labels = np.vstack([X, X_new])[drop:], np.append(y, y_new)[drop:]
    weight = new if reweighted else np.append(old[drop:], np.ones(NEW))
    margin = np.append(np.ones(N - drop), np.full(NEW, 0.9))
    fresh = kind.model().fit(kind.training(whole), labels, weight, margin)
    assert_same_model(model, fresh, kind.training(whole))
    assert path.X.shape[0] == N + NEW
    assert path.kkt_violation() < 1e-9
    assert (path.at(1.0).weights[:drop] == 0).all()
    assert (path.at(0.0).weights[N:] == 0).all()


@pytest.mark.parametrize("name", ["dense", "sparse", "precomputed"])
def test_fifty_additions_and_removals_one_by_one(name):
    kind = Kind(name)
    X, y = overlapping(100, 3)
    rows = list(range(50))
    model = kind.model().fit(kind.training(X[:50]), y[:50])
    for step in range(50):
        new = 50 + step
        model.add(kind.arrivals(X[[new]], X[rows]), y[[new]])
        rows.append(new)
        model.remove(step % 7)
        del rows[step % 7]
    fresh = kind.model().fit(kind.training(X[rows]), y[rows])
    assert_same_model(model, fresh, kind.points(X, X[rows]))
    assert model.kkt_violation() < 1e-9
    np.testing.assert_array_equal(model.support_, fresh.support_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_balanced_classes_stay_balanced(n_classes):
    X, y, X_new, y_new = split(n_classes)
    X_new, y_new = X_new[y_new != 1], y_new[y_new != 1]
    params = {"C": 2.0, "gamma": 0.4, "class_weight": "balanced"}
    model = wp.SVC(**params).fit(X, y, random_weights(N, 1))

    def assert_fresh(X, y, weight):
        fresh = wp.SVC(**params).fit(X, y, weight)
        assert_same_model(model, fresh, X)
        np.testing.assert_allclose(model.class_weight_, fresh.class_weight_, rtol=1e-12)

    whole, labels = np.vstack([X, X_new]), np.append(y, y_new)
    weight = np.append(random_weights(N, 1), np.ones(len(y_new)))
    model.add(X_new, y_new)
    assert_fresh(whole, labels, weight)
    model.remove(range(9))
    assert_fresh(whole[9:], labels[9:], weight[9:])
    weight = random_weights(len(labels) - 12 + 3, 5)
    model.slide(X[:3], y[:3], drop=3, sample_weight=weight)
    assert_fresh(np.vstack([whole[12:], X[:3]]), np.append(labels[12:], y[:3]), weight)


def test_a_model_stays_dense_or_sparse():
    X, y, X_new, y_new = split(2)
    for training, arrivals in ((X, csr_matrix(X_new)), (csr_matrix(X), X_new)):
        model = Kind("dense").model().fit(training, y)
        path = model.add(arrivals, y_new)
        assert issparse(path.X) == issparse(training)
        fresh = Kind("dense").model().fit(np.vstack([X, X_new]), np.append(y, y_new))
        assert_same_model(model, fresh, X)


def test_lists_and_single_instances():
    X, y, X_new, _ = split(2)
    model = Kind("dense").model().fit(X, np.array(["no", "yes"])[y])
    model.add(X_new[:1].tolist(), ["yes"])
    model.add(X_new[1:2].tolist(), "no")
    model.remove(0)
    labels = np.append(np.array(["no", "yes"])[y], ["yes", "no"])[1:]
    fresh = Kind("dense").model().fit(np.vstack([X, X_new[:2]])[1:], labels)
    assert_same_model(model, fresh, X)


def test_duplicates_of_support_vectors_come_and_go():
    X, y, _, _ = split(2)
    model = wp.SVC(kernel="linear").fit(X, y)
    home = model.decision_function(X)
    model.add(X[model.support_], y[model.support_])
    assert model.kkt_violation() < 1e-9
    model.remove(np.arange(N, model.weights_.size))
    np.testing.assert_allclose(model.decision_function(X), home, rtol=0, atol=1e-8)


def test_a_whole_training_set_can_be_exchanged():
    X, y = overlapping(2 * N, 2)
    model = Kind("dense").model().fit(X[:N], y[:N])
    model.slide(X[N:], y[N:], drop=N)
    assert_same_model(model, Kind("dense").model().fit(X[N:], y[N:]), X)


def test_ridge_is_kept():
    X, y, X_new, y_new = split(2)
    model = wp.SVC(gamma=0.4, ridge=0.1).fit(X, y)
    model.add(X_new, y_new)
    model.remove([0, 1])
    fresh = wp.SVC(gamma=0.4, ridge=0.1).fit(np.vstack([X, X_new])[2:], np.append(y, y_new)[2:])
    assert_same_model(model, fresh, X)
    assert model.kkt_violation() < 1e-9


def test_a_frame_of_features_keeps_its_names():
    pandas = pytest.importorskip("pandas")
    X, y, X_new, y_new = split(2)
    frame, arrivals = (pandas.DataFrame(A, columns=["a", "b", "c"]) for A in (X, X_new))
    model = Kind("dense").model().fit(frame, y)
    path = model.add(arrivals, y_new)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert path.model_at(0.5).feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.add(arrivals[["b", "a", "c"]], y_new)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(arrivals.rename(columns={"a": "d"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_a_frame_of_kernel_values_forgets_its_names():
    pandas = pytest.importorskip("pandas")
    kind = Kind("precomputed")
    X, y, X_new, y_new = split(2)
    K = pandas.DataFrame(kind.training(X), columns=[f"row{i}" for i in range(N)])
    model = kind.model().fit(K, y)
    assert model.n_features_in_ == N and len(model.feature_names_in_) == N
    path = model.add(kind.arrivals(X_new, X), y_new)
    assert model.n_features_in_ == N + NEW and not hasattr(model, "feature_names_in_")
    whole = np.vstack([X, X_new])
    for theta in (0.0, 0.5, 1.0):
        there = path.model_at(theta)
        assert there.n_features_in_ == N + NEW
        there.predict(kind.points(X, whole))
    model.remove(0)
    assert model.n_features_in_ == N + NEW - 1
    model.predict(kind.points(X, whole[1:]))
