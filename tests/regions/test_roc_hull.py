"""The hull of all operating points, against grids of class weights and refits."""

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp


def rates(model, X, y, threshold, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    above = model.decision_function(X) > threshold
    return tuple((weight * above * (y == c)).sum() / weight[y == c].sum() for c in (-1, 1))


def is_hull(hull):
    slope = np.diff(hull.tpr) / np.maximum(np.diff(hull.fpr), 1e-300)
    return (np.diff(slope) < 0).all() and hull.fpr[0] == 0 and hull.tpr[-1] == 1


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("weighted", [False, True])
def test_hull_is_above_all_models_and_vertices_are_refits(seed, weighted):
    toy = wp.datasets.make_toy(60, random_state=seed)
    new = wp.datasets.make_toy(80, random_state=seed + 10)
    weight = np.random.default_rng(seed).integers(1, 5, 80).astype(float) if weighted else None
    model = wp.SVC(C=5, gamma=0.5).fit(toy.X, toy.y)
    hull = wp.roc_hull(model, new.X, new.y, sample_weight=weight)
    assert is_hull(hull)
    # Never below the ROC curve of any weights, the equal ones among them.
    for share in (0.5, 0.01, 0.99, *np.random.default_rng(seed).random(20)):
        weights = {-1: 2 * (1 - share), 1: 2 * share}
        other = wp.SVC(C=5, gamma=0.5, class_weight=weights).fit(toy.X, toy.y)
        scores = other.decision_function(new.X)
        fpr, tpr, _ = roc_curve(new.y, scores, sample_weight=weight, drop_intermediate=False)
        assert (np.interp(fpr, hull.fpr, hull.tpr) >= tpr - 1e-9).all()
    # Every vertex is what a fit from scratch gives at its weights and threshold.
    for k in range(1, len(hull) - 1):
        fit = wp.SVC(C=5, gamma=0.5, class_weight=hull.class_weight[k]).fit(toy.X, toy.y)
        found = rates(fit, new.X, new.y, hull.threshold[k], weight)
        assert found == pytest.approx((hull.fpr[k], hull.tpr[k]), abs=1e-12)
        assert rates(hull.model_at(k), new.X, new.y, hull.threshold[k], weight) == found


def test_thresholds_alone():
    toy = wp.datasets.make_toy(60, random_state=0)
    model = wp.SVC(C=5, gamma=0.5, class_weight={1: 7}).fit(toy.X, toy.y)
    hull = wp.roc_hull(model, toy.X, toy.y)
    equal = wp.SVC(C=5, gamma=0.5).fit(toy.X, toy.y)
    fpr, tpr, _ = roc_curve(toy.y, equal.decision_function(toy.X), drop_intermediate=False)
    area = auc(fpr, tpr)
    assert hull.auc_of_thresholds == pytest.approx(area, abs=0.02)
    assert hull.auc >= hull.auc_of_thresholds
    # The model stays where it was.
    assert model.class_weight_.tolist() == [1.0, 7.0]


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_have_no_threshold_between_them(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(50, 2)).astype(float)
    y = np.where(rng.random(50) < 0.5, -1, 1)
    model = wp.SVC(C=1, gamma=0.5).fit(X, y)
    hull = wp.roc_hull(model, X, y)
    assert is_hull(hull)
    for k in range(1, len(hull) - 1):
        fit = wp.SVC(C=1, gamma=0.5, class_weight=hull.class_weight[k]).fit(X, y)
        found = rates(fit, X, y, hull.threshold[k])
        assert found == pytest.approx((hull.fpr[k], hull.tpr[k]), abs=1e-12)


@pytest.mark.parametrize("C", [1e-3, 1e2, 1e4])
def test_far_weights(C):
    toy = wp.datasets.make_toy(40, random_state=1)
    new = wp.datasets.make_toy(40, random_state=2)
    model = wp.SVC(C=C, gamma=0.5).fit(toy.X, toy.y)
    hull = wp.roc_hull(model, new.X, new.y)
    for share in (1e-7, 1e-4, 0.3, 0.999):
        weights = {-1: 2 * (1 - share), 1: 2 * share}
        other = wp.SVC(C=C, gamma=0.5, class_weight=weights).fit(toy.X, toy.y)
        fpr, tpr, _ = roc_curve(new.y, np.round(other.decision_function(new.X), 13))
        assert (np.interp(fpr, hull.fpr, hull.tpr) >= tpr - 1e-9).all()


def test_pipeline_frame_and_names():
    toy = wp.datasets.make_toy(60, random_state=0)
    words = np.where(toy.y > 0, "spam", "ham")
    pipe = make_pipeline(StandardScaler(), wp.SVC(C=5)).fit(100 + 20 * toy.X, words)
    hull = wp.roc_hull(pipe, 100 + 20 * toy.X, words)
    table = hull.to_frame()
    assert len(table) == len(hull) and set(hull.class_weight[1]) == {"ham", "spam"}
    model = hull.model_at(2)
    above = model.decision_function(100 + 20 * toy.X) > hull.threshold[2]
    assert above[words == "spam"].mean() == pytest.approx(hull.tpr[2])
    assert "vertices" in repr(hull)


def test_errors():
    toy = wp.datasets.make_toy(40, random_state=0)
    model = wp.SVC(C=5, gamma=0.5).fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="rows of both classes"):
        wp.roc_hull(model, toy.X[toy.y > 0], toy.y[toy.y > 0])
    with pytest.raises(TypeError, match="needs a fitted classifier"):
        wp.roc_hull(wp.SVR().fit(toy.X, toy.y), toy.X, toy.y)
    three = wp.SVC(gamma=0.5).fit(toy.X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="two classes; the model has 3"):
        wp.roc_hull(three, toy.X, np.arange(40) % 3)
