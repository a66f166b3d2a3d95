"""Influence equals the metric of a model without the instance minus that of the model."""

from __future__ import annotations

import numpy as np
import pytest
from estimators.regression_samples import noisy
from estimators.samples import KINDS, Kind, fingerprint, overlapping, plain_rbf, random_weights
from sklearn.exceptions import NotFittedError
from sklearn.metrics import (
    average_precision_score,
    hinge_loss,
    mean_absolute_error,
    mean_pinball_loss,
    mean_squared_error,
    ndcg_score,
    roc_auc_score,
    zero_one_loss,
)

import weightpath as wp
from selection.refits import values

JUDGES = {
    "zero_one": lambda y, f, w: zero_one_loss(y, f > 0, sample_weight=w),
    "hinge": lambda y, f, w: hinge_loss(y, f, sample_weight=w),
    "auc": lambda y, f, w: roc_auc_score(y, f, sample_weight=w),
    "average_precision": lambda y, f, w: average_precision_score(y, f, sample_weight=w),
    "squared": lambda y, f, w: mean_squared_error(y, f, sample_weight=w),
    "absolute": lambda y, f, w: mean_absolute_error(y, f, sample_weight=w),
    "pinball": lambda y, f, w: mean_pinball_loss(y, f, sample_weight=w, alpha=0.5),
    "epsilon_insensitive": lambda y, f, w: np.average(
        np.maximum(0.0, np.abs(y - f) - 0.1), weights=w
    ),
}
CLASSIFICATION = ("zero_one", "hinge", "auc", "average_precision")
REGRESSION = ("squared", "absolute", "pinball", "epsilon_insensitive")


def changes(model, X, y, X_val, judge, sets):
    """Remove each set from a new fit, and judge it by scikit-learn."""
    found = []
    before = judge(values(model.fit(X, y), X_val))
    for rows in sets:
        other = model.fit(X, y)
        other.remove(rows)
        found.append(judge(values(other, X_val)) - before)
    model.fit(X, y)
    return np.array(found), before


@pytest.mark.parametrize("metric", CLASSIFICATION)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_classification(metric, kernel):
    X, y = overlapping(80, seed=0)
    X, X_val, y, y_val = X[:50], X[50:], y[:50], y[50:]
    weight = random_weights(30, 1, zeros=0.2)
    model = wp.SVC(C=2.0, kernel=kernel, gamma=0.4)
    rows = list(np.arange(0, 50, 4)[:, None])
    expected, before = changes(
        model, X, y, X_val, lambda f: JUDGES[metric](y_val, f[:, 0], weight), rows
    )
    found = wp.influence(model, X_val, y_val, metric, sample_weight=weight, indices=range(0, 50, 4))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    assert abs(found.metric_value - before) < 1e-12
    assert found.greater_is_better == (metric in ("auc", "average_precision"))
    idle = ~np.isin(found.removed, model.support_)
    assert idle.any() and (found.values[idle] == 0).all()
    assert np.abs(found.values).max() > 0
    assert found.n_paths == np.count_nonzero(~idle)


@pytest.mark.parametrize("metric", REGRESSION)
@pytest.mark.parametrize(
    "model",
    [wp.SVR(C=2.0, gamma=0.4), wp.QuantileSVR(C=2.0, gamma=0.4), wp.Lasso(alpha=0.05)],
    ids=str,
)
def test_regression(metric, model):
    X, y = noisy(60, seed=3)
    X, X_val, y, y_val = X[:36], X[36:], y[:36], y[36:]
    weight = random_weights(24, 1)
    rows = list(np.arange(0, 36, 4)[:, None])
    expected, _ = changes(
        model, X, y, X_val, lambda f: JUDGES[metric](y_val, f[:, 0], weight), rows
    )
    options = {"epsilon": 0.1} if metric == "epsilon_insensitive" else {}
    found = wp.influence(
        model, X_val, y_val, metric, indices=range(0, 36, 4), sample_weight=weight, **options
    )
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)


