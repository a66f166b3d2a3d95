"""Curves at isolated theta of a path: every metric at the decision values there."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import (
    hinge_loss,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    zero_one_loss,
)

import weightpath as wp
from judges.rank_metrics import judge_metric
from weightpath.metrics import trace_curve
from weightpath.path import SolutionPath

ISOLATED = (0.0, 0.3, 0.625, 1.0)

RANKED = [
    ("auc", {}),
    ("average_precision", {}),
    ("ndcg", {}),
    ("ndcg", {"k": 7, "convention": "exponential"}),
    ("ndcg", {"k": 10, "convention": "paper"}),
    ("precision_at_k", {"k": 5}),
]


def distorted(values):
    """Quite other values than those of the path, many of them equal and some of them zero."""
    return np.round(0.3 - 2 * values) / 2


def isolate(monkeypatch, theta, change):
    """Give paths isolated theta, at which their decision values are changed ones."""
    plain = SolutionPath.subproblem_values

    def decision_function(self, X, at):
        values = plain(self, X, at)
        if np.ndim(at) == 0:
            return change(values) if at in theta else values
        hit = np.isin(at, theta).reshape(-1, *[1] * (values.ndim - 1))
        return np.where(hit, change(values), values)

    monkeypatch.setattr(SolutionPath, "subproblem_values", decision_function)
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: np.array(theta)))


@pytest.fixture(scope="module")
def toy():
    data = wp.datasets.make_toy(100, random_state=0)
    model = wp.SVC(C=10, gamma=0.5).fit(data.X, data.y, sample_weight=data.w_old)
    new = wp.datasets.make_toy(60, random_state=1, like=data)
    return model.reweight(data.w_new), new.X, new.y


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    y = y / 50
    rng = np.random.default_rng(1)
    model = wp.SVR(C=10.0, epsilon=0.25, gamma=5.0).fit(X[:100], y[:100])
    return model.reweight(rng.integers(0, 4, 100)), X[100:160], y[100:160]


def check(monkeypatch, sample, metric, value_at, **options):
    """Compare a curve with the values at its isolated theta, and with the curve without them."""
    path, X, y = sample
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: np.empty(0)))
    plain = path.curve(X, y, metric, **options)
    assert plain.point_theta.size == 0
    isolate(monkeypatch, ISOLATED, distorted)
    curve = path.curve(X, y, metric, **options)
    for theta in ISOLATED:
        expected = value_at(path.decision_function(X, theta), y)
        assert curve(theta) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert set(curve.point_theta) <= set(ISOLATED) and curve.point_theta.size >= 2
    assert np.array_equal(curve.edges, plain.edges)
    assert np.array_equal(curve.coefficients, plain.coefficients)
    assert curve.metric == metric and curve.greater_is_better == plain.greater_is_better
    theta = np.linspace(0.001, 0.999, 300)
    assert np.array_equal(curve(theta), plain(theta))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["zero_one", "hinge"])
def test_two_classes(monkeypatch, toy, metric, weighted):
    weight = np.random.default_rng(0).random(len(toy[2])) if weighted else None

    def value_at(f, y):
        if metric == "hinge":
            return hinge_loss(y, f, sample_weight=weight)
        return zero_one_loss(y, np.where(f > 0, 1, -1), sample_weight=weight)

    check(monkeypatch, toy, metric, value_at, sample_weight=weight)


@pytest.mark.parametrize(
    ("metric", "theirs", "options"),
    [
        ("squared", mean_squared_error, {}),
        ("absolute", mean_absolute_error, {}),
        ("pinball", lambda y, f: mean_pinball_loss(y, f, alpha=0.2), {"quantile": 0.2}),
        ("epsilon_insensitive", lambda y, f: np.maximum(0, np.abs(y - f) - 0.25).mean(), {}),
        (
            "epsilon_insensitive",
            lambda y, f: np.maximum(0, np.abs(y - f) - 1).mean(),
            {"epsilon": 1},
        ),
    ],
)
def test_regression(monkeypatch, diabetes, metric, theirs, options):
    check(monkeypatch, diabetes, metric, lambda f, y: theirs(y, f), **options)


@pytest.mark.parametrize(("metric", "options"), RANKED)
@pytest.mark.parametrize("queries", [False, True])
def test_orders_with_ties(monkeypatch, toy, metric, options, queries):
    qid = np.arange(len(toy[2])) % 3 if queries else None

    def value_at(f, y):
        return judge_metric(metric, y == 1, f, query=qid, **options)

    check(monkeypatch, toy, metric, value_at, qid=qid, **options)


def test_rows_that_are_equal_are_tied(monkeypatch, toy):
    path, X, y = toy
    X, y = np.vstack((X, X)), np.append(y, -y)
    isolate(monkeypatch, (0.5,), lambda values: values + 1e-17)
    curve = path.curve(X, y, "auc")
    assert curve.values.tolist() == [0.5] and curve.point_theta.size == 0


@pytest.mark.parametrize(("metric", "options"), RANKED)
def test_another_bias_does_not_change_an_order(monkeypatch, toy, metric, options):
    path, X, y = toy
    isolate(monkeypatch, ISOLATED, lambda values: values + 0.25)
    assert path.curve(X, y, metric, **options).point_theta.size == 0
    assert path.curve(X, y, "zero_one").point_theta.size > 0


def test_the_value_of_the_curve_makes_no_point(monkeypatch, toy, diabetes):
    isolate(monkeypatch, ISOLATED, lambda values: values * (1 + 1e-15))
    for (path, X, y), metric in [(toy, "zero_one"), (toy, "hinge"), (diabetes, "squared")]:
        assert path.curve(X, y, metric).point_theta.size == 0


def test_votes_of_a_real_path(monkeypatch):
    X, y = load_iris(return_X_y=True)
    path = wp.SVC(gamma=0.5).fit(X[::2], y[::2]).reweight(1.0 + np.arange(75) % 3)

    def value_at(f, y):
        votes = np.zeros((len(y), 3))
        for p, (first, second) in enumerate(path.pairs):
            votes[np.arange(len(y)), np.where(f[:, p] > 0, first, second)] += 1
        return np.mean(votes.argmax(axis=1) != y)

    check(monkeypatch, (path, X[1::2], y[1::2]), "zero_one", value_at)


@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(2, 4), n_rows=st.integers(1, 5))
def test_labels_of_integers(handmade, seed, n_classes, n_rows):
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(n_classes), 2))
    parts = [handmade.random_part(rng, n_rows, 3) for _ in pairs]
    marks = np.concatenate(([0.0, 1.0], rng.random(2), parts[0][0][1:2]))
    isolated = {
        float(theta): rng.integers(-1, 2, (n_rows, len(pairs))).astype(float) for theta in marks
    }
    path = handmade.path(
        parts,
        classes=range(n_classes),
        pairs=pairs if n_classes > 2 else None,
        isolated=isolated,
    )
    X, y = np.arange(float(n_rows))[:, None], rng.integers(0, n_classes, n_rows)
    weight = np.append(rng.random(n_rows - 1), 0.5)
    curve = trace_curve(path, X, y, "zero_one", sample_weight=weight)
    for theta, values in isolated.items():
        if n_classes == 2:
            label = (values[:, 0] > 0).astype(int)
        else:
            votes = np.zeros((n_rows, n_classes))
            for p, pair in enumerate(pairs):
                votes[np.arange(n_rows), np.where(values[:, p] > 0, *pair)] += 1
            label = votes.argmax(axis=1)
        expected = weight @ (label != y) / weight.sum()
        assert curve(theta) == pytest.approx(expected, abs=1e-14)


def test_the_start_may_be_the_best_place(monkeypatch, toy):
    path, X, y = toy
    truth = dict(zip(map(bytes, X), y, strict=True))
    plain = SolutionPath.subproblem_values

    def perfect(self, rows, at):
        values = plain(self, rows, at)
        return np.array([truth[bytes(row)] for row in rows]) * 1.0 if at == 0 else values

    monkeypatch.setattr(SolutionPath, "subproblem_values", perfect)
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: np.zeros(1)))
    curve = path.curve(X, y, "zero_one")
    assert curve.best == (0.0, 0.0, (0.0, 0.0)) and curve(1e-12) > 0


def test_values_are_asked_for_at_isolated_theta_only(monkeypatch, toy):
    path, X, y = toy
    asked = []
    plain = SolutionPath.subproblem_values

    def counted(self, rows, at):
        asked.append(at)
        return plain(self, rows, at)

    monkeypatch.setattr(SolutionPath, "subproblem_values", counted)
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: np.empty(0)))
    path.curve(X, y, "zero_one")
    assert asked == []
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: np.array([0.25])))
    path.curve(X, y, "zero_one")
    assert asked == [0.25]
