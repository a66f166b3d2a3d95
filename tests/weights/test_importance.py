"""Importance against refits with rows left out and against ratios that are known."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics.pairwise import rbf_kernel

from weightpath.weights import ImportanceFit, importance
from weightpath.weights.importance import leave_one_out_score


def refit(phi, psi, ridge):
    H = sum(np.outer(row, row) for row in phi) / len(phi)
    h = sum(psi) / len(psi)
    return np.maximum(0, np.linalg.solve(H + ridge * np.eye(len(h)), h))


def brute_force_score(phi, psi, ridge):
    losses = []
    for i in range(min(len(phi), len(psi))):
        coef = refit(np.delete(phi, i, axis=0), np.delete(psi, i, axis=0), ridge)
        losses.append((phi[i] @ coef) ** 2 / 2 - psi[i] @ coef)
    return np.mean(losses)


@pytest.mark.parametrize(
    ("n", "k", "b"), [(30, 20, 8), (15, 40, 12), (6, 6, 6), (2, 2, 2), (5, 9, 1)]
)
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_score_is_that_of_refits(n, k, b, ridge):
    rng = np.random.default_rng(n + k)
    train, test = rng.normal(0, 1, (n, 2)), rng.normal(0.5, 0.8, (k, 2))
    phi, psi = (rbf_kernel(rows, test[:b], gamma=0.7) for rows in (train, test))
    expected = brute_force_score(phi, psi, ridge)
    assert leave_one_out_score(phi, psi, ridge) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_rounding_to_zero_took_part():
    rng = np.random.default_rng(0)
    train, test = rng.normal(0, 1, (30, 1)), rng.normal(0.5, 0.8, (20, 1))
    phi, psi = (rbf_kernel(rows, test[:8], gamma=0.7) for rows in (train, test))
    assert (refit(phi, psi, 1e-3) == 0).any()
    expected = brute_force_score(phi, psi, 1e-3)
    assert leave_one_out_score(phi, psi, 1e-3) == pytest.approx(expected, rel=1e-9)


def test_coefficients_are_those_of_the_closed_form():
    rng = np.random.default_rng(1)
    train, test = rng.normal(0, 1, (40, 3)), rng.normal(0.3, 1, (25, 3))
    fit = ImportanceFit(train, test, sigma=1.3, ridge=0.2, n_basis=10)
    phi, psi = (rbf_kernel(rows, fit.centres, gamma=1 / (2 * 1.3**2)) for rows in (train, test))
    assert fit.coef == pytest.approx(refit(phi, psi, 0.2), rel=1e-10, abs=1e-14)
    assert fit(train) == pytest.approx(phi @ fit.coef)
    assert fit.centres.shape == (10, 3)
    assert all((centre == test).all(axis=1).any() for centre in fit.centres)


def test_best_score_is_chosen():
    rng = np.random.default_rng(2)
    train, test = rng.normal(0, 1, (60, 1)), rng.normal(0.5, 0.6, (50, 1))
    fit = ImportanceFit(train, test, sigma=[0.05, 0.5, 5.0], ridge=[0.01, 0.3])
    assert fit.scores.shape == (3, 2)
    best = np.argwhere(fit.scores == fit.scores.min())[0]
    assert (fit.sigma, fit.ridge) == (fit.sigmas[best[0]], fit.ridges[best[1]])
    alone = ImportanceFit(train, test, sigma=fit.sigma, ridge=fit.ridge)
    assert alone.scores[0, 0] == fit.scores.min()
    assert np.array_equal(alone.coef, fit.coef)


@pytest.mark.parametrize("seed", range(3))
def test_ratio_of_two_gaussians(seed):
    rng = np.random.default_rng(seed)
    train, test = rng.normal(0, 1, (4000, 1)), rng.normal(0.5, 0.7, (4000, 1))
    fit = ImportanceFit(train, test, n_basis=50)
    x = np.linspace(-1.5, 2, 50)
    true = norm.pdf(x, 0.5, 0.7) / norm.pdf(x)
    error = np.mean((fit(x[:, None]) - true) ** 2) / np.mean((true - 1) ** 2)
    assert error < 0.03
    assert fit(train).mean() == pytest.approx(1, abs=0.05)


def test_ratio_in_several_dimensions_beats_no_weights():
    rng = np.random.default_rng(5)
    train, test = rng.normal(0, 1, (800, 4)), rng.normal(0.4, 0.9, (400, 4))
    weights = importance(train, test)
    true = np.prod(norm.pdf(train, 0.4, 0.9) / norm.pdf(train), axis=1)
    assert np.mean((weights - true) ** 2) < 0.6 * np.mean((true - 1) ** 2)
    assert np.corrcoef(weights, true)[0, 1] > 0.8


def test_no_shift_gives_nearly_equal_weights():
    rng = np.random.default_rng(6)
    weights = importance(rng.normal(size=(500, 2)), rng.normal(size=(400, 2)))
    assert weights == pytest.approx(np.ones(500), abs=0.45)
    assert weights.std() < 0.15


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    rng = np.random.default_rng(7)
    train, test = rng.normal(0, 1, (80, 2)), rng.normal(0.5, 0.6, (70, 2))
    expected = importance(train, test)
    assert importance(train * scale, test * scale) == pytest.approx(expected, rel=1e-6)


def test_random_state_decides():
    rng = np.random.default_rng(8)
    train, test = rng.normal(0, 1, (80, 2)), rng.normal(0.5, 0.6, (70, 2))
    first, again = (importance(train, test, n_basis=20, random_state=3) for _ in range(2))
    other = importance(train, test, n_basis=20, random_state=4)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_input_stays_as_it_was():
    rng = np.random.default_rng(9)
    train, test = rng.normal(0, 1, (20, 2)), rng.normal(0.5, 0.6, (15, 2))
    copies = train.copy(), test.copy()
    importance(train, test)
    assert np.array_equal(train, copies[0]) and np.array_equal(test, copies[1])


def test_rows_that_are_all_the_same():
    weights = importance(np.ones((5, 2)), np.ones((3, 2)), ridge=1e-3)
    assert weights == pytest.approx(np.ones(5), abs=1e-3)


def test_duplicated_rows_and_a_vanishing_width():
    train = np.array([[0.0], [0.0], [1.0], [1.0], [2.0]])
    test = np.array([[1.0], [1.0], [1.0]])
    weights = importance(train, test, sigma=1e-200, ridge=1e-3)
    assert weights[[0, 1, 4]].tolist() == [0, 0, 0]
    assert (weights[2:4] > 1).all()


def test_samples_that_lie_apart():
    rng = np.random.default_rng(10)
    train, test = rng.normal(0, 1, (30, 2)), rng.normal(0, 1, (30, 2)) + 1e6
    with pytest.raises(ValueError, match="larger sigma"):
        importance(train, test, sigma=1.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sigma": 0.0}, "sigma must be positive"),
        ({"sigma": [1.0, np.nan]}, "sigma must be positive"),
        ({"sigma": []}, "sigma must be positive"),
        ({"ridge": -1.0}, "ridge must be positive"),
        ({"ridge": np.inf}, "ridge must be positive"),
        ({"n_basis": 0}, "n_basis"),
        ({"X_test": np.ones((4, 3))}, "same features"),
        ({"X_test": np.ones((1, 2))}, "X_test|minimum of 2"),
        ({"X_train": np.ones((1, 2))}, "X_train|minimum of 2"),
        ({"X_train": np.full((4, 2), np.nan)}, "X_train contains NaN"),
        ({"X_train": np.ones(4)}, "2D"),
    ],
)
def test_wrong_input(changes, message):
    arguments = {"X_train": np.eye(2), "X_test": np.eye(2), **changes}
    with pytest.raises(ValueError, match=message):
        importance(**arguments)


def test_ratio_wants_the_features_it_was_fitted_with():
    fit = ImportanceFit(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="fitted with 3"):
        fit(np.eye(2))
    assert repr(fit).startswith("ImportanceFit(sigma=")
