"""NuSVC and NuSVR: the exact C or epsilon at which coefficients are a share of the weights."""

import pickle

import numpy as np
import pytest
import sklearn.svm
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

import weightpath as wp
from estimators.samples import KINDS, Kind, overlapping, plain_rbf, random_weights
from weightpath.errors import PathError

N = 70


def share(model, weight):
    """The share that the coefficients of a model with two classes, or a regression, have."""
    return np.abs(model.dual_coef_).sum() / weight.sum()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("nu", [0.05, 0.123, 0.31, 0.62])
def test_classifier_agrees_with_libsvm(nu, kernel, weighted):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    weight = random_weights(len(y)) if weighted else np.ones(len(y))
    model = wp.NuSVC(nu, kernel=kernel, gamma=0.03).fit(X, y, weight)
    other = sklearn.svm.NuSVC(nu=nu, kernel=kernel, gamma=0.03, tol=1e-10).fit(X, y, weight)
    values, expected = model.decision_function(X), other.decision_function(X)
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    assert share(model, model.C_[0] * weight) == pytest.approx(nu, rel=1e-11)
    assert model.kkt_violation() < 1e-9


@pytest.mark.parametrize("nu", [0.11, 0.31, 0.71])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_several_classes_agree_with_libsvm(nu, shape):
    X, y = load_iris(return_X_y=True)
    weight = random_weights(len(y), 3)
    weight *= 1.0 / np.bincount(y, weight)[y]  # every class as heavy as the others
    params = {"gamma": 0.3, "decision_function_shape": shape}
    model = wp.NuSVC(nu, **params).fit(X, y, weight)
    other = sklearn.svm.NuSVC(nu=nu, tol=1e-11, **params).fit(X, y, weight)
    np.testing.assert_allclose(
        model.decision_function(X), other.decision_function(X), rtol=0, atol=2e-4
    )
    assert (model.predict(X) == other.predict(X)).all()
    assert model.C_.shape == (3,) and model.kkt_violation() < 1e-9
    for k, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        two = (y == a) | (y == b)
        pair = wp.NuSVC(nu, gamma=0.3).fit(X[two], y[two], weight[two])
        assert pair.C_[0] == pytest.approx(model.C_[k], rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [0.013, 0.2, 0.57, 0.93, 1.0])
def test_regression_agrees_with_libsvm(nu, weighted):
    X, y = load_diabetes(return_X_y=True)
    X = scale(X)
    weight = random_weights(len(y)) if weighted else np.ones(len(y))
    model = wp.NuSVR(nu, C=10.0, gamma=0.05).fit(X, y, weight)
    other = sklearn.svm.NuSVR(nu=nu, C=10.0, gamma=0.05, tol=1e-8).fit(X, y, weight)
    np.testing.assert_allclose(model.predict(X), other.predict(X), rtol=0, atol=1e-4)
    assert model.kkt_violation() < 1e-9
    if model.epsilon_ > 0:
        assert share(model, 10.0 * weight) == pytest.approx(nu, rel=1e-11)
    else:
        assert share(model, 10.0 * weight) <= nu


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_training_matrix(name):
    kind = Kind(name)
    X, y = overlapping(N)
    rows = kind.training(X)
    kernel = {"precomputed": "precomputed", "callable": plain_rbf}.get(name, "rbf")
    dense = wp.NuSVC(0.37, gamma=0.4).fit(X, y)
    model = wp.NuSVC(0.37, gamma=0.4, kernel=kernel).fit(rows, y)
    np.testing.assert_allclose(model.decision_function(rows), dense.decision_function(X), atol=1e-9)
    dense = wp.NuSVR(0.37, gamma=0.4).fit(X, X[:, 0])
    model = wp.NuSVR(0.37, gamma=0.4, kernel=kernel).fit(rows, X[:, 0])
    np.testing.assert_allclose(model.predict(rows), dense.predict(X), atol=1e-9)


def test_weight_two_equals_two_copies_and_zero_is_absence():
    X, y = overlapping(N)
    weight = np.arange(N) % 3
    repeated = np.repeat(np.arange(N), weight)
    for kind in (wp.NuSVC, wp.NuSVR):
        one = kind(0.33, gamma=0.4).fit(X, y, weight)
        other = kind(0.33, gamma=0.4).fit(X[repeated], y[repeated])
        values = [getattr(m, "decision_function", m.predict)(X) for m in (one, other)]
        np.testing.assert_allclose(*values, atol=1e-9)


