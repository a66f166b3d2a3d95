"""Online models: after every arrival they are what a fit from scratch to the window would be."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import minmax_scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import weightpath as wp
from weightpath.applications.forgetting_window import forgetting_weights
from weightpath.estimators import following

RBF = {"C": 5.0, "gamma": 0.7}


def stream(n=90, seed=0, n_classes=2):
    """A concept that drifts."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    value = X[:, 0] + np.linspace(-1, 1, n) * X[:, 1] + 0.4 * rng.normal(size=n)
    return X, value if n_classes == 0 else np.digitize(value, np.linspace(-0.6, 0.6, n_classes - 1))


def halving(n):
    """Forget half with every row; the oldest have weights of nearly nothing."""
    return 0.5 ** np.arange(n)[::-1]


def newest_only(n):
    """Rows that are there but do not count."""
    return (np.arange(n) >= n - 12).astype(float)


def assert_fresh(model, X, tolerance=1e-9):
    """Compare with a fit from scratch, at the same weights."""
    own = {name: value for name, value in model.get_params().items() if name not in model._own}
    fresh = model._kind(**own | {"gamma": model.gamma_})
    y, weight = model.window_y_, model.window_weight_
    np.testing.assert_array_equal(weight, forgetting_weights(model.forgetting, len(y)))
    if isinstance(model, wp.OnlineSVC):
        counts = np.isin(y, np.unique(y[weight > 0]))
        fresh.fit(model.window_X_[counts], y[counts], weight[counts])
        ours, theirs = model.svc_.decision_function(X), fresh.decision_function(X)
        np.testing.assert_array_equal(model.predict(X), model.svc_.predict(X))
    else:
        fresh.fit(model.window_X_, y, weight)
        ours, theirs = model.predict(X), fresh.predict(X)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)


def fingerprint(model):
    return pickle.dumps({k: v for k, v in model.__dict__.items() if k != "_slider"})


CASES = {
    "sigmoid": {"window": 40, "forgetting": 3.0},
    "growing": {"window": None, "forgetting": 2.0},
    "equal": {"window": 40, "forgetting": None},
    "halving": {"window": 25, "forgetting": halving},
    "zero weights": {"window": 40, "forgetting": newest_only},
}


@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classifier_is_fresh_after_every_arrival(case, n_classes, batch):
    X, y = stream(60 if batch == 1 else 90, n_classes=n_classes)
    model = wp.OnlineSVC(**CASES[case], **RBF).fit(X[:30], y[:30])
    n_paths = 0
    for first in range(30, len(X), batch):
        model.partial_fit(X[first : first + batch], y[first : first + batch])
        assert_fresh(model, X)
        n_paths += model.path_ is not None
        assert model.n_seen_ == first + batch
        length = model.n_seen_ if model.window is None else min(model.window, model.n_seen_)
        np.testing.assert_array_equal(model.window_X_, X[first + batch - length : first + batch])
    assert n_paths >= 0.8 * (len(X) - 30) / batch


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("case", CASES)
def test_regression_is_fresh_after_every_arrival(case, epsilon):
    X, y = stream(60, n_classes=0)
    model = wp.OnlineSVR(**CASES[case], **RBF, epsilon=epsilon).fit(X[:30], y[:30])
    for first in range(30, 60, 3):
        model.partial_fit(X[first : first + 3], y[first : first + 3])
        assert model.path_.kkt_violation() < 1e-9
        assert_fresh(model, X)


@pytest.mark.parametrize("kind", [wp.OnlineSVC, wp.OnlineSVR])
def test_from_the_first_row_on(kind):
    X, y = stream(25)
    model = kind(window=12, **RBF)
    assert model.predict_one(X[0]) is None
    for x, label in zip(X, y, strict=True):
        assert model.learn_one(x, label) is model
        if kind is wp.OnlineSVR or model.svc_ is not None:
            assert_fresh(model, X)
    assert len(model.window_y_) == 12


@pytest.mark.parametrize("kind", [wp.OnlineSVC, wp.OnlineSVR])
def test_batches_larger_than_the_window(kind):
    X, y = stream(90)
    model = kind(window=10, **RBF).fit(X[:40], y[:40])
    np.testing.assert_array_equal(model.window_X_, X[30:40])
    model.partial_fit(X[40:90], y[40:90])
    assert model.n_seen_ == 90 and model.path_ is not None
    np.testing.assert_array_equal(model.window_y_, y[80:])
    assert_fresh(model, X)


@pytest.mark.parametrize("kind", [wp.OnlineSVC, wp.OnlineSVR])
def test_duplicates(kind):
    X, y = stream(12)
    X, y = np.tile(X.round(), (6, 1)), np.tile(y, 6)
    model = kind(window=24, C=3.0, kernel="linear", forgetting=1.0).fit(X[:24], y[:24])
    for first in range(24, 72, 4):
        model.partial_fit(X[first : first + 4], y[first : first + 4])
        assert_fresh(model, X)


