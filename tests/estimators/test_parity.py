"""Agreement with scikit-learn's LIBSVM in everything that both publish."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn import svm

import weightpath as wp
from estimators.samples import overlapping, plain_rbf

KERNELS = [
    {"kernel": "rbf"},
    {"kernel": "rbf", "gamma": "auto"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.5},
    {"kernel": plain_rbf},
]


def both(X, y, sample_weight=None, **params):
    theirs = svm.SVC(tol=1e-8, **params).fit(X, y, sample_weight)
    return wp.SVC(**params).fit(X, y, sample_weight), theirs


def dense(values):
    return values.toarray() if issparse(values) else values


def assert_same(ours, theirs, X):
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    assert ours.support_.dtype == theirs.support_.dtype
    assert ours.n_support_.dtype == theirs.n_support_.dtype
    if not callable(ours.kernel):  # then scikit-learn does not publish them
        np.testing.assert_allclose(
            dense(ours.support_vectors_), dense(theirs.support_vectors_), rtol=1e-12
        )
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-5)
    np.testing.assert_allclose(ours.dual_coef_, dense(theirs.dual_coef_), rtol=0, atol=1e-4)
    for shape in ("ovr", "ovo"):
        ours.set_params(decision_function_shape=shape)
        theirs.set_params(decision_function_shape=shape)
        values = ours.decision_function(X)
        assert values.shape == theirs.decision_function(X).shape
        np.testing.assert_allclose(values, theirs.decision_function(X), rtol=0, atol=1e-5)
    ours.set_params(decision_function_shape="ovr")
    theirs.set_params(decision_function_shape="ovr")
    assert (ours.predict(X) == theirs.predict(X)).all()
    assert ours.score(X, theirs.predict(X)) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("params", KERNELS, ids=[f"kernel{k}" for k in range(len(KERNELS))])
def test_solution(params, n_classes):
    X, y = overlapping(70, n_classes)
    assert_same(*both(X, y, C=1.5, **params), overlapping(40, n_classes, seed=1)[0])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("container", [csr_matrix, csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse(container, n_classes, kernel):
    X, y = overlapping(60, n_classes, n_features=6)
    X = container(np.where(X > 0.3, X, 0.0))
    ours, theirs = both(X, y, kernel=kernel)
    assert_same(ours, theirs, X)
    assert issparse(ours.support_vectors_)
    np.testing.assert_allclose(
        ours.decision_function(X), ours.decision_function(X.toarray()), rtol=0, atol=1e-12
    )
    if kernel == "linear":
        np.testing.assert_allclose(ours.coef_, dense(theirs.coef_), rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_precomputed(n_classes):
    X, y = overlapping(50, n_classes)
    ours, theirs = both(plain_rbf(X, X), y, kernel="precomputed")
    points = overlapping(20, n_classes, seed=3)[0]
    assert_same(ours, theirs, plain_rbf(points, X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_linear_coefficients(n_classes):
    X, y = overlapping(80, n_classes)
    ours, theirs = both(X, y, kernel="linear")
    assert ours.coef_.shape == theirs.coef_.shape
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-5)
    assert not hasattr(wp.SVC().fit(X, y), "coef_")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0}, {0: 0.2, 1: 5.0}])
def test_class_weight(n_classes, class_weight):
    X, y = overlapping(70, n_classes)
    kept = (y != 0) | (np.arange(70) % 3 == 0)
    ours, theirs = both(X[kept], y[kept], class_weight=class_weight)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_, rtol=1e-14)
    assert_same(ours, theirs, X)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_instance_weights(n_classes):
    X, y = overlapping(70, n_classes)
    weight = np.random.default_rng(0).uniform(0.1, 4.0, 70)
    ours, theirs = both(X, y, weight, C=0.8, gamma=0.5, class_weight={1: 2.0})
    assert_same(ours, theirs, X)
    np.testing.assert_allclose(ours.weights_, 0.8 * np.where(y == 1, 2.0, 1.0) * weight)


def test_labels_of_any_type():
    X, y = overlapping(60, 3)
    for names in (np.array(["north", "south", "west"]), np.array([-3.0, 7.0, 2.0])):
        ours, theirs = both(X, names[y])
        assert_same(ours, theirs, X)
    labels = np.array(["no", "yes"], dtype=object)[overlapping(60)[1]]
    ours, theirs = both(overlapping(60)[0], labels)
    assert_same(ours, theirs, X)


def test_two_classes_are_positive_for_the_second():
    X, y = overlapping(60)
    model = wp.SVC().fit(X, np.where(y == 1, "yes", "no"))
    positive = model.decision_function(X) > 0
    assert (model.predict(X)[positive] == "yes").all()
    assert (model.predict(X)[~positive] == "no").all()


def test_break_ties():
    X, y = overlapping(90, 5, n_features=2)
    points = 3.0 * np.random.default_rng(1).normal(size=(800, 2))
    ours, theirs = both(X, y, break_ties=True, gamma=1.0)
    assert (ours.predict(points) == theirs.predict(points)).all()
    assert (ours.predict(points) == ours.decision_function(points).argmax(axis=1)).all()
    by_votes = ours.set_params(break_ties=False).predict(points)
    assert (by_votes == theirs.set_params(break_ties=False).predict(points)).all()
    assert (by_votes != ours.set_params(break_ties=True).predict(points)).any()


def test_weighted_variance_in_gamma_scale():
    X, y = overlapping(30)
    weight = np.random.default_rng(0).integers(0, 4, 30)
    weighted = wp.SVC().fit(X, y, weight)
    repeated = wp.SVC().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.gamma_ == pytest.approx(repeated.gamma_, rel=1e-13)
    assert wp.SVC().fit(csr_matrix(X), y, weight).gamma_ == pytest.approx(weighted.gamma_)
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-9
    )
