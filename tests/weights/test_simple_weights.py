"""Forgetting, unequal noise and relevance against their formulas."""

import math

import numpy as np
import pytest

from weightpath.weights import forgetting, heteroscedastic, relevance


@pytest.mark.parametrize("n", [1, 2, 7, 2515])
@pytest.mark.parametrize("a", [0.0, 0.5, 3.0, 20.0])
def test_forgetting_is_the_formula_of_the_paper(n, a):
    expected = [2 / (1 + math.exp(a - 2 * a * i / n)) for i in range(1, n + 1)]
    assert forgetting(n, a) == pytest.approx(expected, rel=1e-13)


def test_newest_instance_is_last_and_heaviest():
    weights = forgetting(100, 3)
    assert (np.diff(weights) > 0).all()
    assert weights[-1] == pytest.approx(2 / (1 + math.exp(-3)))
    assert weights[49] == 1.0


def test_nothing_is_forgotten_at_zero():
    assert forgetting(5, 0).tolist() == [1.0] * 5


def test_forgetting_all_at_once_overflows_nothing():
    assert forgetting(4, 1e6).tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize(("n", "a"), [(0, 1), (-3, 1), (5, -1), (5, np.nan), (5, np.inf)])
def test_forgetting_refuses(n, a):
    with pytest.raises(ValueError, match=r"^(n|a) must be"):
        forgetting(n, a)


def test_n_is_a_whole_number():
    with pytest.raises(TypeError):
        forgetting(2.5, 1)


def test_heteroscedastic_is_the_formula_of_the_paper():
    residuals = np.random.default_rng(0).normal(size=50)
    sigma = math.sqrt(sum(e * e for e in residuals) / 50)
    expected = [sigma / abs(e) for e in residuals]
    assert heteroscedastic(residuals, floor=0) == pytest.approx(expected, rel=1e-13)


def test_vanishing_residuals_have_the_largest_weight():
    weights = heteroscedastic([0.0, 1e-300, 3.0, -4.0], floor=0.01)
    sigma = 2.5
    assert weights == pytest.approx([100, 100, sigma / 3, sigma / 4])


def test_vanishing_residual_without_floor():
    with pytest.raises(ValueError, match=r"Residual 1 vanishes.*floor > 0"):
        heteroscedastic([1.0, 0.0], floor=0)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_size_of_the_residuals_does_not_matter(scale):
    residuals = np.array([1.0, -2.0, 5.0])
    assert heteroscedastic(residuals * scale) == pytest.approx(heteroscedastic(residuals))


def test_perfect_fit_tells_nothing():
    assert heteroscedastic(np.zeros(3)).tolist() == [1, 1, 1]
    assert heteroscedastic(np.zeros(3), floor=0).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("residuals", "floor", "message"),
    [
        ([], 0.1, "non-empty"),
        ([[1.0]], 0.1, "vector"),
        ([1.0, np.nan], 0.1, "residual 1 is not"),
        ([1.0, np.inf], 0.1, "residual 1 is not"),
        ([1.0], -0.1, "floor"),
        ([1.0], np.nan, "floor"),
    ],
)
def test_heteroscedastic_refuses(residuals, floor, message):
    with pytest.raises(ValueError, match=message):
        heteroscedastic(residuals, floor=floor)


def test_relevance_of_all_grades():
    for i in range(5):
        for j in range(i + 1):
            assert relevance(i, j) == 2**i - 2**j
    assert relevance([2, 1, 1], 1).tolist() == [2, 0, 0]
    assert relevance([], []).shape == (0,)


@pytest.mark.parametrize(
    ("y_i", "y_j", "message"),
    [
        ([2, 0], [0, 1], "preferred"),
        (np.nan, 0, "finite"),
        (np.inf, 0, "finite"),
        (1024, 0, "smaller grades"),
    ],
)
def test_relevance_refuses(y_i, y_j, message):
    with pytest.raises(ValueError, match=message):
        relevance(y_i, y_j)
