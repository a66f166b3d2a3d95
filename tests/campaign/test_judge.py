"""The judge passes right answers and no others; the references are right answers."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import linear_model, svm

from campaign import stairs as forms
from campaign.active_set import solve
from campaign.judge import TOLERANCE, judge, unit_of
from campaign.kernels import inner, poly, rbf, sigmoid
from campaign.operators import FeatureMatrix, KernelMatrix, PairMatrix
from campaign.problems import problem

# LIBSVM keeps its kernel columns in single precision.
SINGLE = 1e-4


def two_points(C=10.0):
    """Two points at -1 and 1: the margin is all of the gap, alpha = 1/2, no bias."""
    matrix = KernelMatrix(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    return matrix, forms.hinge(np.array([-1, 1]), np.full(2, C), np.ones(2))


def test_a_closed_form_is_right():
    verdict = judge(*two_points(), [-0.5, 0.5], 0.0)
    assert verdict.distance == 0.0
    assert verdict.floor < 1e-12


@pytest.mark.parametrize(
    ("beta", "bias"),
    [
        ([-0.5, 0.5], 1e-5),
        ([-0.49999, 0.49999], 0.0),
        ([-0.5, 0.50001], 0.0),
        ([0.0, 0.0], 0.0),
        ([-10.0, 10.0], 0.0),
        ([0.5, -0.5], 0.0),
        ([np.nan, 0.5], 0.0),
    ],
)
def test_a_closed_form_off_by_little_is_wrong(beta, bias):
    assert judge(*two_points(), beta, bias).wrong


@pytest.mark.parametrize("C", [1e3, 1e9, 1e15])
def test_a_bound_that_nobody_reaches_forgives_nothing(C):
    assert judge(*two_points(C), [0.0, 0.0], 0.0).wrong
    assert judge(*two_points(C), [-0.5, 0.5], 1e-5).wrong


@pytest.mark.parametrize("s", [1e-6, 1.0, 1e8])
def test_the_scale_of_features_is_no_matter(s):
    matrix = KernelMatrix(s**2 * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    stairs = forms.hinge(np.array([-1, 1]), np.full(2, 1.0 / s**2), np.ones(2))
    right = np.array([-0.5, 0.5]) / s**2
    assert not judge(matrix, stairs, right, 0.0).wrong
    assert judge(matrix, stairs, right * (1 + 1e-5), 0.0).wrong


def test_a_row_without_weight_must_not_act():
    matrix = KernelMatrix(np.diag([1.0, 1.0, 1.0]))
    stairs = forms.hinge(np.array([-1, 1, 1]), np.array([1.0, 1.0, 0.0]), np.ones(3))
    assert not judge(matrix, stairs, [-1.0, 1.0, 0.0], 0.0).wrong
    assert judge(matrix, stairs, [-1.0, 1.0 - 1e-5, 1e-5], 0.0).wrong


def test_a_vanished_row_is_left_out_inside_a_path_only():
    matrix, stairs = two_points(1e-10)
    half = [-0.5e-10, 0.5e-10]
    assert judge(matrix, stairs, half, 0.0).wrong
    assert not judge(matrix, stairs, half, 0.0, most=np.ones(2)).wrong


def test_the_lasso_of_one_feature_is_soft_thresholding():
    X, y = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 0.0, 3.0])
    matrix = FeatureMatrix(X, y[None], np.full(3, 1 / 3), True, 0.0)
    t, k = matrix.correlation(y).astype(float), float(matrix.diagonal[0])
    stairs = forms.penalty(t, np.array([0.25]), matrix.reach(y))
    right = (t - 0.25) / k
    assert not judge(matrix, stairs, right, 0.0).wrong
    assert judge(matrix, stairs, right * (1 + 1e-5), 0.0).wrong
    closed = forms.penalty(t, t * (1 + 1e-12), matrix.reach(y))
    assert not judge(matrix, closed, [0.0], 0.0).wrong


def test_a_penalty_that_nothing_reaches_forgives_nothing():
    g = np.random.default_rng(0)
    X, y = g.normal(size=(20, 3)), g.normal(size=20)
    matrix = FeatureMatrix(X, y[None], np.full(20, 1 / 20), True, 0.0)
    stairs = forms.penalty(
        matrix.correlation(y).astype(float), np.array([1e-3, 1e-3, 1e12]), matrix.reach(y)
    )
    beta, _ = solve(matrix, stairs)
    assert not judge(matrix, stairs, beta, 0.0).wrong
    assert judge(matrix, stairs, beta * (1 + 1e-4), 0.0).wrong


def data(seed=0, n=30):
    g = np.random.default_rng(seed)
    X = g.normal(size=(n, 3))
    return X, X @ [1.0, -2.0, 0.5] + g.normal(size=n), g.uniform(0.1, 3, n)


def full(model, n):
    beta = np.zeros(n)
    beta[model.support_] = np.ravel(model.dual_coef_)
    return beta, float(model.intercept_[0])


def test_agreement_with_scikit_learn_on_classes():
    X, z, w = data()
    y = np.where(z > 0.3, 1, -1)
    model = svm.SVC(C=2.0, gamma=0.3, tol=1e-10).fit(X, y, sample_weight=w)
    matrix, stairs = KernelMatrix(rbf(X, X, 0.3)), forms.hinge(y, 2.0 * w, np.ones(30))
    check(matrix, stairs, *full(model, 30))


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_agreement_with_scikit_learn_on_tubes(epsilon):
    X, y, w = data(1)
    model = svm.SVR(C=2.0, gamma=0.3, epsilon=epsilon, tol=1e-10).fit(X, y, sample_weight=w)
    matrix = KernelMatrix(rbf(X, X, 0.3))
    check(matrix, forms.tube(y, 2.0 * w, np.full(30, epsilon)), *full(model, 30))
    if epsilon == 0:
        # The median is half the absolute loss.
        check(matrix, forms.pinball(y, 4.0 * w, 0.5), *full(model, 30))


def test_agreement_with_scikit_learn_on_one_class():
    X, _, w = data(2)
    model = svm.OneClassSVM(nu=0.4, gamma=0.3, tol=1e-10).fit(X, sample_weight=w)
    check(KernelMatrix(rbf(X, X, 0.3)), forms.one_class(w, 0.4), *full(model, 30))


def test_agreement_with_scikit_learn_on_pairs():
    X, z, _ = data(3, 12)
    pairs = np.array([(i, j) for i in range(12) for j in range(12) if z[i] > z[j] + 1])
    apart = X[pairs[:, 0]] - X[pairs[:, 1]]
    both, sign = np.vstack([apart, -apart]), np.repeat([1, -1], len(pairs))
    model = svm.LinearSVC(C=0.05, loss="hinge", fit_intercept=False, tol=1e-12, max_iter=10**6)
    model.fit(both, sign)
    matrix = PairMatrix(inner(X, X), pairs)
    beta, _ = solve(matrix, forms.ranking(np.full(len(pairs), 0.1)))
    np.testing.assert_allclose(beta.astype(float) @ apart, model.coef_[0], atol=1e-6)


def test_agreement_with_scikit_learn_on_the_lasso():
    X, y, w = data(4)
    model = linear_model.Lasso(alpha=0.2, tol=1e-14, max_iter=10**6).fit(X, y, sample_weight=w)
    matrix = FeatureMatrix(X, y[None], w / w.sum(), True, 0.0)
    stairs = forms.penalty(matrix.correlation(y).astype(float), np.full(3, 0.2), matrix.reach(y))
    check(matrix, stairs, model.coef_, 0.0)
    mean = matrix.offset(y.astype(np.longdouble))
    off, _ = matrix.intercept_error(mean, model.coef_, model.intercept_)
    assert off < 1e-12


def check(matrix, stairs, beta, bias):
    """An approximate answer is almost right, the reference is right, and both say the same."""
    assert judge(matrix, stairs, beta, bias).distance < SINGLE
    reference, own = solve(matrix, stairs)
    verdict = judge(matrix, stairs, reference, own)
    assert verdict.distance <= 1e-12
    values = matrix.product(beta) + bias, matrix.product(reference) + own
    np.testing.assert_allclose(values[0].astype(float), values[1].astype(float), atol=1e-3)
    moved = np.array(reference, dtype=float)
    i = int(np.argmax(np.abs(moved) / unit_of(matrix, stairs, verdict.scale)))
    moved[i] += 1e-3 * unit_of(matrix, stairs, verdict.scale)[i]
    assert judge(matrix, stairs, moved, own).distance > TOLERANCE


@pytest.mark.parametrize("first", range(0, 200, 40))
def test_references_of_ugly_problems_are_right(first):
    for seed in range(first, first + 40):
        case = problem(seed)
        if case.kernel in ("asymmetric", "sigmoid") or not np.isfinite(case.matrix.diagonal).all():
            continue
        for stairs in (case.start, case.end):
            found = solve(case.matrix, stairs)
            assert found is not None, seed
            assert not judge(case.matrix, stairs, *found).wrong, seed


def test_the_kernels_are_the_documented_ones():
    from sklearn.metrics import pairwise

    X, _, _ = data(5, 6)
    np.testing.assert_allclose(rbf(X, X, 0.7).astype(float), pairwise.rbf_kernel(X, gamma=0.7))
    own = {"gamma": 0.2, "coef0": 0.5}
    expected = pairwise.polynomial_kernel(X, degree=3, **own)
    np.testing.assert_allclose(poly(X, X, degree=3, **own).astype(float), expected)
    expected = pairwise.sigmoid_kernel(X, **own)
    np.testing.assert_allclose(sigmoid(X, X, **own).astype(float), expected)


def test_pairs_are_differences_of_documents():
    X, _, _ = data(6, 5)
    pairs = np.array([(0, 1), (2, 4), (3, 1)])
    apart = X[pairs[:, 0]] - X[pairs[:, 1]]
    np.testing.assert_allclose(PairMatrix(inner(X, X), pairs).K.astype(float), apart @ apart.T)


def test_problems_are_reproducible():
    for seed in range(20):
        one, other = problem(seed), problem(seed)
        assert (one.estimator, one.kernel) == (other.estimator, other.kernel)
        np.testing.assert_array_equal(one.fit["X"], other.fit["X"])
        np.testing.assert_array_equal(one.end.knots, other.end.knots)
