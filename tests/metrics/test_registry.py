"""Metrics by name: those of the library, and those of others."""

import copy
import pickle

import numpy as np
import pytest

import weightpath as wp
from weightpath import metrics
from weightpath.curves.piecewise import curve_of_hinges
from weightpath.metrics import Hinge, Metric, Option


class Late(Metric):
    """The mean of max(0, y - f) times a factor that is an option; no ``at`` of its own."""

    name = "late"
    options = (Option("factor", "What lateness costs."),)

    def suits(self, outputs):
        return outputs.classes is None and outputs.predicts

    def along(self, path, rows, *, factor):
        cost = rows.share * (1.0 if factor is None else factor)
        return curve_of_hinges(path, rows.X, [Hinge(-1.0, rows.target, cost)])


@pytest.fixture
def late():
    yield metrics.register(Late())
    metrics.unregister("late")


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    return wp.SVR(gamma=0.5).fit(X[:30], y[:30]), X, y


def test_every_metric_describes_itself():
    for name in metrics.names():
        metric = metrics.get(name)
        assert metric.name == name and metric.label and metrics.label_of(name) == metric.label
        assert len({option.name for option in metric.options}) == len(metric.options)
        assert all(option.meaning.endswith((".", "]")) for option in metric.options)
        assert pickle.loads(pickle.dumps(metric)).name == name
        assert copy.deepcopy(metric).name == name
    assert metrics.label_of("of nobody") == "of nobody"


def test_a_loss_of_ones_own_with_an_option(sample, late):
    model, X, y = sample
    path = wp.SVR(gamma=0.5).fit(X[:30], y[:30]).reweight(1.0 + np.arange(30) % 3)
    for given in ({}, {"factor": 3.0}):
        curve = path.curve(X[30:], y[30:], "late", **given)
        assert curve.metric == "late" and not curve.greater_is_better
        for theta in np.linspace(0, 1, 11):
            late_by = np.maximum(0, y[30:] - path.model_at(theta).predict(X[30:])).mean()
            assert curve(theta) == pytest.approx(given.get("factor", 1) * late_by, abs=1e-10)
    with pytest.raises(ValueError, match="'squared' takes no factor: it is for 'late'"):
        path.curve(X, y, "squared", factor=2.0)
    # Influence asks for values at one place, which come from the same formula.
    found = wp.influence(model, X[30:], y[30:], "late", indices=[0], factor=2.0)
    truth = 2 * np.maximum(0, y[30:] - model.predict(X[30:])).mean()
    assert found.metric_value == pytest.approx(truth, abs=1e-12)


def test_names_can_be_taken_once(late):
    assert metrics.names()[-1] == "late"
    again = metrics.register(Late())
    assert metrics.get("late") is again is not late
    taken = Late()
    taken.name = "accuracy"
    with pytest.raises(ValueError, match="The library has a metric 'accuracy'"):
        metrics.register(taken)
    taken.name = ""
    with pytest.raises(ValueError, match="needs a name"):
        metrics.register(taken)
    with pytest.raises(TypeError, match=r"instance of weightpath\.metrics\.Metric"):
        metrics.register(Late)


def test_what_is_not_registered(sample):
    _, X, y = sample
    with pytest.raises(ValueError, match="No metric 'late' has been registered"):
        metrics.unregister("late")
    with pytest.raises(ValueError, match="No metric 'accuracy' has been registered"):
        metrics.unregister("accuracy")
    with pytest.raises(ValueError, match="Unknown metric 'late'; there are: 'zero_one'"):
        metrics.get("late")
    with pytest.raises(ValueError, match="Unknown metric 'late'"):
        wp.PathSearchCV(wp.SVR(), "late").fit(X, y, start=np.ones(60), end=np.ones(60))
    path = wp.SVR().fit(X, y).reweight(1.0 + np.arange(60) % 2)
    assert path.curve(X, y, Late()).metric == "late"
    with pytest.raises(TypeError, match=r"Unknown option 'factors'; metrics take .*factor"):
        path.curve(X, y, Late(), factors=2)


def test_errors_travel_between_processes():
    error = metrics.metric.MissingOptionError("cost", "cost_matrix", "of shape (2, 2).")
    error.args = (f"Fold 1: {error}",)
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == "Fold 1: The metric 'cost' needs cost_matrix=, of shape (2, 2)."
    assert (copied.metric, copied.option) == ("cost", "cost_matrix")


def test_a_metric_that_does_not_suit_is_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    path = wp.SVC().fit(X, y).reweight(1.0 + np.arange(20) % 3)
    with pytest.raises(ValueError, match="The metric 'late' is not defined for a path between two"):
        path.curve(X, y, Late())