def test_one_class_is_predicted_until_there_is_another():
    X, y = stream(30)
    only, other = np.flatnonzero(y == 1)[:5], np.flatnonzero(y == 0)[:1]
    model = wp.OnlineSVC(window=6, **RBF).partial_fit(X[only], y[only])
    assert model.svc_ is None and model.classes_.tolist() == [1]
    np.testing.assert_array_equal(model.predict(X), 1)
    np.testing.assert_array_equal(model.decision_function(X), 1.0)
    model.partial_fit(X[other], y[other])
    assert_fresh(model, X)
    assert model.classes_.tolist() == [0, 1]


def test_a_class_leaves_the_window_and_comes_back():
    X, y = stream(60)
    order = np.concatenate([np.flatnonzero(y == 0)[:8], np.flatnonzero(y == 1)[:12]])
    model = wp.OnlineSVC(window=10, **RBF)
    for row in order:
        model.learn_one(X[row], y[row])
    assert model.svc_ is None and model.path_ is None
    np.testing.assert_array_equal(model.predict(X), 1)
    assert model.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(model.decision_function(X), 1.0)
    gamma = model.gamma_
    for row in np.flatnonzero(y == 0)[8:10]:
        model.learn_one(X[row], y[row])
        assert_fresh(model, X)
    assert model.gamma_ == gamma and model.path_ is not None


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_decision_values_of_classes_that_the_window_lacks(shape):
    X, y = stream(90, n_classes=4)
    model = wp.OnlineSVC(window=30, **RBF, decision_function_shape=shape)
    rows = np.flatnonzero(y != 2)[:40]
    model.partial_fit(X[rows], y[rows], classes=[0, 1, 2, 3])
    values = model.decision_function(X)
    if shape == "ovr":
        assert values.shape == (90, 4)
        np.testing.assert_array_equal(values.argmax(axis=1) == 2, False)
        assert (values[:, 2] < values[:, [0, 1, 3]].min(axis=1)).all()
        return
    own = model.svc_.decision_function(X)  # pairs 01, 03, 13 among 01 02 03 12 13 23
    np.testing.assert_array_equal(values[:, [0, 2, 4]], own)
    np.testing.assert_array_equal(values[:, [1, 3, 5]], [[1.0, 1.0, -1.0]] * 90)
    two = wp.OnlineSVC(window=30, **RBF, decision_function_shape=shape)
    rows = np.flatnonzero((y == 0) | (y == 3))
    two.partial_fit(X[rows], y[rows], classes=range(4))
    np.testing.assert_array_equal(two.decision_function(X)[:, 2], -two.svc_.decision_function(X))


def test_class_without_weight_takes_no_part():
    X, y = stream(40, n_classes=3)
    model = wp.OnlineSVC(window=None, forgetting=newest_only, **RBF)
    ordered = np.argsort(y != 2, kind="stable")  # class 2 first: soon without weight
    model.partial_fit(X[ordered[:20]], y[ordered[:20]])
    for first in range(20, 40, 4):
        rows = ordered[first : first + 4]
        model.partial_fit(X[rows], y[rows])
        assert_fresh(model, X)
    assert 2 not in model.svc_.classes_ and 2 in model.classes_ and 2 in model.window_y_


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {2: 0.0}])
def test_class_weights(class_weight):
    X, y = stream(80, n_classes=3)
    model = wp.OnlineSVC(window=30, class_weight=class_weight, **RBF).fit(X[:30], y[:30])
    for first in range(30, 80, 10):
        model.partial_fit(X[first : first + 10], y[first : first + 10])
        held = np.isin(model.window_y_, model.svc_.classes_)
        weight = class_weight if class_weight == "balanced" else {0: class_weight.get(0, 1.0), 1: 1}
        fresh = wp.SVC(**RBF, class_weight=weight if held.sum() < 30 else class_weight)
        fresh.fit(model.window_X_[held], model.window_y_[held], model.window_weight_[held])
        ours, theirs = model.svc_.decision_function(X), fresh.decision_function(X)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert (2 in model.svc_.classes_) == (class_weight != {2: 0.0})


def test_changed_parameters_count_from_the_next_arrival_on():
    X, y = stream()
    model = wp.OnlineSVC(window=40, **RBF).fit(X[:40], y[:40])
    model.set_params(C=50.0).partial_fit(X[40:45], y[40:45])
    assert model.path_ is None and model.svc_.C_ == 50.0
    assert_fresh(model, X)