def test_parameters_of_losses_come_from_the_model():
    X, y = noisy(40, seed=1)
    tube = wp.SVR(epsilon=0.3).fit(X, y)
    default = wp.influence(tube, X, y, "epsilon_insensitive").values
    assert np.array_equal(
        default, wp.influence(tube, X, y, "epsilon_insensitive", epsilon=0.3).values
    )
    model = wp.QuantileSVR(quantile=0.2).fit(X, y)
    found = wp.influence(model, X, y, "pinball")
    assert abs(found.metric_value - mean_pinball_loss(y, model.predict(X), alpha=0.2)) < 1e-12


@pytest.mark.parametrize("break_ties", [False, True])
def test_several_classes(break_ties):
    X, y = overlapping(90, n_classes=3, seed=2)
    X, X_val, y, y_val = X[:45], X[45:], y[:45], y[45:]
    model = wp.SVC(C=2.0, gamma=0.4, break_ties=break_ties).fit(X, y)
    found = wp.influence(model, X_val, y_val, "zero_one")
    before = zero_one_loss(y_val, model.predict(X_val))
    assert abs(found.metric_value - before) < 1e-12
    for i in range(0, 45, 4):
        other = wp.SVC(C=2.0, gamma=0.4, break_ties=break_ties).fit(X, y)
        other.remove(i)
        after = zero_one_loss(y_val, other.predict(X_val))
        assert abs(found.values[i] - (after - before)) < 1e-12


@pytest.mark.parametrize("convention", [None, "sklearn"])
@pytest.mark.parametrize("k", [None, 5])
def test_graded_relevance_in_queries(convention, k):
    X, y = noisy(90, seed=5)
    X, X_val, y, y_val = X[:40], X[40:], y[:40], y[40:]
    grade = np.digitize(y_val, [-0.5, 0.5, 1.0])
    qid = np.repeat([3, 1, 2], [15, 25, 10])

    def judge(f):
        return np.mean(
            [ndcg_score([grade[qid == q]], [f[qid == q, 0]], k=k) for q in np.unique(qid)]
        )

    model = wp.SVR(C=2.0, gamma=0.4)
    expected, before = changes(model, X, y, X_val, judge, list(np.arange(8)[:, None]))
    found = wp.influence(
        model, X_val, grade, "ndcg", qid=qid, k=k, convention=convention, indices=range(8)
    )
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)
    assert abs(found.metric_value - before) < 1e-12


@pytest.mark.parametrize("metric", ["auc", "average_precision", "ndcg", "precision_at_k"])
@pytest.mark.parametrize("convention", ["sklearn", "paper", "exponential"])
def test_ranks_as_on_curves(metric, convention):
    # Validation rows twice: their scores tie.
    X, y = overlapping(60, seed=8)
    X, X_val, y, y_val = X[:30], X[30:], y[:30], y[30:]
    X_val, y_val = np.vstack([X_val, X_val]), np.append(y_val, 1 - y_val[::-1])
    options: dict = {"qid": np.arange(60) % 3}
    if metric == "ndcg":
        options["convention"] = convention
    if metric in ("ndcg", "precision_at_k"):
        options["k"] = 4
    model = wp.SVC(C=2.0, gamma=0.4).fit(X, y)
    found = wp.influence(model, X_val, y_val, metric, **options)
    for i in range(0, 30, 5):
        other = wp.SVC(C=2.0, gamma=0.4).fit(X, y)
        curve = other.remove(i).curve(X_val, y_val, metric, **options)
        assert abs(float(curve(0.0)) - found.metric_value) < 1e-12
        assert abs(float(curve(1.0)) - found.metric_value - found.values[i]) < 1e-12