def test_classes_as_strings_and_factors_of_classes():
    X, y = overlapping(N)
    names = np.array(["ham", "spam"])[y]
    factors = {"ham": 2.0, "spam": 0.8}
    model = wp.NuSVC(0.3, gamma=0.4, class_weight=factors).fit(X, names)
    # scikit-learn's NuSVC takes class_weight and does nothing with it: give it as sample_weight.
    weight = np.where(y == 0, 2.0, 0.8)
    other = sklearn.svm.NuSVC(nu=0.3, gamma=0.4, tol=1e-10).fit(X, names, weight)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    np.testing.assert_array_equal(model.class_weight_, [2.0, 0.8])


def test_where_several_c_have_the_share_it_is_the_middle_margin():
    # Two rows, both at their bounds for every C up to 1: the share is 1 there.
    X = np.array([[-1.0], [1.0]])
    model = wp.NuSVC(1.0, kernel="linear").fit(X, [0, 1])
    assert model.C_[0] == pytest.approx(0.5)  # 2 C = 1 on the margin; no smaller C ends it
    # Pairs at 1 and at 3: the outer pair leaves its bounds at once, then the share is one half
    # until the inner pair is on the margin.
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    model = wp.NuSVC(0.5, kernel="linear").fit(X, [0, 0, 1, 1])
    shares = []
    for C in (0.9 * model.C_[0], model.C_[0], 1.1 * model.C_[0]):
        alpha = np.abs(wp.SVC(C=C, kernel="linear").fit(X, [0, 0, 1, 1]).dual_coef_)
        shares.append(alpha.sum() / (4 * C))
    assert shares == pytest.approx([0.5, 0.5, 0.5])


