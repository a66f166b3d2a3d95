"""Linear kernels of many rows: the same answers as ever, without copies of the data."""

import pickle

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import weightpath as wp
from weightpath.estimators.training_set import TrainingSet
from weightpath.kernels import columns as choice
from weightpath.kernels._feature_columns import FeatureColumns


@pytest.fixture
def in_features(monkeypatch):
    """Use the space of the features for any number of rows."""
    monkeypatch.setattr(choice, "FEATURE_ROWS", 1)
    monkeypatch.setattr(choice, "ROWS_PER_FEATURE", 0)
    monkeypatch.setattr(choice, "FEATURE_ENTRIES", 0)


def data(n=300, p=5, n_classes=2, seed=0, kind=float, shift=0.0):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) + shift).astype(kind)
    edges = np.linspace(-1, 1, n_classes + 1)[1:-1]
    y = np.digitize(X[:, 0] - shift + 0.5 * rng.normal(size=n), edges)
    return X, y, rng


def has_features(model):
    return all(isinstance(one.columns, FeatureColumns) for one in model.subproblems_)


MODELS = [
    wp.SVC(kernel="linear"),
    wp.SVC(kernel="linear", ridge=0.1),
    wp.SVR(kernel="linear", epsilon=0.2),
    wp.QuantileSVR(kernel="linear"),
    wp.OneClassSVM(kernel="linear", nu=0.3),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{type(model).__name__}{model.ridge}")
def test_every_verb(in_features, monkeypatch, model):
    # Away from zero, which one class is separated from.
    (X, y, rng), new = data(shift=2.0), data(20, seed=1, shift=2.0)
    weight = rng.uniform(0.5, 1.5, len(y))

    def walked():
        own = pickle.loads(pickle.dumps(model)).fit(X, y)
        found = [own.kkt_violation(), own.decision_function(X) if hasattr(own, "classes_") else 0]
        path = own.reweight(weight)
        found += [path.kkt_violation(), path.n_events, own.kkt_violation()]
        own.remove([3, 77, 200])
        found += [own.kkt_violation(), own.n_support_.copy()]
        own.add(*new[: 1 if isinstance(own, wp.OneClassSVM) else 2])
        found += [own.kkt_violation(), path.model_at(0.5).kkt_violation()]
        found.append(own.coef_)
        return own, found

    own, found = walked()
    assert has_features(own)
    violations = [found[k] for k in (0, 2, 4, 5, 7, 8)]
    assert max(violations) < 1e-9
    monkeypatch.undo()
    plain, expected = walked()
    assert not has_features(plain)
    np.testing.assert_allclose(found[-1], expected[-1], atol=1e-7)
    np.testing.assert_array_equal(found[6], expected[6])
    assert found[3] == expected[3]


def test_three_classes(in_features):
    X, y, rng = data(400, n_classes=3)
    model = wp.SVC(kernel="linear").fit(X, y)
    assert has_features(model) and len(model.subproblems_) == 3
    # Rows of a pair of classes are named, not copied.
    assert all(one.columns.rows.X is model.training_set_.X for one in model.subproblems_)
    model.reweight(rng.uniform(0, 2, 400))
    model.remove([0, 1, 2, 399])
    assert model.kkt_violation() < 1e-9
    left_out = wp.leave_one_out(model, indices=[5, 6])
    assert left_out.decision_values.shape == (2, 3)


# What becomes of the data -------------------------------------------------------------------------


def test_single_precision_is_kept(in_features):
    X, y, _ = data(kind=np.float32)
    model, wide = (wp.SVC(kernel="linear").fit(rows, y) for rows in (X, X.astype(float)))
    assert model.training_set_.X.dtype == np.float32
    np.testing.assert_allclose(model.coef_, wide.coef_, rtol=0, atol=1e-12)
    assert model.kkt_violation() < 1e-13
    np.testing.assert_allclose(model.decision_function(X), wide.decision_function(X), atol=1e-12)
    # Arrivals that single precision holds change nothing about it; others do.
    model.add(X[:3] + np.float32(1), y[:3])
    assert model.training_set_.X.dtype == np.float32 and model.kkt_violation() < 1e-12
    model.add(np.full((1, 5), 0.1), y[:1])
    assert model.training_set_.X.dtype == np.float64 and model.kkt_violation() < 1e-12
    assert model.training_set_.X[-1, 0] == 0.1


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_other_kernels_take_double_precision(kernel):
    X, y, _ = data(60, kind=np.float32)
    assert wp.SVC(kernel=kernel).fit(X, y).training_set_.X.dtype == np.float64


def test_small_problems_in_single_precision():
    X, y, rng = data(60, kind=np.float32)
    model = wp.SVC(kernel="linear").fit(X, y)
    path = model.reweight(rng.uniform(0, 2, 60))
    assert max(model.kkt_violation(), path.kkt_violation()) < 1e-12


def test_a_path_in_single_precision_is_saved(in_features, tmp_path):
    X, y, rng = data(kind=np.float32)
    path = wp.SVC(kernel="linear").fit(X, y).reweight(rng.uniform(0, 2, 300))
    path.save(tmp_path / "path.npz")
    again = wp.load(tmp_path / "path.npz")
    np.testing.assert_array_equal(again.decision_function(X, 0.3), path.decision_function(X, 0.3))
    assert again.kkt_violation() < 1e-10


def test_mapped_rows_are_not_copied(in_features, tmp_path):
    X, y, rng = data(500, kind=np.float32)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = wp.SVC(kernel="linear").fit(mapped, y)
    assert np.shares_memory(model.training_set_.X, mapped)
    assert np.shares_memory(model.subproblems_[0].columns.rows.X, mapped)
    model.reweight(rng.uniform(0, 2, 500))
    model.remove([4])
    assert model.kkt_violation() < 1e-12


# Rows that go -------------------------------------------------------------------------------------


def is_read(training: TrainingSet) -> bool:
    return "X" in training.__dict__


def test_rows_that_go_are_marked_and_taken_out_later(in_features):
    X, y, _ = data()
    X.setflags(write=False)
    model = wp.SVC(kernel="linear").fit(X, y)
    paths = [model.remove([row]) for row in (17, 5, 250, 0)]
    assert not is_read(model.training_set_)
    assert np.shares_memory(model.subproblems_[0].columns.rows.X, X)
    assert [path.n_rows for path in paths] == [300, 299, 298, 297]
    assert [len(path.at(1.0).dual_coef) for path in paths] == [300, 299, 298, 297]
    assert not is_read(model.training_set_) and len(model.training_set_) == 296
    stays = np.arange(300)
    for row in (17, 5, 250, 0):
        stays = np.delete(stays, row)
    again = wp.SVC(kernel="linear").fit(X[stays], y[stays])
    np.testing.assert_allclose(model.coef_, again.coef_, atol=1e-9)
    np.testing.assert_array_equal(model.training_set_.X, X[stays])
    assert is_read(model.training_set_)
    assert max(path.kkt_violation() for path in paths) < 1e-9


def test_most_rows_go(in_features):
    X, y, _ = data()
    model = wp.SVC(kernel="linear").fit(X, y)
    model.remove(np.arange(10, 220))
    assert len(model.training_set_.X) == 90 and model.kkt_violation() < 1e-9
    model.add(X[10:12], y[10:12])
    assert model.kkt_violation() < 1e-9


def test_pickles_and_copies_hold_the_rows(in_features):
    X, y, _ = data()
    model = wp.SVC(kernel="linear").fit(X, y)
    model.remove([1])
    path = model.remove([2])
    other_path, other = pickle.loads(pickle.dumps((path, model)))
    assert len(other.training_set_.X) == 298 and other_path.X.shape == (299, 5)
    np.testing.assert_array_equal(other.coef_, model.coef_)
    assert other_path.kkt_violation() < 1e-9
    assert path.curve(X, y, "zero_one")(1.0) == other_path.curve(X, y, "zero_one")(1.0)


# Low rank -----------------------------------------------------------------------------------------


def test_a_gaussian_kernel_of_low_rank(in_features):
    X, y, rng = data(400)
    low_rank = Nystroem(gamma=0.3, n_components=30, random_state=0)
    pipe = make_pipeline(low_rank, wp.SVC(kernel="linear", C=0.5)).fit(X, y)
    own = pipe[-1]
    assert has_features(own) and own.kkt_violation() < 1e-10
    features = low_rank.fit_transform(X)
    rival = SVC(kernel="linear", C=0.5, tol=1e-9).fit(features, y)
    expected = rival.decision_function(features)
    np.testing.assert_allclose(pipe.decision_function(X), expected, atol=1e-5)
    path = wp.reweight(pipe, rng.uniform(0.5, 1.5, 400))
    assert path.kkt_violation() < 1e-9
    assert path.curve(X, y, "zero_one")(1.0) == np.mean(path.model_at(1.0).predict(X) != y)
    own.remove([3, 4])
    assert own.kkt_violation() < 1e-9
    search = wp.PathSearchCV(make_pipeline(low_rank, wp.SVC(kernel="linear", C=0.5)), cv=3)
    search.fit(X, y, start=np.ones(400), end=rng.uniform(0.5, 1.5, 400))
    assert 0.0 < search.best_score_ <= 1.0
