"""Code that was written for sklearn.svm runs, or is told in one sentence what to use."""

import inspect

import numpy as np
import pytest
import sklearn.svm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

import weightpath as wp
from estimators.samples import overlapping

TWINS = [
    (wp.SVC, sklearn.svm.SVC),
    (wp.SVR, sklearn.svm.SVR),
    (wp.OneClassSVM, sklearn.svm.OneClassSVM),
    (wp.NuSVC, sklearn.svm.NuSVC),
    (wp.NuSVR, sklearn.svm.NuSVR),
]
NAMES = [ours.__name__ for ours, _ in TWINS]

# Another value than the default, and what becomes of it: taken, or refused in these words.
OTHER = {
    "C": 2.0,
    "kernel": "linear",
    "degree": 2,
    "gamma": "auto",
    "coef0": 1.0,
    "shrinking": False,
    "tol": 1e-6,
    "cache_size": 100,
    "class_weight": "balanced",
    "verbose": True,
    "max_iter": 10_000,
    "decision_function_shape": "ovo",
    "break_ties": True,
    "random_state": 0,
    "epsilon": 0.2,
    "nu": 0.3,
}
REFUSED = {"probability": (True, "CalibratedClassifierCV")}


def data():
    """Classes that a linear function nearly separates, so that a small nu has a C."""
    X, y = overlapping(40)
    return X + 1.5 * y[:, None], y


@pytest.mark.parametrize(("ours", "theirs"), TWINS, ids=NAMES)
def test_every_parameter_of_scikit_learn_is_taken_or_refused(ours, theirs, capsys):
    X, y = data()
    own = inspect.signature(ours).parameters
    for name, parameter in inspect.signature(theirs).parameters.items():
        assert name in own
        ours(**{name: parameter.default}).fit(X, y)
        if name in REFUSED:
            value, words = REFUSED[name]
            with pytest.raises(ValueError, match=words) as caught:
                ours(**{name: value}).fit(X, y)
            assert ours.__name__ in str(caught.value)
        else:
            model = ours(**{name: OTHER[name]}).fit(X, y)
            assert model.predict(X).shape == y.shape
            assert clone(model).get_params()[name] == OTHER[name]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("ours", "theirs"), TWINS, ids=NAMES)
def test_defaults_are_those_of_scikit_learn(ours, theirs):
    own = inspect.signature(ours).parameters
    for name, parameter in inspect.signature(theirs).parameters.items():
        if name != "probability":  # False there, too, until its end
            assert own[name].default == parameter.default


@pytest.mark.parametrize(("ours", "theirs"), TWINS, ids=NAMES)
def test_what_is_without_effect_changes_nothing(ours, theirs):
    X, y = data()
    names = inspect.signature(ours).parameters
    idle = {"shrinking": False, "verbose": 1, "max_iter": 3, "random_state": 7}
    model = ours(**{name: value for name, value in idle.items() if name in names}).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, ours().fit(X, y).dual_coef_)


@pytest.mark.parametrize("name", ["shrinking", "verbose", "max_iter", "probability"])
@pytest.mark.parametrize("value", ["yes", 1.5, -2])
def test_values_that_mean_nothing_are_refused(name, value):
    X, y = data()
    with pytest.raises(ValueError, match=name):
        wp.SVC(**{name: value}).fit(X, y)


@pytest.mark.parametrize(("ours", "theirs"), TWINS, ids=NAMES)
def test_fitted_attributes_are_those_of_scikit_learn(ours, theirs):
    X, y = data()
    model, other = ours(kernel="linear").fit(X, y), theirs(kernel="linear").fit(X, y)
    shown = {name for name in dir(other) if name[-1] == "_" != name[0]}
    assert shown <= {*dir(model), "probA_", "probB_"}
    for name in shown - {"probA_", "probB_"}:
        one, its = getattr(model, name), getattr(other, name)
        assert np.shape(one)[:1] == np.shape(its)[:1] or name in ("support_", "support_vectors_")
    assert model.fit_status_ == 0
    assert model.shape_fit_ == (40, 3)
    assert np.all(model.n_iter_ == 1)


def test_a_random_state_of_any_kind_does_not_keep_a_path_from_being_saved(tmp_path):
    X, y = data()
    for random_state in (3, np.random.RandomState(0), np.random.default_rng(0)):
        model = wp.SVC(random_state=random_state).fit(X, y)
        path = model.move(C=2.0)
        path.save(tmp_path / "path.npz")
        loaded = wp.load(tmp_path / "path.npz").model_at(1.0)
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_several_classes_have_an_iteration_for_each_pair():
    X, y = overlapping(60, 4)
    assert wp.SVC().fit(X, y).n_iter_.shape == (6,)


def test_shape_of_the_fit_follows_the_training_set():
    X, y = data()
    model = wp.SVC().fit(X, y)
    model.add(X[:3], y[:3])
    assert model.shape_fit_ == (43, 3)


def test_probabilities_come_as_the_sentence_says():
    X, y = data()
    model = CalibratedClassifierCV(wp.SVC(), ensemble=False).fit(X, y)
    assert model.predict_proba(X).shape == (40, 2)
