"""Kernel functions that go wrong once: the model is as it was, and the next call is right."""

import numpy as np
import pytest

import weightpath as wp
from estimators.samples import fingerprint, overlapping, random_weights

N = 40


def rbf(A, B):
    return np.exp(-0.5 * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


def failing(values):
    raise ZeroDivisionError("the kernel function is not well")


def lopsided(values):
    # One entry for each column that is asked for: no symmetric matrix has it.
    changed = values.copy()
    changed[:, 0] += 0.3
    return changed


SPOILS = {
    "lopsided": (lopsided, wp.ColumnError),
    "complex": (lambda values: values + 0.1j, wp.ColumnError),
    "wrong shape": (lambda values: values[:, 1:], wp.ColumnError),
    "not finite": (lambda values: values * np.nan, wp.ColumnError),
    "failing": (failing, ZeroDivisionError),
}


class Moody:
    """A kernel function that goes wrong while it is told to."""

    def __init__(self):
        self.spoil = None

    def __call__(self, A, B):
        return rbf(A, B) if self.spoil is None else self.spoil(rbf(A, B))

    def __deepcopy__(self, memo):
        return self


def classifier(kernel):
    X, y = overlapping(N)
    # A cache of four columns: the others are asked for again and again.
    return wp.SVC(kernel=kernel, cache_size=1e-6).fit(X, y)


def regression(kernel):
    X, y = overlapping(N)
    return wp.SVR(kernel=kernel, cache_size=1e-6).fit(X, X[:, 0] + y)


def ranking(kernel):
    X, y = overlapping(N)
    return wp.RankingSVM(kernel=kernel, cache_size=1e-6).fit(X, y)


MODELS = (classifier, regression, ranking)


def move(model):
    if isinstance(model, wp.RankingSVM):
        return model.move(pair_weight=np.random.default_rng(3).uniform(0, 3, len(model.pairs_)))
    return model.reweight(3.0 * random_weights(N))


@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("name", SPOILS)
def test_the_next_move_is_right(make, name):
    spoil, error = SPOILS[name]
    kernel = Moody()
    model = make(kernel)
    before = fingerprint(model)
    kernel.spoil = spoil
    with pytest.raises(error):
        move(model)
    kernel.spoil = None
    assert fingerprint(model) == before
    path = move(model)
    expected = make(rbf)
    same = move(expected)
    assert path.kkt_violation() < 1e-9
    np.testing.assert_allclose(path.at(0.37).dual_coef, same.at(0.37).dual_coef, atol=1e-9)
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, atol=1e-9)


@pytest.mark.parametrize("name", SPOILS)
def test_the_next_rows_are_right(name):
    spoil, error = SPOILS[name]
    kernel = Moody()
    model, expected = classifier(kernel), classifier(rbf)
    before = fingerprint(model)
    X, y = overlapping(N + 5)
    kernel.spoil = spoil
    with pytest.raises(error):
        model.add(X[N:], y[N:])
    kernel.spoil = None
    assert fingerprint(model) == before
    for one in (model, expected):
        one.add(X[N:], y[N:])
        one.remove([0, 7])
    assert model.kkt_violation() < 1e-9
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, atol=1e-9)


@pytest.mark.parametrize("name", SPOILS)
def test_a_fit_that_fails_leaves_the_model(name):
    spoil, error = SPOILS[name]
    kernel = Moody()
    model = classifier(kernel)
    before = fingerprint(model)
    X, y = overlapping(N)
    kernel.spoil = spoil
    with pytest.raises(error):
        model.fit(X + 1.0, y)
    kernel.spoil = None
    assert fingerprint(model) == before
    assert move(model).kkt_violation() < 1e-9


def test_functions_that_are_not_symmetric():
    X, y = overlapping(N)
    with pytest.raises(ValueError, match="The kernel is not symmetric") as caught:
        wp.SVC(kernel=lambda A, B: rbf(A, B) + 0.1 * A[:, :1]).fit(X, y)
    assert isinstance(caught.value, wp.KernelNotSymmetricError)
    with pytest.raises(wp.KernelNotSymmetricError, match="The kernel is not symmetric"):
        wp.SVC(kernel="precomputed").fit(rbf(X, X) + 0.1 * X[:, :1], y)


def test_complex_matrices_are_refused():
    X, y = overlapping(N)
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        wp.SVC(kernel="precomputed").fit(rbf(X, X) + 0.1j, y)
