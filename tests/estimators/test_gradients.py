"""Gradients are the central differences of exact fits, for every estimator and every quantity."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import weightpath as wp
from estimators.gradient_cases import differences, make, names

# Relative to the largest entry of a gradient, or to one unit of decision values per quantity.
CLOSE = 1e-7

# How many entries of an array are judged.
SOME = 6


def judged(case, gradient, cotangent, random):
    """Yield the error of some entries of every derivative, ``None`` where a breakpoint is near."""
    for name, found in gradient.items():
        found = np.asarray(found)
        size = float(np.mean(np.abs(case.quantities[name])))
        scale = max(float(np.abs(found).max()), float(np.abs(cotangent).sum()) / size)
        one = found.ndim == 0
        moving = np.flatnonzero(found) if found.any() else np.arange(found.size)
        index = [None] if one else random.choice(moving, min(SOME, moving.size), replace=False)
        for i in index:
            true, is_smooth = differences(case, cotangent, name, i)
            error = abs(true - float(found if one else found[i])) / scale
            yield (name, i, error) if is_smooth else (name, i, None)


def check(name, seed):
    case = make(name, seed)
    random = np.random.default_rng(seed)
    model = case.fit(case.quantities)
    cotangent = random.normal(size=getattr(model, case.method)(case.X).shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wp.BreakpointWarning)
        gradient = model.gradient(case.X, cotangent)
    assert set(gradient) == set(case.quantities)
    for quantity, found in gradient.items():
        assert np.shape(found) == np.shape(case.quantities[quantity]), quantity
    if gradient.at_breakpoint:
        return 0, 0
    errors = list(judged(case, gradient, cotangent, random))
    wrong = [entry for entry in errors if entry[2] is not None and entry[2] > CLOSE]
    assert not wrong
    return sum(entry[2] is not None for entry in errors), len(errors)


@pytest.mark.parametrize("name", names())
def test_gradients_are_central_differences_of_fits(name):
    counts = np.sum([check(name, seed) for seed in range(3)], axis=0)
    # Breakpoints are rare: most entries are judged.
    assert counts[0] >= 0.8 * counts[1] > 0


@pytest.mark.second_stage
@pytest.mark.parametrize("name", names())
def test_gradients_are_central_differences_of_many_fits(name):
    counts = np.sum([check(name, seed) for seed in range(100, 130)], axis=0)
    assert counts[0] >= 0.8 * counts[1] > 0


# The same solution, reached and held in other ways ------------------------------------------------


@pytest.fixture
def toy():
    return wp.datasets.make_toy(60, random_state=0)


def same(one, other, close=1e-9):
    for name, value in one.items():
        scale = max(float(np.abs(value).max()), 1.0)
        np.testing.assert_allclose(value, other[name], rtol=0, atol=close * scale, err_msg=name)


def test_a_model_after_a_path_has_the_gradient_of_a_fit(toy):
    random = np.random.default_rng(0)
    weight, X, cotangent = random.uniform(0.5, 2, 60), toy.X[:7], random.normal(size=7)
    moved = wp.SVC(2.0, gamma=0.5).fit(toy.X, toy.y)
    moved.move(sample_weight=weight, C=1.5)
    fitted = wp.SVC(1.5, gamma=0.5).fit(toy.X, toy.y, weight)
    same(fitted.gradient(X, cotangent), moved.gradient(X, cotangent))
    copied = pickle.loads(pickle.dumps(moved))
    same(fitted.gradient(X, cotangent), copied.gradient(X, cotangent))


def test_the_factor_that_a_path_keeps_gives_the_same_and_is_still_there():
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 10))
    y = np.where(X[:, 0] * X[:, 1] + random.normal(size=300) > 0, 1, -1)
    model = wp.SVC(1.0, gamma=0.1).fit(X, y)
    weight = random.uniform(0.5, 2, 300)
    model.reweight(weight)
    state = model.subproblems_[0].state
    kept = state.take()
    assert kept is not None
    state.keep(kept)
    by_kept = model.gradient(X[:5], np.ones(5))
    assert state.take() is kept
    same(by_kept, model.gradient(X[:5], np.ones(5)))
    state.keep(kept)
    model.reweight(np.ones(300))
    assert model.kkt_violation() < 1e-10


def test_rows_that_came_and_went_leave_the_gradient_of_a_fit(toy):
    weight = np.random.default_rng(4).uniform(0.5, 2.0, 60)
    model = wp.SVC(1.0, gamma=0.5).fit(toy.X[:50], toy.y[:50], weight[:50])
    model.add(toy.X[50:], toy.y[50:], weight[50:])
    model.remove(np.arange(5))
    fitted = wp.SVC(1.0, gamma=0.5).fit(toy.X[5:], toy.y[5:], weight[5:])
    same(fitted.gradient(toy.X[:4], np.ones(4)), model.gradient(toy.X[:4], np.ones(4)))


@pytest.mark.parametrize("form", ["precomputed", "callable", "sparse", "ridge"])
def test_forms_of_the_kernel(toy, form):
    from scipy.sparse import csr_matrix

    random = np.random.default_rng(2)
    weight, cotangent, some = random.uniform(0.5, 2, 60), random.normal(size=7), toy.X[:7]
    plain = wp.SVC(1.5, gamma=0.5).fit(toy.X, toy.y, weight)
    if form == "precomputed":
        matrix = np.exp(-0.5 * ((toy.X[:, None] - toy.X) ** 2).sum(axis=2))
        other = wp.SVC(1.5, kernel="precomputed").fit(matrix, toy.y, weight)
        same(plain.gradient(some, cotangent), other.gradient(matrix[:7], cotangent))
    elif form == "callable":
        function = lambda A, B: np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2))  # noqa: E731
        other = wp.SVC(1.5, kernel=function).fit(toy.X, toy.y, weight)
        same(plain.gradient(some, cotangent), other.gradient(some, cotangent))
    elif form == "sparse":
        other = wp.SVC(1.5, gamma=0.5).fit(csr_matrix(toy.X), toy.y, weight)
        same(plain.gradient(some, cotangent), other.gradient(csr_matrix(some), cotangent))
    else:
        other = wp.SVC(1.5, gamma=0.5, ridge=0.1).fit(toy.X, toy.y, weight)
        matrix = np.exp(-0.5 * ((toy.X[:, None] - toy.X) ** 2).sum(axis=2))
        judge = wp.SVC(1.5, kernel="precomputed").fit(matrix + 0.1 * np.eye(60), toy.y, weight)
        same(judge.gradient(matrix[:7], cotangent), other.gradient(some, cotangent))


def test_a_pipeline_prepares_the_rows_itself(toy):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipe = make_pipeline(StandardScaler(), wp.SVC(gamma=0.5)).fit(toy.X, toy.y)
    found = pipe[-1].gradient(pipe[:-1].transform(toy.X[:3]), np.ones(3))
    assert found["sample_weight"].shape == (60,)


@pytest.mark.parametrize(
    ("cotangent", "message"),
    [
        (np.ones(3), "expected \\(5,\\)"),
        (np.full(5, np.nan), "NaN"),
        (["a"] * 5, "must be numbers"),
        (np.ones((5, 1)), "expected \\(5,\\)"),
    ],
)
def test_cotangents_are_checked(toy, cotangent, message):
    model = wp.SVC().fit(toy.X, toy.y)
    with pytest.raises(ValueError, match=message):
        model.gradient(toy.X[:5], cotangent)


def test_models_that_are_not_fitted_say_so(toy):
    from sklearn.exceptions import NotFittedError

    for model in (wp.SVC(), wp.NuSVC(), wp.L1SVC(), wp.BasisPursuit(), wp.Lasso()):
        with pytest.raises(NotFittedError):
            model.gradient(toy.X, np.ones(60))
