"""The generated problems are what their names say, and the same for the same seed."""

import numpy as np
import pytest

from judges.cases import CASES, kernel_matrix, weight_sequence


@pytest.mark.parametrize("name", CASES)
def test_case_is_well_formed(name):
    case = CASES[name](3)
    n = len(case.y)
    assert set(case.y) == {1.0, -1.0}
    assert case.X.shape[0] == n
    assert len(case.weights) >= 2
    for weight in case.weights:
        assert weight.shape == (n,)
        assert np.isfinite(weight).all()
        assert (weight >= 0.0).all()
        assert weight[case.y > 0].sum() > 0.0
        assert weight[case.y < 0].sum() > 0.0
    assert np.array_equal(case.K, case.K.T)
    for staircase in case.staircases():
        staircase.check()
    again = CASES[name](3)
    assert np.array_equal(case.X, again.X)
    assert np.array_equal(case.weights[-1], again.weights[-1])


@pytest.mark.parametrize("name", ["grid-linear-W", "grid-rbf-W", "onehot-W", "alldup-W"])
def test_duplicates_have_equal_columns(name):
    case = CASES[name](0)
    _, first, group = np.unique(case.X, axis=0, return_index=True, return_inverse=True)
    assert len(first) < len(case.X)
    assert np.array_equal(case.K, case.K[:, first[group.ravel()]])


@pytest.mark.parametrize("name", ["grid-linear-W", "alldup-W"])
def test_duplicates_carry_both_labels(name):
    case = CASES[name](0)
    same = (case.X[:, None] == case.X[None]).all(axis=2)
    assert (same & (case.y[:, None] != case.y[None])).any()


@pytest.mark.parametrize("seed", range(20))
def test_tiny_problems_are_tiny_integers(seed):
    for name in ("tiny-linear", "tiny-poly"):
        case = CASES[name](seed)
        assert 2 <= len(case.y) <= 6
        assert np.array_equal(case.K, np.rint(case.K))
        assert set(np.concatenate(case.weights)) <= {0.0, 1.0, 2.0, 3.0}


def test_kernels_agree_with_scikit_learn():
    from sklearn.metrics.pairwise import pairwise_kernels

    X = np.random.default_rng(0).normal(size=(9, 3))
    for name, options in (
        ("linear", {}),
        ("rbf", {"gamma": 0.3}),
        ("poly", {"gamma": 0.5, "degree": 3, "coef0": 1.0}),
    ):
        expected = pairwise_kernels(X, metric=name, **options)
        assert kernel_matrix(X, name, **options) == pytest.approx(expected)


def test_unknown_path_is_an_error():
    with pytest.raises(ValueError, match="choose W, C, D or Z"):
        weight_sequence("Q", np.ones(3), np.random.default_rng(0))