def test_a_path_of_too_many_events_is_given_up_for_a_fit(recwarn):
    X, y = stream()
    model = wp.OnlineSVC(window=40, **RBF, max_events=1).fit(X[:40], y[:40])
    model.partial_fit(X[40:60], y[40:60])
    assert model.path_ is None and not recwarn.list
    assert_fresh(model, X)


def test_scale_is_resolved_once():
    X, y = stream()
    model = wp.OnlineSVC(window=20, C=2.0).fit(X[:20], y[:20])
    gamma = model.gamma_
    model.partial_fit(10 * X[20:40], y[20:40])
    assert model.gamma_ == gamma == model.svc_.gamma_
    assert_fresh(model, X)


def test_sparse_rows():
    X, y = stream()
    dense = wp.OnlineSVC(window=30, **RBF).fit(X[:30], y[:30])
    sparse = wp.OnlineSVC(window=30, **RBF).fit(csr_matrix(X[:30]), y[:30])
    for first in (30, 40, 50):
        rows = slice(first, first + 10)
        dense.partial_fit(csr_matrix(X[rows]), y[rows])
        sparse.partial_fit(X[rows], y[rows])
    expected = dense.decision_function(X)
    np.testing.assert_allclose(sparse.decision_function(csr_matrix(X)), expected, atol=1e-9)


def test_words_as_labels_and_names_of_features():
    X, y = stream(40)
    words = np.where(y == 1, "up", "sideways")
    model = wp.OnlineSVC(window=20, **RBF)
    for x, word in zip(X, words, strict=True):
        model.learn_one({"a": x[0], "b": x[1]}, word)
    assert model.predict_one({"b": X[3, 1], "a": X[3, 0]}) == model.predict_one(X[3])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    for wrong, message in (({"a": 1.0}, "lacks"), ({"a": 1.0, "b": 0.0, "c": 2.0}, "unknown")):
        with pytest.raises(ValueError, match=message):
            model.predict_one(wrong)
    with pytest.raises(ValueError, match="without names"):
        wp.OnlineSVC(**RBF).fit(X, y).learn_one({"a": 0.0, "b": 1.0}, 1)


BAD_CALLS = {
    "label": (lambda m, X, y: m.partial_fit(X[:2], [0, 7]), "announced"),
    "classes": (lambda m, X, y: m.partial_fit(X[:2], y[:2], classes=[1, 2]), "announced"),
    "kinds of label": (lambda m, X, y: m.learn_one(X[0], "a"), "words and numbers"),
    "nan": (lambda m, X, y: m.partial_fit(X[:2] * np.nan, y[:2]), "NaN"),
    "features": (lambda m, X, y: m.partial_fit(X[:2, :1], y[:2]), "features"),
    "features of one": (lambda m, X, y: m.learn_one(X[0, :1], 1), "features"),
    "nothing": (lambda m, X, y: m.partial_fit(X[:0], y[:0]), "0 sample"),
    "length": (lambda m, X, y: m.partial_fit(X[:2], y[:3]), "inconsistent"),
    "continuous": (lambda m, X, y: m.partial_fit(X[:2], [0.25, 0.5]), "continuous"),
}


@pytest.mark.parametrize("call", BAD_CALLS)
def test_a_failing_call_changes_nothing(call):
    X, y = stream()
    model = wp.OnlineSVC(window=30, **RBF)
    model.partial_fit(X[:30], y[:30], classes=[0, 1]).partial_fit(X[30:35], y[30:35])
    before, svc, values = fingerprint(model), model.svc_, model.decision_function(X)
    with pytest.raises(ValueError, match=BAD_CALLS[call][1]):
        BAD_CALLS[call][0](model, X, y)
    assert fingerprint(model) == before and model.svc_ is svc
    np.testing.assert_array_equal(model.decision_function(X), values)
    model.partial_fit(X[35:40], y[35:40])
    assert_fresh(model, X)


def test_an_interrupt_in_the_middle_of_a_path_changes_nothing(monkeypatch):
    X, y = stream()
    model = wp.OnlineSVC(window=30, **RBF).fit(X[:30], y[:30])
    before, values = fingerprint(model), model.decision_function(X)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(following, "warn_beyond_precision", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[30:35], y[30:35])
    assert fingerprint(model) == before
    np.testing.assert_array_equal(model.decision_function(X), values)
    model.partial_fit(X[30:35], y[30:35])
    assert_fresh(model, X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"window": 0}, "window"),
        ({"window": 2.5}, "window"),
        ({"forgetting": -1.0}, "forgetting"),
        ({"forgetting": "fast"}, "forgetting"),
        ({"forgetting": lambda n: np.ones(n + 1)}, "must return 20 weights"),
        ({"forgetting": lambda n: np.full(n, np.nan)}, "NaN"),
        ({"forgetting": np.zeros}, "zero"),
        ({"kernel": "precomputed"}, "function"),
    ],
)
@pytest.mark.parametrize("kind", [wp.OnlineSVC, wp.OnlineSVR])
def test_wrong_parameters(kind, parameters, message):
    X, y = stream(20)
    model = kind(**parameters)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("kind", [wp.OnlineSVC, wp.OnlineSVR])
