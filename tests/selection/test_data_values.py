"""Shapley and Banzhaf values against full enumeration with refits of another library."""

from __future__ import annotations

from itertools import combinations
from math import comb

import joblib
import numpy as np
import pytest
import sklearn.svm
from sklearn.metrics import hinge_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from weightpath.selection.value_games import subset_chains
from weightpath.selection.value_players import Players

N, M = 8, 25
TIGHT = {"tol": 1e-10, "kernel": "rbf", "gamma": 0.5, "C": 2.0}


def data(seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X, X_val = rng.normal(size=(N, 2)), rng.normal(size=(M, 2))
    y = rng.permutation(np.arange(N) % n_classes)
    # Equal rows of one class: of two classes they would tie, and only they, at zero.
    own = np.flatnonzero(y == y[1])
    X[own[0]] = X[own[1]]
    y_val = rng.integers(0, n_classes, size=M)
    return X, y, X_val, y_val


def enumerate_values(worth, n):
    """Return Shapley and Banzhaf values by the definitions, from a function of subsets."""
    table = {s: worth(list(s)) for k in range(n + 1) for s in combinations(range(n), k)}
    shapley, banzhaf = np.zeros(n), np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for k in range(n):
            for s in combinations(others, k):
                gain = table[tuple(sorted((*s, i)))] - table[s]
                shapley[i] += gain / (n * comb(n - 1, k))
                banzhaf[i] += gain / 2 ** (n - 1)
    return shapley, banzhaf


def classifier_worth(X, y, X_val, y_val, weight=None):
    weight = np.ones(len(y)) if weight is None else weight

    def worth(rows):
        rows = [i for i in rows if weight[i] > 0]
        if len(set(y[rows])) < 2:
            return np.mean(y_val == (y[rows[0]] if rows else min(y)))
        model = sklearn.svm.SVC(**TIGHT).fit(X[rows], y[rows], sample_weight=weight[rows])
        return np.mean(model.predict(X_val) == y_val)

    return worth


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_all_subsets_give_the_values_of_the_definition(seed, n_classes):
    X, y, X_val, y_val = data(seed, n_classes)
    expected = enumerate_values(classifier_worth(X, y, X_val, y_val), N)
    for function, values in zip((wp.data_shapley, wp.data_banzhaf), expected, strict=True):
        found = function(wp.SVC(C=2, gamma=0.5), X, y, X_val, y_val, "accuracy", "all")
        assert abs(found.values - values).max() < 1e-12
        assert (found.standard_errors == 0).all()


def test_random_samples_converge_to_them():
    X, y, X_val, y_val = data(3)
    expected = enumerate_values(classifier_worth(X, y, X_val, y_val), N)
    for function, values in zip((wp.data_shapley, wp.data_banzhaf), expected, strict=True):
        found = function(
            wp.SVC(C=2, gamma=0.5), X, y, X_val, y_val, "accuracy", 400, random_state=0
        )
        assert (abs(found.values - values) <= 4.5 * found.standard_errors + 1e-12).all()
        assert 0 < found.standard_errors.max() < 0.02


def test_regression_with_a_continuous_loss():
    X, _, X_val, _ = data(4)
    rng = np.random.default_rng(4)
    y, y_val = rng.normal(size=N), rng.normal(size=M)

    def worth(rows):
        if not rows:
            return -np.mean(y_val**2)
        model = sklearn.svm.SVR(epsilon=0.1, **TIGHT).fit(X[rows], y[rows])
        return -np.mean((model.predict(X_val) - y_val) ** 2)

    expected = enumerate_values(worth, N)
    for function, values in zip((wp.data_shapley, wp.data_banzhaf), expected, strict=True):
        found = function(wp.SVR(C=2, gamma=0.5, epsilon=0.1), X, y, X_val, y_val, "squared", "all")
        assert abs(found.values - values).max() < 1e-6
        assert found.metric == "squared"


def test_quantile_regression_adds_up():
    X, _, X_val, _ = data(5)
    rng = np.random.default_rng(5)
    model = wp.QuantileSVR(C=2, gamma=0.5, quantile=0.3)
    found = wp.data_shapley(
        model, X, rng.normal(size=N), X_val, rng.normal(size=M), "pinball", 30, 0
    )
    assert abs(found.values.sum() - (found.full_worth - found.empty_worth)) < 1e-9


@pytest.mark.parametrize("metric", ["hinge", "auc"])
def test_one_class_and_no_class_are_constants(metric):
    X, y, X_val, y_val = data(6)
    y_val[:2] = 0, 1

    def worth(rows):
        if len(set(y[rows])) < 2:
            value = np.full(M, 1.0 if rows and y[rows[0]] else -1.0)
        else:
            value = sklearn.svm.SVC(**TIGHT).fit(X[rows], y[rows]).decision_function(X_val)
        if metric == "hinge":
            return -hinge_loss(y_val, value, labels=[0, 1])
        above = value[y_val == 1][:, None] - value[y_val == 0]
        return np.mean((above > 1e-6) + 0.5 * (abs(above) <= 1e-6))

    values, _ = enumerate_values(worth, N)
    found = wp.data_shapley(wp.SVC(C=2, gamma=0.5), X, y, X_val, y_val, metric, "all")
    assert abs(found.values - values).max() < 1e-6


def test_weights_and_groups():
    X, y, X_val, y_val = data(7)
    weight = np.array([0.0, 2.0, 1.0, 0.5, 1.0, 3.0, 1.0, 0.2])
    worth = classifier_worth(X, y, X_val, y_val, weight)
    model = wp.SVC(C=2, gamma=0.5)
    given = {"n_permutations": "all", "sample_weight": weight}
    found = wp.data_shapley(model, X, y, X_val, y_val, "accuracy", **given)
    assert abs(found.values - enumerate_values(worth, N)[0]).max() < 1e-12
    assert found.values[0] == 0

    groups = np.array(["b", "a", "c", "a", "b", "c", "c", "a"])
    rows = {k: np.flatnonzero(groups == name) for k, name in enumerate("abc")}
    expected = enumerate_values(lambda s: worth([i for k in s for i in rows[k]]), 3)
    for function, values in zip((wp.data_shapley, wp.data_banzhaf), expected, strict=True):
        found = function(model, X, y, X_val, y_val, "accuracy", groups=groups, **given)
        assert found.players.tolist() == ["a", "b", "c"]
        assert abs(found.values - values).max() < 1e-12
    sampled = wp.data_banzhaf(
        model, X, y, X_val, y_val, "accuracy", 300, 0, groups=groups, sample_weight=weight
    )
    assert (abs(sampled.values - values) <= 4.5 * sampled.standard_errors + 1e-12).all()


def large(n=60):
    toy = wp.datasets.make_toy(n, random_state=0)
    new = wp.datasets.make_toy(80, random_state=1, like=toy)
    return wp.SVC(C=10, gamma=0.5), toy.X, toy.y, new.X, new.y


@pytest.mark.parametrize("function", [wp.data_shapley, wp.data_banzhaf])
def test_the_result_is_the_same_on_one_and_two_threads(function):
    one, two = (function(*large(), "hinge", 12, random_state=1, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one.values == two.values).all()
    assert (one.standard_errors == two.standard_errors).all()


@pytest.mark.second_stage
def test_the_result_is_the_same_in_processes():
    one = wp.data_shapley(*large(), "hinge", 6, random_state=1)
    with joblib.parallel_config("loky", n_jobs=2):
        two = wp.data_shapley(*large(), "hinge", 6, random_state=1)
    assert (one.values == two.values).all()


def test_every_model_of_a_walk_is_a_fit_of_its_own():
    model, X, y, X_val, y_val = large()
    game = Players.of(model, X, y, None, None, None).game(X_val, y_val, "hinge", None, None, None)
    order = np.random.default_rng(0).permutation(len(y))
    values = np.concatenate(list(game.models.walk(order)))[:, :, 0]
    for k in (5, 17, 40, len(y) - 1):
        rows = order[: k + 1]
        fresh = wp.SVC(C=10, gamma=0.5).fit(X[rows], y[rows])
        points = X_val[np.unique(game.point, return_index=True)[1]]
        assert abs(values[k] - fresh.decision_function(points)).max() < 1e-8


def test_truncation_ends_walks_early():
    plain = wp.data_shapley(*large(), "accuracy", 10, 0)
    short = wp.data_shapley(*large(), "accuracy", 10, 0, truncation=0.05)
    assert short.n_steps < plain.n_steps
    none = wp.data_shapley(*large(), "accuracy", 10, 0, truncation=0.0)
    assert none.n_steps <= plain.n_steps


def test_a_pipeline_takes_raw_rows():
    model, X, y, X_val, y_val = large(32)
    scaler = StandardScaler().fit(X)
    pipe = make_pipeline(StandardScaler(), model)
    one = wp.data_shapley(pipe, X, y, X_val, y_val, "accuracy", 5, 0)
    other = wp.data_shapley(
        model, scaler.transform(X), y, scaler.transform(X_val), y_val, "accuracy", 5, 0
    )
    assert (one.values == other.values).all()


def test_a_precomputed_kernel():
    model, X, y, X_val, y_val = large(32)

    def kernel(A):
        return np.exp(-0.5 * ((A[:, None] - X[None]) ** 2).sum(axis=2))

    one = wp.data_shapley(model, X, y, X_val, y_val, "hinge", 5, 0)
    other = wp.data_shapley(
        wp.SVC(C=10, kernel="precomputed"), kernel(X), y, kernel(X_val), y_val, "hinge", 5, 0
    )
    assert abs(one.values - other.values).max() < 1e-9


def test_tables_and_pictures():
    pd = pytest.importorskip("pandas")
    plt = pytest.importorskip("matplotlib.pyplot")
    model, X, y, X_val, y_val = large(20)
    names = [f"row {k}" for k in range(20)]
    found = wp.data_shapley(
        model, pd.DataFrame(X, index=names), y, pd.DataFrame(X_val), y_val, "accuracy", 4, 0
    )
    frame = found.to_frame()
    assert frame.index[0] == names[int(found.values.argmax())]
    assert list(frame.columns) == ["player", "value", "standard_error"]
    assert "Shapley values of 20" in repr(found) and "<table>" in found._repr_html_()
    display = found.plot()
    assert len(display.ax_.patches) == 20
    plt.close(display.figure_)


def test_a_single_permutation_has_no_standard_error():
    found = wp.data_shapley(*large(20), "accuracy", 1, 0)
    assert np.isnan(found.standard_errors).all()


def test_what_is_wrong_is_said():
    model, X, y, X_val, y_val = large(20)
    with pytest.raises(TypeError, match="SVC, SVR or QuantileSVR"):
        wp.data_shapley(wp.Lasso(), X, y, X_val, y_val)
    with pytest.raises(ValueError, match="at most 16"):
        wp.data_shapley(model, X, y, X_val, y_val, "accuracy", "all")
    with pytest.raises(ValueError, match='or "all"'):
        wp.data_banzhaf(model, X, y, X_val, y_val, "accuracy", "many")
    with pytest.raises(ValueError, match="n_permutations"):
        wp.data_banzhaf(model, X, y, X_val, y_val, "accuracy", 0)
    with pytest.raises(ValueError, match="truncation"):
        wp.data_shapley(model, X, y, X_val, y_val, truncation=-1.0)
    with pytest.raises(ValueError, match="groups has shape"):
        wp.data_shapley(model, X, y, X_val, y_val, groups=[1, 2])


def test_chains_have_every_subset_as_a_beginning():
    chains = subset_chains(5)
    beginnings = {tuple(c[:k]) for c in chains for k in range(len(c) + 1)}
    assert len(beginnings) == 2**5
