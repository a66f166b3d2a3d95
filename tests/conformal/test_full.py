"""Full conformal sets: against refits with many targets and with every label."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from conformal.problems import regression_rows
from weightpath.conformal import FullConformal

# How far beside the ends of a set targets are judged, relative to the largest target. Residuals of
# refits tell no smaller distance where they hardly move with the target.
BESIDE = 1e-5


def is_kept(estimator, X, y, x, alpha, targets):
    """Return which targets are kept, by a refit for each."""
    rows, kept = np.vstack([X, x]), []
    for target in targets:
        both = np.append(y, target)
        spread = np.abs(both - clone(estimator).fit(rows, both).predict(rows))
        # Equal residuals are told from smaller ones up to rounding.
        count = np.sum(spread >= spread[-1] - 1e-9 * (1 + np.abs(both).max()))
        kept.append(count / len(both) > alpha + 1e-12)
    return np.array(kept)


def is_inside(intervals, targets):
    return ((intervals[:, :1] <= targets) & (targets <= intervals[:, 1:])).any(axis=0)


def assert_equals_refits(estimator, X, y, x, alpha, targets):
    """Raise unless refits keep the targets inside the set, close to its ends apart.

    Beside the given targets those on both sides of each end of the set are judged.
    """
    (found,) = FullConformal(estimator, alpha).fit(X, y).predict_set(x)
    ends, scale = found[np.isfinite(found)], 1 + np.abs(y).max()
    beside = BESIDE * (scale + np.abs(ends))
    targets = np.concatenate([targets, ends - beside, ends + beside])
    close = np.abs(targets[:, None] - np.append(ends, 1e300)).min(axis=1) < 1e-7 * scale
    expected = is_kept(estimator, X, y, x, alpha, targets)
    wrong = (expected != is_inside(found, targets)) & ~close
    assert not wrong.any(), (found, targets[wrong])
    return found


def estimator_of(kind, rng):
    C, gamma = float(10 ** rng.uniform(-1.5, 1.5)), float(10 ** rng.uniform(-1, 1))
    if kind == "svr":
        return wp.SVR(C=C, gamma=gamma, epsilon=float(rng.choice([0, 0.1, 0.5, 1.5])))
    if kind == "linear svr":
        return wp.SVR(C=C, kernel="linear", epsilon=float(rng.choice([0, 0.1, 0.5, 1.5])))
    if kind == "quantile":
        return wp.QuantileSVR(C=C, gamma=gamma, quantile=float(rng.choice([0.1, 0.5, 0.9])))
    return wp.Lasso(alpha=float(10 ** rng.uniform(-2, 0.3)), fit_intercept=bool(rng.random() < 0.7))


KINDS = ["svr", "linear svr", "quantile", "lasso", "wide lasso"]


def assert_generated_sets_equal_refits(kind, seed, count):
    X, y, x, rng = regression_rows(seed)
    if kind == "wide lasso":
        X, x = rng.normal(size=(len(y), len(y) + 5)), rng.normal(size=(1, len(y) + 5))
    alpha = float(rng.choice([0.1, 0.2, 0.3, 0.5, 0.7]))
    estimator = estimator_of(kind, rng)
    spread = 2 * np.ptp(y) + 3.0
    targets = rng.uniform(y.min() - spread, y.max() + spread, count)
    assert_equals_refits(estimator, X, y, x, alpha, targets)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_sets_equal_refits(kind, seed):
    assert_generated_sets_equal_refits(kind, seed, 30)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [-1e-3, 1e-3])
def test_refits_notice_a_small_error(monkeypatch, kind, error):
    plain = FullConformal.predict_set

    def wider(self, X):
        return [one + error * np.array([-1.0, 1.0]) for one in plain(self, X)]

    monkeypatch.setattr(FullConformal, "predict_set", wider)
    with pytest.raises(AssertionError):
        assert_generated_sets_equal_refits(kind, 0, 30)


@pytest.mark.second_stage
@pytest.mark.parametrize("kind", KINDS)
def test_more_sets_equal_refits(kind):
    for seed in range(100, 140):
        assert_generated_sets_equal_refits(kind, seed, 60)


# Rows at ties: where a duplicate of a margin row stays at the edge of its tube without being on
# the margin, and where events at one theta have no positions to count.
@pytest.mark.parametrize("seed", [132, 340])
def test_ties_of_tubes(seed):
    assert_generated_sets_equal_refits("svr", seed, 80)


@pytest.mark.second_stage
@pytest.mark.parametrize("kind", KINDS)
def test_a_grid_of_10000_refits(kind):
    rng = np.random.default_rng(5)
    X, x = rng.normal(size=(40, 3)), rng.normal(size=(1, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=40)
    estimator = {
        "svr": wp.SVR(C=2.0, gamma=0.3, epsilon=0.4),
        "linear svr": wp.SVR(C=0.5, kernel="linear", epsilon=0.2),
        "quantile": wp.QuantileSVR(C=1.0, gamma=0.3, quantile=0.7),
        "lasso": wp.Lasso(alpha=0.1),
        "wide lasso": wp.Lasso(alpha=0.3),
    }[kind]
    if kind == "wide lasso":
        X, x = rng.normal(size=(40, 60)), rng.normal(size=(1, 60))
    assert_equals_refits(estimator, X, y, x, 0.2, np.linspace(-6, 6, 10_000))


def test_a_set_of_several_intervals():
    # A wide tube: targets at its edges are kept, those of a middling residual are not.
    found = []
    for seed in range(60):
        X, y, x, rng = regression_rows(seed, n=12)
        estimator = wp.SVR(C=30.0, gamma=3.0, epsilon=0.8)
        found.append(FullConformal(estimator, 0.45).fit(X, y).predict_set(x)[0])
        if len(found[-1]) > 1:
            assert_equals_refits(estimator, X, y, x, 0.45, rng.uniform(-6, 6, 200))
    assert max(map(len, found)) > 1


def test_everything_is_kept_with_few_rows():
    X, y = np.random.default_rng(0).normal(size=(8, 2)), np.arange(8.0)
    for estimator in (wp.SVR(gamma=0.5), wp.QuantileSVR(gamma=0.5), wp.Lasso(alpha=0.1)):
        conformal = FullConformal(estimator, 0.1).fit(X, y)
        np.testing.assert_array_equal(conformal.predict_interval(X[:2]), [[-np.inf, np.inf]] * 2)
    labels = FullConformal(wp.SVC(gamma=0.5), 0.1).fit(X, y > 3)
    assert [one.tolist() for one in labels.predict_set(X[:2])] == [[False, True]] * 2


def test_a_quantile_that_one_row_decides():
    # Five rows cannot balance the upper bound of the new one: it is fitted exactly for ever.
    X, y = np.random.default_rng(0).normal(size=(5, 2)), np.arange(5.0)
    estimator = wp.QuantileSVR(C=1.0, gamma=0.5, quantile=0.9)
    ((low, high),) = FullConformal(estimator, 0.4).fit(X, y).predict_interval(X[:1] + 0.1)
    assert np.isfinite(low)
    assert high == np.inf


def test_an_unbounded_set_of_a_lasso():
    # With more features than rows the residuals stop growing: all large targets stay, or none.
    rng = np.random.default_rng(3)
    X, y, x = rng.normal(size=(10, 30)), rng.normal(size=10), rng.normal(size=(1, 30))
    found = assert_equals_refits(wp.Lasso(alpha=0.2), X, y, x, 0.3, rng.uniform(-300, 300, 200))
    assert np.isinf(found).any()


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("kind", ["svr", "quantile", "lasso"])
def test_units_of_targets(kind, unit):
    X, y, x, _ = regression_rows(7, n=30)
    estimator = {
        "svr": lambda s: wp.SVR(C=2.0 * s, gamma=0.5, epsilon=0.3 * s),
        "quantile": lambda s: wp.QuantileSVR(C=2.0 * s, gamma=0.5, quantile=0.6),
        "lasso": lambda s: wp.Lasso(alpha=0.1 * s),
    }[kind]
    plain, scaled = (
        FullConformal(estimator(s), 0.15).fit(X, y * s).predict_set(x)[0] for s in (1.0, unit)
    )
    np.testing.assert_allclose(scaled / unit, plain, rtol=1e-8)


@pytest.mark.parametrize("seed", range(25))
def test_label_sets_equal_refits(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(6, 30)), int(rng.choice([2, 2, 3]))
    X = rng.normal(size=(n, 2)) if rng.random() < 0.5 else rng.integers(0, 3, (n, 2)) * 1.0
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    x = X[:2] if rng.random() < 0.4 else rng.normal(size=(2, 2))
    alpha = float(rng.choice([0.1, 0.2, 0.4]))
    estimator = wp.SVC(
        C=float(10 ** rng.uniform(-1, 2)),
        gamma=float(10 ** rng.uniform(-1, 1)),
        decision_function_shape="ovo",
        class_weight=None if rng.random() < 0.7 else "balanced",
    )
    names = np.array(["a", "b", "c"])
    found = FullConformal(estimator, alpha).fit(X, names[y]).predict_set(x)
    for row, labels in zip(x, found, strict=True):
        kept = [
            label
            for label in range(n_classes)
            if label_is_kept(estimator, np.vstack([X, row]), np.append(y, label), alpha)
        ]
        assert labels.tolist() == names[kept].tolist()


def label_is_kept(estimator, X, y, alpha):
    values = clone(estimator).fit(X, y).decision_function(X).reshape(len(y), -1)
    if values.shape[1] == 1:
        values = -values
    pairs = [(a, b) for a in range(y.max() + 1) for b in range(a + 1, max(2, y.max() + 1))]
    pairs = [(0, 1)] if values.shape[1] == 1 else pairs
    score = np.full(len(y), -np.inf)
    for k, (first, second) in enumerate(pairs):
        for label, sign in ((first, 1), (second, -1)):
            own = y == label
            score[own] = np.maximum(score[own], 1 - sign * values[own, k])
    return np.sum(score >= score[-1] - 1e-8) / len(y) > alpha + 1e-12


def test_a_duplicate_is_as_strange_as_its_twin():
    # The new row and its twin have one score, added up in another order.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(9, 2)), np.repeat([0, 1, 1], 3)
        # The new row with the label of its twin: at least two scores are as large as its own.
        found = FullConformal(wp.SVC(C=5.0, gamma=0.5), 0.19).fit(X, y).predict_set(X)
        assert all(label in labels for label, labels in zip(y, found, strict=True))


def test_forms_of_rows_agree():
    rng = np.random.default_rng(0)
    X, x = rng.normal(size=(30, 2)), rng.normal(size=(3, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=30)
    plain = FullConformal(wp.SVR(C=2.0, gamma=0.5), 0.1).fit(X, y).predict_interval(x)
    sparse = FullConformal(wp.SVR(C=2.0, gamma=0.5), 0.1).fit(csr_matrix(X), y)
    np.testing.assert_allclose(sparse.predict_interval(csr_matrix(x)), plain, atol=1e-9)
    own = FullConformal(wp.SVR(C=2.0, kernel="precomputed"), 0.1).fit(rbf_kernel(X, gamma=0.5), y)
    rows = np.column_stack([rbf_kernel(x, X, gamma=0.5), np.ones(3)])
    np.testing.assert_allclose(own.predict_interval(rows), plain, atol=1e-9)
    frame = pd.DataFrame(X, columns=["a", "b"])
    named = FullConformal(wp.SVR(C=2.0, gamma=0.5), 0.1).fit(frame, y)
    assert named.feature_names_in_.tolist() == ["a", "b"]
    found = named.predict_interval(pd.DataFrame(x, columns=["a", "b"]))
    np.testing.assert_allclose(found, plain, atol=1e-9)
    with pytest.raises(ValueError, match="feature names"):
        named.predict_interval(pd.DataFrame(x, columns=["b", "a"]))


@pytest.mark.parametrize("last", [wp.SVR(gamma=0.5), wp.Lasso(alpha=0.05)])
def test_pipelines_keep_their_transformers(last):
    rng = np.random.default_rng(0)
    X, x = 5.0 + 3.0 * rng.normal(size=(40, 3)), 5.0 + 3.0 * rng.normal(size=(3, 3))
    y = X[:, 0] + rng.normal(size=40)
    scaler = StandardScaler().fit(X)
    expected = FullConformal(last, 0.1).fit(scaler.transform(X), y)
    found = FullConformal(make_pipeline(StandardScaler(), last), 0.1).fit(X, y)
    np.testing.assert_allclose(
        found.predict_interval(x), expected.predict_interval(scaler.transform(x)), atol=1e-9
    )
    np.testing.assert_allclose(found.predict(x), expected.predict(scaler.transform(x)))


def test_conventions():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    conformal = FullConformal(wp.SVR(gamma=0.5), alpha=0.2)
    assert clone(conformal).get_params()["estimator__gamma"] == 0.5
    with pytest.raises(NotFittedError):
        conformal.predict_set(X)
    assert not hasattr(conformal.estimator, "support_")
    conformal.fit(X, y)
    assert not hasattr(conformal.estimator, "support_")
    with pytest.raises(ValueError, match="features"):
        conformal.predict_interval(np.zeros((2, 3)))
    with pytest.raises(TypeError, match="one of SVR, QuantileSVR, Lasso, SVC of weightpath"):
        FullConformal(LinearRegression()).fit(X, y)
    with pytest.raises(TypeError, match="one of SVR"):
        FullConformal(wp.SVR).fit(X, y)
    with pytest.raises(ValueError, match="alpha must be"):
        FullConformal(wp.SVR(), alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match="ridge=0"):
        FullConformal(wp.SVR(ridge=0.1), 0.2).fit(X, y)
    with pytest.raises(ValueError, match="alpha > 0"):
        FullConformal(wp.Lasso(alpha=0.0), 0.2).fit(X, y)
    with pytest.raises(ValueError, match="one epsilon"):
        FullConformal(wp.SVR(epsilon=np.linspace(0, 1, 20)), 0.2).fit(X, y)
    with pytest.raises(TypeError, match="use predict_set"):
        FullConformal(wp.SVC(), 0.2).fit(X, y > 9).predict_interval(X)


@pytest.mark.parametrize(
    "estimator", [wp.SVR(gamma=0.5, epsilon=0.8), wp.QuantileSVR(gamma=0.5), wp.Lasso(alpha=0.1)]
)
def test_pickles_and_copies_give_the_same(estimator):
    X, y, x, _ = regression_rows(3, n=30)
    conformal = FullConformal(estimator, 0.15).fit(X, y)
    plain = conformal.predict_interval(x)
    for other in (pickle.loads(pickle.dumps(conformal)), copy.deepcopy(conformal)):
        np.testing.assert_allclose(other.predict_interval(x), plain, rtol=0, atol=1e-10)
