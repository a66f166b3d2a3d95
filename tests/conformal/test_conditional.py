"""Conditional cutoffs: against bisection with another solver, closed forms and coverage."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import weightpath as wp
from conformal.bisection import bisected_cutoff
from conformal.problems import calibration_problem
from weightpath.conformal import ConditionalConformal

N_PROBLEMS = 200


def assert_equals_bisection(seed):
    """Raise unless the cutoff of a problem is what bisection finds."""
    one = calibration_problem(seed)
    conformal = ConditionalConformal(
        one.kernel, one.gamma, one.C, one.alpha, seed, randomize=one.randomize
    ).fit(one.X, one.scores)
    (cutoff,) = conformal.cutoff(one.x)
    level = one.C * (1 - one.alpha)
    if one.randomize:
        level -= one.C * np.random.RandomState(seed).uniform(size=1)[0]
    n = len(one.scores)
    if level > n * one.C * one.alpha + 1e-12 * one.C:
        assert cutoff == np.inf
    elif level < -n * one.C * (1 - one.alpha):
        assert cutoff == -np.inf
    else:
        judged = bisected_cutoff(one.matrix, one.scores, one.C, one.alpha, level)
        assert abs(cutoff - judged) <= 1e-7 * max(1.0, abs(judged))


@pytest.mark.parametrize("seed", range(20))
def test_cutoffs_equal_bisection(seed):
    assert_equals_bisection(seed)


def test_bisection_notices_a_small_error(monkeypatch):
    plain = ConditionalConformal.cutoff
    monkeypatch.setattr(ConditionalConformal, "cutoff", lambda self, X: plain(self, X) + 1e-5)
    with pytest.raises(AssertionError):
        assert_equals_bisection(0)


@pytest.mark.second_stage
@pytest.mark.parametrize("first", range(20, N_PROBLEMS, 20))
def test_more_cutoffs_equal_bisection(first):
    for seed in range(first, first + 20):
        assert_equals_bisection(seed)


@pytest.mark.parametrize(
    ("n", "alpha"), [(9, 0.1), (19, 0.05), (3, 0.25), (1, 0.5), (99, 0.01), (2, 1 / 3), (24, 0.04)]
)
def test_just_enough_rows(n, alpha):
    # All coefficients of the others are at their bound: the bias is the largest of what is left.
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, scores, x = rng.normal(size=(n, 2)), rng.normal(size=n), rng.normal(size=(3, 2))
        C = 10 ** rng.uniform(-3, 3)
        cutoff = ConditionalConformal("rbf", 0.5, C, alpha).fit(X, scores).cutoff(x)
        values = -C * alpha * rbf_kernel(X, gamma=0.5).sum(axis=1)
        near = rbf_kernel(x, X, gamma=0.5)
        bias = (scores - values - C * (1 - alpha) * near).max(axis=1)
        expected = -C * alpha * near.sum(axis=1) + C * (1 - alpha) + bias
        np.testing.assert_allclose(cutoff, expected, rtol=0, atol=1e-10 * max(1.0, C))


@pytest.mark.parametrize(("n", "alpha"), [(8, 0.1), (18, 0.05), (1, 0.49), (5, 0.1)])
def test_too_few_rows(n, alpha):
    rng = np.random.default_rng(0)
    conformal = ConditionalConformal(gamma=0.5, alpha=alpha)
    conformal.fit(rng.normal(size=(n, 2)), rng.normal(size=n))
    assert (conformal.cutoff(rng.normal(size=(4, 2))) == np.inf).all()


def test_levels_that_cannot_be_balanced():
    rng = np.random.default_rng(0)
    conformal = ConditionalConformal(
        gamma=0.5, C=2.0, alpha=0.8, random_state=0, randomize=True
    ).fit([[0.0], [1.0]], [1.0, 2.0])
    cutoff = conformal.cutoff(rng.normal(size=(400, 1)))
    level = 2.0 * 0.2 - 2.0 * np.random.RandomState(0).uniform(size=400)
    np.testing.assert_array_equal(cutoff == -np.inf, level < -2 * 2.0 * 0.2)
    assert (cutoff == -np.inf).any()
    assert np.isfinite(cutoff).any()


@pytest.mark.parametrize("n", [9, 10, 19, 57, 99])
def test_a_constant_kernel_gives_split_conformal(n):
    # Without any feature that differs, the cutoff is the usual order statistic.
    scores = np.random.default_rng(n).normal(size=n)
    cutoff = ConditionalConformal("linear", alpha=0.1).fit(np.zeros((n, 1)), scores).cutoff([[0.0]])
    rank = int(np.ceil(round((n + 1) * 0.9, 9)))
    assert cutoff[0] == pytest.approx(np.sort(scores)[rank - 1], abs=1e-12)


def test_a_tiny_weight_gives_split_conformal():
    rng = np.random.default_rng(0)
    X, scores = rng.normal(size=(99, 3)), rng.normal(size=99)
    cutoff = ConditionalConformal("rbf", 1.0, 1e-9, 0.1).fit(X, scores).cutoff(X[:5])
    np.testing.assert_allclose(cutoff, np.sort(scores)[89], rtol=0, atol=1e-7)


def test_far_scales_change_nothing_but_units():
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(60, 2)), rng.normal(size=60), rng.normal(size=(4, 2))
    plain = ConditionalConformal("rbf", 0.5, 3.0, 0.1).fit(X, scores).cutoff(x)
    for unit in (1e-8, 1e8):
        found = ConditionalConformal("rbf", 0.5, 3.0 * unit, 0.1).fit(X, scores * unit).cutoff(x)
        np.testing.assert_allclose(found / unit, plain, rtol=1e-8)


def test_a_huge_row_does_not_disturb_the_others():
    # With a linear kernel its values are larger by sixteen orders of magnitude.
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(80, 2)), rng.normal(size=80), rng.normal(size=(5, 2))
    conformal = ConditionalConformal("linear", C=1.0, alpha=0.1).fit(X, scores)
    plain = conformal.cutoff(x)
    with pytest.warns(wp.PrecisionWarning, match="beyond double precision"):
        mixed = conformal.cutoff(np.vstack([x[:2], [[1e8, 0.0]], x[2:]]))
    np.testing.assert_allclose(np.delete(mixed, 2), plain, rtol=0, atol=1e-12)


def test_few_rows_among_many_agree_with_all():
    # A single new row computes kernel columns on demand, many share the whole matrix.
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(200, 2)), rng.normal(size=200), rng.normal(size=(40, 2))
    conformal = ConditionalConformal("rbf", 0.5, 2.0, 0.1).fit(X, scores)
    single = [conformal.cutoff(one[None])[0] for one in x]
    np.testing.assert_allclose(single, conformal.cutoff(x), rtol=0, atol=1e-12)


def test_forms_of_rows_agree():
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(50, 2)), rng.normal(size=50), rng.normal(size=(6, 2))
    plain = ConditionalConformal("rbf", 0.5, 2.0, 0.1).fit(X, scores).cutoff(x)
    sparse = ConditionalConformal("rbf", 0.5, 2.0, 0.1).fit(csr_matrix(X), scores)
    np.testing.assert_allclose(sparse.cutoff(csr_matrix(x)), plain, atol=1e-10)
    own = ConditionalConformal("precomputed", C=2.0, alpha=0.1)
    own.fit(rbf_kernel(X, gamma=0.5), scores)
    rows = np.column_stack([rbf_kernel(x, X, gamma=0.5), np.ones(6)])
    np.testing.assert_allclose(own.cutoff(rows), plain, atol=1e-10)
    with pytest.raises(ValueError, match="with itself: expected 51 columns, got 50"):
        own.cutoff(rows[:, :50])
    several = ConditionalConformal("rbf", 0.5, 2.0, 0.1, n_jobs=2).fit(X, scores)
    np.testing.assert_array_equal(several.cutoff(x), plain)
    np.testing.assert_allclose([several.cutoff(one[None])[0] for one in x], plain, atol=1e-10)


def test_random_levels_are_reproducible():
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(50, 2)), rng.normal(size=50), rng.normal(size=(6, 2))
    one = ConditionalConformal(gamma=0.5, randomize=True, random_state=3).fit(X, scores)
    np.testing.assert_array_equal(one.cutoff(x), one.cutoff(x))
    plain = ConditionalConformal(gamma=0.5, random_state=3).fit(X, scores).cutoff(x)
    assert (one.cutoff(x) <= plain + 1e-12).all()


def test_conventions():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "b"])
    conformal = ConditionalConformal(gamma=0.5)
    with pytest.raises(NotFittedError):
        conformal.cutoff(frame)
    conformal.fit(frame, rng.normal(size=40))
    assert conformal.feature_names_in_.tolist() == ["a", "b"]
    assert conformal.cutoff(frame[:3]).shape == (3,)
    with pytest.raises(ValueError, match="feature names"):
        conformal.cutoff(frame[["b", "a"]])
    with pytest.raises(ValueError, match="features"):
        conformal.cutoff(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="alpha must be a number > 0 and < 1"):
        ConditionalConformal(alpha=1.0).fit(frame, np.zeros(40))
    with pytest.raises(ValueError, match="C must be"):
        ConditionalConformal(C=-1.0).fit(frame, np.zeros(40))


@pytest.mark.second_stage
@pytest.mark.parametrize("randomize", [False, True])
def test_coverage(randomize):
    n_trials, n, alpha = 1000, 60, 0.1
    covered = 0
    for trial in range(n_trials):
        rng = np.random.default_rng(trial)
        X = rng.uniform(-1, 1, (n + 1, 1))
        scores = np.abs(rng.normal(size=n + 1)) * (0.2 + np.abs(X[:, 0]))
        conformal = ConditionalConformal("rbf", 2.0, 1.0, alpha, trial, randomize=randomize)
        (cutoff,) = conformal.fit(X[:n], scores[:n]).cutoff(X[n:])
        covered += scores[n] <= cutoff
    error = np.sqrt(alpha * (1 - alpha) / n_trials)
    assert covered / n_trials >= 1 - alpha - 3 * error
    if randomize:
        assert covered / n_trials <= 1 - alpha + 3 * error


def test_pickles_give_the_same():
    rng = np.random.default_rng(0)
    X, scores, x = rng.normal(size=(50, 2)), rng.normal(size=50), rng.normal(size=(6, 2))
    conformal = ConditionalConformal(gamma=0.5).fit(X, scores)
    plain = conformal.cutoff(x)
    found = pickle.loads(pickle.dumps(conformal))
    np.testing.assert_allclose(found.cutoff(x), plain, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.cutoff(x[:1]), plain[:1], rtol=0, atol=1e-10)