def test_one_class():
    X, _ = overlapping(60, seed=4)
    X_val = np.vstack([X[40:], 4.0 * np.random.default_rng(0).normal(size=(20, 3))])
    y_val = np.repeat([1, -1], 20)
    model = wp.OneClassSVM(nu=0.3, gamma=0.4)
    expected, _ = changes(
        model,
        X[:40],
        None,
        X_val,
        lambda f: roc_auc_score(y_val, f[:, 0]),
        list(np.arange(0, 40, 5)[:, None]),
    )
    found = wp.influence(model, X_val, y_val, "auc", indices=range(0, 40, 5))
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_groups(class_weight):
    X, y = overlapping(80, seed=6)
    X, X_val, y, y_val = X[:50], X[50:], y[:50], y[50:]
    groups = np.array(["u", "v", "w", "x"])[np.random.default_rng(1).integers(0, 4, 50)]
    model = wp.SVC(C=2.0, gamma=0.4, class_weight=class_weight)
    names = np.unique(groups)
    expected, _ = changes(
        model,
        X,
        y,
        X_val,
        lambda f: hinge_loss(y_val, f[:, 0]),
        [np.flatnonzero(groups == name) for name in names],
    )
    found = wp.influence(model, X_val, y_val, "hinge", groups=groups)
    np.testing.assert_array_equal(found.removed, names)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_training_matrix(name):
    kind = Kind(name)
    X, y = overlapping(60, seed=5)
    X, X_val, y, y_val = X[:40], X[40:], y[:40], y[40:]
    dense = wp.influence(Kind("dense").model().fit(X, y), X_val, y_val, "hinge")
    points = plain_rbf(X_val, X) if name == "precomputed" else kind.points(X_val, X)
    found = wp.influence(kind.model().fit(kind.training(X), y), points, y_val, "hinge")
    np.testing.assert_allclose(found.values, dense.values, rtol=0, atol=1e-9)


def test_order_and_frame():
    X, y = overlapping(60, seed=0)
    model = wp.SVC(C=2.0).fit(X[:40], y[:40])
    for metric in ("hinge", "auc"):
        found = wp.influence(model, X[40:], y[40:], metric)
        helpful = found.values[found.order] * (-1 if metric == "auc" else 1)
        assert (np.diff(helpful) <= 0).all() and helpful[0] > 0 > helpful[-1]
        frame = found.to_frame()
        np.testing.assert_array_equal(frame["change"], found.values[found.order])
        np.testing.assert_array_equal(frame["removed"], found.removed[found.order])


@pytest.mark.parametrize("model", [wp.SVC(C=2.0), wp.Lasso(alpha=0.01)], ids=str)
def test_threads_change_no_bit_and_nothing_changes_the_model(model):
    X, y = overlapping(90, seed=9)
    model = model.fit(X[:60], y[:60])
    metric = "hinge" if isinstance(model, wp.SVC) else "squared"
    before = fingerprint(model)
    one = wp.influence(model, X[60:], y[60:], metric)
    two = wp.influence(model, X[60:], y[60:], metric, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    assert fingerprint(model) == before


def test_wrong_input():
    X, y = overlapping(30, seed=0)
    with pytest.raises(NotFittedError):
        wp.influence(wp.SVC(), X, y, "zero_one")
    model = wp.SVC().fit(X, y)
    for metric, options, words in (
        ("squared", {}, "possible here: 'zero_one', 'hinge'"),
        ("hinge", {"k": 3}, "takes no k"),
        ("auc", {"epsilon": 3}, "takes no epsilon"),
        ("precision_at_k", {}, "needs k="),
        ("ndcg", {"convention": "other"}, "convention must be one of"),
        ("zero_one", {"sample_weight": np.zeros(30)}, "zero everywhere"),
        ("zero_one", {"indices": [0], "groups": y}, "not both"),
    ):
        with pytest.raises(ValueError, match=words):
            wp.influence(model, X, y, metric, **options)
    with pytest.raises(TypeError, match="Unknown option"):
        wp.influence(model, X, y, "hinge", depth=3)
    with pytest.raises(ValueError, match="does not know"):
        wp.influence(model, X, y + 5, "zero_one")
    with pytest.raises(ValueError, match="is not defined here"):
        wp.influence(model, X[y == 0], y[y == 0], "auc")
    with pytest.raises(ValueError, match="two kinds of rows"):
        wp.influence(wp.SVR().fit(X, y), X, X[:, 0], "auc")
    with pytest.raises(ValueError, match="needs epsilon="):
        wp.influence(wp.Lasso().fit(X, y), X, X[:, 0], "epsilon_insensitive")