def test_copies_go_on_alike(kind):
    X, y = stream()
    model = kind(window=30, **RBF).fit(X[:30], y[:30]).partial_fit(X[30:40], y[30:40])
    twin = pickle.loads(pickle.dumps(model))
    for one in (model, twin):
        one.partial_fit(X[40:50], y[40:50])
    assert_fresh(twin, X)
    np.testing.assert_allclose(twin.predict(X), model.predict(X), rtol=0, atol=1e-12)
    assert not hasattr(clone(model), "n_seen_")


@parametrize_with_checks(
    [wp.OnlineSVC(), wp.OnlineSVC(forgetting=None), wp.OnlineSVR(), wp.OnlineSVR(forgetting=None)]
)
def test_estimator_check(estimator, check):
    check(estimator)


@pytest.mark.data("nasdaq")
@pytest.mark.parametrize(("C", "gamma"), [(1.0, 10.0), (100.0, 1.0), (10.0, 0.1)])
def test_nasdaq(data_home, C, gamma):
    nasdaq = wp.datasets.load_nasdaq(data_home)
    X, y, n = minmax_scale(nasdaq.data), nasdaq.target, nasdaq.n_train
    model = wp.OnlineSVC(window=n, forgetting=3.0, C=C, gamma=gamma / 5).fit(X[:n], y[:n])
    for first in (n, n + 5):
        model.partial_fit(X[first : first + 5], y[first : first + 5])
        assert model.path_.n_events > 0
        assert_fresh(model, X)


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("case", CASES)
def test_reading_between_arrivals_changes_nothing(case, batch):
    """Rows that leave go when others come, or when somebody looks: to the last bit the same."""
    X, y = stream(120)
    read = wp.OnlineSVC(**CASES[case], **RBF).fit(X[:30], y[:30])
    unread = wp.OnlineSVC(**CASES[case], **RBF).fit(X[:30], y[:30])
    for first in range(30, 120, batch):
        new = slice(first, first + batch)
        read.partial_fit(X[new], y[new])
        unread.partial_fit(X[new], y[new])
        assert read.path_ is read.path_ and read.svc_ is read.svc_
        np.testing.assert_array_equal(read.window_X_, unread.window_X_)
    np.testing.assert_array_equal(read.decision_function(X), unread.decision_function(X))
    np.testing.assert_array_equal(read.svc_.dual_coef_, unread.svc_.dual_coef_)
    np.testing.assert_array_equal(read.path_.theta, unread.path_.theta)
    assert unread.svc_.kkt_violation() < 1e-9


def test_a_model_that_was_moved_by_hand_slides_on_from_there():
    X, y = stream()
    model = wp.OnlineSVC(window=30, **RBF).fit(X[:30], y[:30]).partial_fit(X[30:31], y[30:31])
    model.svc_.reweight(np.linspace(0.5, 2.0, 30))
    model.partial_fit(X[31:33], y[31:33])
    assert_fresh(model, X)
    model.svc_.set_params(C=2 * RBF["C"])
    # It is no longer the model that the window wants, and is fitted from scratch.
    model.partial_fit(X[33:34], y[33:34])
    assert model.path_ is None
    assert_fresh(model, X)


def test_a_path_that_fails_leaves_the_rows_that_are_to_go():
    X, y = stream()
    model = wp.OnlineSVC(window=30, **RBF).fit(X[:30], y[:30])
    for k in range(30, 36):
        model.partial_fit(X[k : k + 1], y[k : k + 1])
    unread = copy.copy(model)
    with pytest.MonkeyPatch.context() as patch:

        def interrupted(*_):
            raise KeyboardInterrupt

        patch.setattr(following, "warn_beyond_precision", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X[36:37], y[36:37])
    assert model.svc_ is unread.svc_ and len(model.svc_.training_set_) == 30
    assert model.svc_.kkt_violation() < 1e-9
    model.partial_fit(X[36:38], y[36:38])
    assert_fresh(model, X)


def test_parameters_that_could_change_are_copied_for_the_path():
    X, y = stream()
    weights = {0: 1.0, 1: 2.0}
    model = wp.OnlineSVC(window=30, class_weight=weights, **RBF).fit(X[:30], y[:30])
    model.partial_fit(X[30:32], y[30:32])
    weights[1] = 7.0
    assert model.path_.model_at(1.0).class_weight == {0: 1.0, 1: 2.0}
