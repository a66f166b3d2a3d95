"""Curves and pictures of the paths of real models."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, hinge_loss

import weightpath as wp
from estimators.samples import KINDS, Kind, overlapping, random_weights

N = 50
THETAS = np.random.default_rng(0).uniform(size=6)


def traced(name="dense", n_classes=2):
    kind = Kind(name)
    X, y = overlapping(N, n_classes)
    names = np.array(["one", "two", "three", "four"])
    model = kind.model().fit(kind.training(X), names[y])
    path = model.move(sample_weight=random_weights(N, 1, zeros=0.2), C=6.0)
    points, labels = overlapping(35, n_classes, seed=9)
    return path, kind.points(points, X), names[labels]


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("name", KINDS)
def test_zero_one(name, n_classes):
    path, X, y = traced(name, n_classes)
    cost = random_weights(35, 4)
    plain, weighted = path.curve(X, y, "zero_one"), path.curve(X, y, "zero_one", sample_weight=cost)
    for theta in THETAS:
        predicted = path.model_at(theta).predict(X)
        assert plain(theta) == pytest.approx(1.0 - accuracy_score(y, predicted))
        wrong = 1.0 - accuracy_score(y, predicted, sample_weight=cost)
        assert weighted(theta) == pytest.approx(wrong)


@pytest.mark.parametrize("name", KINDS)
def test_hinge(name):
    path, X, y = traced(name)
    cost = random_weights(35, 4)
    plain, weighted = path.curve(X, y, "hinge"), path.curve(X, y, "hinge", sample_weight=cost)
    for theta in THETAS:
        values = path.model_at(theta).decision_function(X)
        assert plain(theta) == pytest.approx(hinge_loss(y, values), abs=1e-10)
        expected = hinge_loss(y, values, sample_weight=cost)
        assert weighted(theta) == pytest.approx(expected, abs=1e-10)


def test_the_best_place_is_the_best():
    path, X, y = traced()
    curve = path.curve(X, y, "zero_one")
    best = path.model_at(curve.best.theta)
    assert 1.0 - best.score(X, y) == pytest.approx(curve.best.value)
    errors = [1.0 - path.model_at(theta).score(X, y) for theta in np.linspace(0, 1, 40)]
    assert min(errors) >= curve.best.value - 1e-12


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pictures(n_classes, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    path, X, y = traced(n_classes=n_classes)
    path.plot()
    assert pyplot.get_fignums()
    pyplot.close("all")
    path.curve(X, y, "zero_one").plot()
    assert pyplot.get_fignums()
    pyplot.close("all")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_page(n_classes, tmp_path):
    pytest.importorskip("jinja2")
    path, _, _ = traced(n_classes=n_classes)
    path.to_html(tmp_path / "path.html")
    text = (tmp_path / "path.html").read_text()
    assert "<html" in text and len(text) > 1000


def test_labels_that_the_model_does_not_know():
    path, X, y = traced()
    with pytest.raises(ValueError, match="labels the path does not know"):
        path.curve(X, np.where(y == "one", "five", y), "zero_one")
    assert isinstance(path.curve(X, y, "zero_one"), wp.Curve)