def ugly(seed):
    """A small problem with ties, repeated rows, weights of zero, and classes that overlap."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) if seed % 2 else rng.integers(-2, 3, (n, d)).astype(float)
    if seed % 3 == 0:
        X = X[rng.integers(0, n, n)]
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    weight = [np.ones(n), rng.integers(0, 4, n) + 0.0, rng.uniform(0.01, 10, n)][seed % 3]
    weight[:2] = np.maximum(weight[:2], 1.0)
    nu = float(rng.choice([rng.uniform(0.02, 1), rng.integers(1, 10) / 10]))
    target = np.round(rng.normal(size=n), 1) if seed % 2 else X[:, 0] + rng.normal(size=n)
    return X, y, target, weight, nu, ["rbf", "linear"][int(rng.integers(2))]


@pytest.mark.parametrize("seed", range(60))
def test_ugly_regressions_have_their_share(seed):
    X, _, target, weight, nu, kernel = ugly(seed)
    C = 10.0 ** np.random.default_rng(seed).uniform(-2, 2.5)
    model = wp.NuSVR(nu, C=C, kernel=kernel, gamma=0.5).fit(X, target, weight)
    assert model.kkt_violation() < 1e-9
    found = share(model, C * weight)
    if model.epsilon_ > 0:
        # Also where the sum of the coefficients jumps: singular kernel matrices have many of them.
        assert found == pytest.approx(nu, rel=1e-9)
    else:
        assert found <= nu * (1 + 1e-9)
    moving = model.to_svr()
    np.testing.assert_allclose(moving.predict(X), model.predict(X), atol=1e-9)
    assert moving.reweight(weight[::-1] + 0.1).kkt_violation() < 1e-9


@pytest.mark.parametrize("seed", range(60))
def test_ugly_classifiers_have_their_share_or_say_that_there_is_none(seed):
    X, y, _, weight, nu, kernel = ugly(seed)
    model = wp.NuSVC(nu, kernel=kernel, gamma=0.5)
    total = np.bincount(y, weight)
    if nu > 2 * total.min() / total.sum() * (1 + 1e-9):
        with pytest.raises(ValueError, match="infeasible"):
            model.fit(X, y, weight)
        return
    refusal = ""
    try:
        model.fit(X, y, weight)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "overlap" in refusal
        large = wp.SVC(C=1e5, kernel=kernel, gamma=0.5).fit(X, y, weight)
        assert share(large, 1e5 * weight) > nu
        return
    assert model.kkt_violation() < 1e-9
    assert share(model, model.C_[0] * weight) == pytest.approx(nu, rel=1e-9)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.2, np.nan, "half", True])
def test_a_nu_that_is_no_share_is_refused(nu):
    X, y = overlapping(N)
    for kind in (wp.NuSVC, wp.NuSVR):
        with pytest.raises(ValueError, match="nu must be"):
            kind(nu).fit(X, y)


def test_infeasible_nu_is_refused_as_in_scikit_learn():
    X, y = overlapping(N)
    y = (np.arange(N) < 10).astype(int)
    for kind in (wp.NuSVC, sklearn.svm.NuSVC):
        with pytest.raises(ValueError, match="specified nu is infeasible"):
            kind(nu=0.5).fit(X, y)
    most = 2 * 10 / N
    assert wp.NuSVC(most).fit(X, y).kkt_violation() < 1e-9
    with pytest.raises(ValueError, match=r"at most 0\.285714"):
        wp.NuSVC(1.001 * most).fit(X, y)
    assert wp.NuSVC(0.5, class_weight="balanced").fit(X, y).kkt_violation() < 1e-9


def test_nu_too_small_for_classes_that_overlap_is_refused():
    X, y = overlapping(N)
    with pytest.raises(ValueError, match=r"stays above .* where classes overlap"):
        wp.NuSVC(0.01, kernel="linear").fit(X, y)


def test_a_cap_on_events_says_so():
    X, y = overlapping(N)
    with pytest.raises(PathError, match="max_events"):
        wp.NuSVC(0.1, gamma=0.4, max_events=2).fit(X, y)


def test_models_stay_and_say_what_moves():
    X, y = overlapping(N)
    model = wp.NuSVC(0.3, gamma=0.4).fit(X, y)
    for call in (lambda: model.reweight(np.ones(N)), lambda: model.move(nu=0.2)):
        with pytest.raises(TypeError, match=r"model\.to_svc\(\)"):
            call()
    moving = model.to_svc()
    np.testing.assert_allclose(moving.decision_function(X), model.decision_function(X), atol=1e-12)
    path = moving.reweight(random_weights(N))
    assert path.kkt_violation() < 1e-9
    regression = wp.NuSVR(0.3, gamma=0.4).fit(X, X[:, 0])
    with pytest.raises(TypeError, match=r"model\.to_svr\(\)"):
        regression.reweight(np.ones(N))
    assert regression.to_svr().move(epsilon=0.0).kkt_violation() < 1e-9
    with pytest.raises(ValueError, match="each pair has its own C"):
        wp.NuSVC(0.3).fit(*overlapping(N, 3)).to_svc()


def test_a_fit_that_fails_leaves_the_model():
    X, y = overlapping(N)
    model = wp.NuSVC(0.3, gamma=0.4).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="infeasible"):
        model.fit(X[:, :2], (np.arange(N) < 5).astype(int))
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_pickled_models_are_the_same():
    X, y = overlapping(N)
    for model in (wp.NuSVC(0.3).fit(X, y), wp.NuSVR(0.3).fit(X, X[:, 0])):
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.kkt_violation() < 1e-9


def test_before_a_fit_there_is_nothing():
    for model in (wp.NuSVC(), wp.NuSVR()):
        for call in (model.kkt_violation, lambda m=model: m.predict(np.zeros((1, 2)))):
            with pytest.raises(NotFittedError):
                call()
        assert not hasattr(model, "support_")


def test_a_constant_target_needs_no_tube():
    X, _ = overlapping(N)
    model = wp.NuSVR().fit(csr_matrix(X), np.full(N, 3.0))
    assert model.epsilon_ == 0.0
    np.testing.assert_allclose(model.predict(csr_matrix(X)), 3.0, atol=1e-12)


def test_linear_models_have_weights_of_features():
    X, y = overlapping(N)
    model = wp.NuSVR(0.4, kernel="linear").fit(X, X @ [1.0, 2.0, 3.0])
    np.testing.assert_allclose(model.coef_ @ X.T + model.intercept_, [model.predict(X)], atol=1e-9)
    with pytest.raises(AttributeError, match="linear"):
        _ = wp.NuSVC().fit(X, y).coef_
