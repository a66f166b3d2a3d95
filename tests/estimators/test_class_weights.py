"""Factors of classes move as C and instance weights do, and end where a fresh fit would be."""

import io
import pickle

import numpy as np
import pytest
import sklearn.svm

import weightpath as wp
from estimators.samples import KINDS, Kind, assert_same_model, overlapping, random_weights

N = 60


def imbalanced(n=90, seed=0):
    """Two classes, nine to one."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 10 == 0, "rare", "usual")
    return rng.normal(size=(n, 3)) + 1.2 * (y == "rare")[:, None], y


RULES = [
    ({0: 3.0, 1: 0.5}, "dict"),
    ({1: 4.0}, "one class"),
    ("balanced", "balanced"),
    (None, "none"),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("rule", [rule for rule, _ in RULES], ids=[name for _, name in RULES])
@pytest.mark.parametrize("start", [None, "balanced", {0: 2.0}], ids=["none", "balanced", "dict"])
def test_a_move_of_class_weights_equals_a_fresh_fit(start, rule, n_classes):
    X, y = overlapping(N, n_classes)
    weight = random_weights(N, 1)
    model = wp.SVC(C=2.0, gamma=0.4, class_weight=start).fit(X, y, weight)
    path = model.move(class_weight=rule)
    assert path.kkt_violation() < 1e-9
    fresh = wp.SVC(C=2.0, gamma=0.4, class_weight=rule).fit(X, y, weight)
    assert_same_model(model, fresh, X)
    np.testing.assert_allclose(model.class_weight_, fresh.class_weight_, rtol=1e-12)
    np.testing.assert_allclose(model.weights_, fresh.weights_, rtol=1e-12)
    assert model.class_weight is start  # the parameter stays, as that of C does


@pytest.mark.parametrize("name", KINDS)
def test_every_model_on_the_way_is_a_fresh_fit_with_factors_in_between(name):
    kind = Kind(name)
    X, y = overlapping(N)
    model = kind.model().fit(kind.training(X), y)
    path = model.move(class_weight={0: 4.0, 1: 0.25})
    for theta in (0.0, 0.3, 0.8, 1.0):
        factors = {0: 1.0 + 3.0 * theta, 1: 1.0 - 0.75 * theta}
        fresh = kind.model().set_params(class_weight=factors).fit(kind.training(X), y)
        there = path.model_at(theta)
        assert_same_model(there, fresh, kind.training(X))
        np.testing.assert_allclose(there.class_weight_, fresh.class_weight_, rtol=1e-12)


def test_class_weights_move_together_with_everything_else():
    X, y = overlapping(N, 3)
    weight = random_weights(N, 2, zeros=0.2)
    model = wp.SVC(C=1.0, gamma=0.4).fit(X, y)
    model.move(C=3.0, class_weight="balanced", sample_weight=weight, margin=0.8)
    fresh = wp.SVC(C=3.0, gamma=0.4, class_weight="balanced").fit(X, y, weight, margin=0.8)
    assert_same_model(model, fresh, X)


def test_with_c_the_factors_in_between_belong_to_the_weights():
    X, y = overlapping(N)
    model = wp.SVC(C=1.0, gamma=0.4).fit(X, y)
    path = model.move(C=9.0, class_weight={0: 3.0, 1: 0.5})
    for theta in (0.25, 0.5):
        there = path.model_at(theta)
        expected = there.C_ * there.class_weight_[y]
        np.testing.assert_allclose(there.weights_, expected, rtol=1e-12)


def test_balanced_factors_follow_later_changes_and_others_do_not():
    X, y = imbalanced()
    weight = random_weights(len(y), 3)
    model = wp.SVC(gamma=0.4).fit(X, y)
    path = model.move(class_weight="balanced")
    model.reweight(weight)
    fresh = wp.SVC(gamma=0.4, class_weight="balanced").fit(X, y, weight)
    # gamma="scale" is not used: a move keeps the kernel.
    assert_same_model(model, fresh, X)
    between = path.model_at(0.5)
    kept = between.class_weight_
    between.reweight(weight)
    np.testing.assert_array_equal(between.class_weight_, kept)
    first, last = path.model_at(0.0), path.model_at(1.0)
    first.reweight(weight)
    last.reweight(weight)
    np.testing.assert_array_equal(first.class_weight_, [1.0, 1.0])
    np.testing.assert_allclose(last.class_weight_, fresh.class_weight_, rtol=1e-12)


def test_a_saved_path_knows_at_which_end_the_factors_are_balanced():
    X, y = imbalanced()
    weight = random_weights(len(y), 3)
    for start, end in ((None, "balanced"), ("balanced", {"rare": 2.0}), ("balanced", "balanced")):
        model = wp.SVC(gamma=0.4, class_weight=start).fit(X, y)
        path = model.move(class_weight=end, C=2.0)
        file = io.BytesIO()
        path.save(file)
        file.seek(0)
        loaded = wp.load(file)
        for theta in (0.0, 0.4, 1.0):
            one, other = path.model_at(theta), loaded.model_at(theta)
            assert one.problem_.balanced == other.problem_.balanced
            one.reweight(weight)
            other.reweight(weight)
            np.testing.assert_array_equal(one.class_weight_, other.class_weight_)
            np.testing.assert_array_equal(one.weights_, other.weights_)


def test_the_end_agrees_with_libsvm():
    X, y = imbalanced()
    model = wp.SVC(C=2.0, gamma=0.4).fit(X, y)
    model.move(class_weight={"rare": 7.0, "usual": 0.5})
    params = {"C": 2.0, "gamma": 0.4, "tol": 1e-9}
    other = sklearn.svm.SVC(class_weight={"rare": 7.0, "usual": 0.5}, **params).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), other.decision_function(X), rtol=0, atol=1e-6
    )


def test_pickled_models_keep_their_factors():
    X, y = imbalanced()
    model = wp.SVC(gamma=0.4).fit(X, y)
    model.move(class_weight="balanced")
    copy = pickle.loads(pickle.dumps(model))
    copy.move(C=2.0)
    model.move(C=2.0)
    np.testing.assert_allclose(copy.decision_function(X), model.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("given", [{0: 2.0, 1: 1.0}, "balanced"])
@pytest.mark.parametrize("call", ["reweight", "move", "fit", "add"])
def test_factors_of_classes_as_instance_weights_are_refused_with_advice(call, given):
    X, y = overlapping(N)
    model = wp.SVC(gamma=0.4).fit(X, y)
    before = model.decision_function(X)
    calls = {
        "reweight": lambda: model.reweight(given),
        "move": lambda: model.move(sample_weight=given),
        "fit": lambda: model.fit(X, y, given),
        "add": lambda: model.add(X[:2], y[:2], given),
    }
    with pytest.raises(ValueError, match=r"model\.move\(class_weight=\.\.\.\)"):
        calls[call]()
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({7: 2.0}, "not among the classes"),
        ({0: -1.0}, "class_weight"),
        ({0: np.inf}, "class_weight"),
        ({0: 0.0}, "every class needs an instance of positive weight"),
        ("heavy", 'a dict, "balanced" or None'),
        (3.0, 'a dict, "balanced" or None'),
    ],
)
def test_bad_factors_are_refused_and_the_model_stays(rule, words):
    X, y = overlapping(N)
    model = wp.SVC(gamma=0.4).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=words):
        model.move(class_weight=rule)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_c_is_still_needed_when_it_is_named():
    X, y = overlapping(N)
    model = wp.SVC(gamma=0.4).fit(X, y)
    with pytest.raises(ValueError, match="C is None"):
        model.move(C=None, class_weight=None)


def test_curves_on_the_path_are_those_of_refits():
    X, y = imbalanced(120)
    X_new, y_new = imbalanced(60, seed=1)
    model = wp.SVC(C=1.0, gamma=0.4).fit(X, y)
    curve = model.move(class_weight={"rare": 9.0}).curve(X_new, y_new, "balanced_accuracy")
    for theta in np.linspace(0.05, 0.95, 7):
        refit = wp.SVC(C=1.0, gamma=0.4, class_weight={"rare": 1.0 + 8.0 * theta}).fit(X, y)
        right = refit.predict(X_new) == y_new
        both = [right[y_new == label].mean() for label in ("rare", "usual")]
        assert curve(theta) == pytest.approx(np.mean(both), abs=1e-12)
