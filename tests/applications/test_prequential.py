"""Prequential evaluation: nobody is tested on what was learnt."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import SGDClassifier

import weightpath as wp
from weightpath.applications import prequential


class Recorder(RegressorMixin, BaseEstimator):
    """Predicts the last target that it learnt, and writes down what it is asked and told."""

    def fit(self, X, y):
        raise NotImplementedError

    def partial_fit(self, X, y):
        self.is_fitted_ = True
        self.last_ = y[-1]
        self.log_ = [*getattr(self, "log_", []), ("learn", *np.ravel(X).astype(int))]
        return self

    def predict(self, X):
        self.log_.append(("predict", *np.ravel(X).astype(int)))
        return np.full(len(X), self.last_)


def count(n):
    return np.arange(n)[:, None], np.arange(n, dtype=float) ** 2


def test_test_then_train():
    X, y = count(7)
    model = Recorder()
    result = prequential(model, X, y, batch=2)
    assert model.log_ == [
        ("learn", 0, 1),
        ("predict", 2, 3),
        ("learn", 2, 3),
        ("predict", 4, 5),
        ("learn", 4, 5),
        ("predict", 6),
        ("learn", 6),
    ]
    np.testing.assert_array_equal(result.row, [2, 3, 4, 5, 6])
    np.testing.assert_array_equal(result.prediction, [1, 1, 9, 9, 25])
    np.testing.assert_array_equal(result.loss, (y[2:] - [1, 1, 9, 9, 25]) ** 2)
    np.testing.assert_array_equal(result.step_row, [0, 2, 4, 6])
    assert result.metric == "squared" and result.mean == result.cumulative[-1]
    assert (result.n_events == -1).all() and (result.seconds >= 0).all()
    np.testing.assert_allclose(result.rolling(2)[[0, 1, 4]], [9, 36.5, 188.5])


def test_delayed_targets_are_learnt_when_they_are_known():
    X, y = count(8)
    model = Recorder()
    prequential(model, X, y, batch=2, start=2, delay=3)
    assert model.log_ == [
        ("learn", 0, 1),
        ("predict", 2, 3),
        ("predict", 4, 5),
        ("learn", 2),
        ("predict", 6, 7),
        ("learn", 3, 4),
    ]


def test_a_model_that_has_learnt_is_tested_from_the_first_row():
    X, y = count(4)
    model = Recorder().partial_fit(X[:1], y[:1])
    result = prequential(model, X, y, metric="absolute")
    assert len(result.loss) == 4 and result.loss[0] == 0


def test_own_metric_and_short_streams():
    X, y = count(3)

    def twice(target, guess):
        return 2 * np.abs(target - guess)

    result = prequential(Recorder(), X, y, metric=twice)
    assert result.metric == "twice" and result.loss.tolist() == [2, 6]
    nothing = prequential(Recorder(), X, y, batch=5)
    assert nothing.loss.size == 0 and np.isnan(nothing.mean)
    assert nothing.step_row.tolist() == [0]


def test_wrong_calls():
    X, y = count(5)
    for more, message in (
        ({"batch": 0}, "batch"),
        ({"delay": -1}, "delay"),
        ({"start": 6}, "start"),
        ({"start": 0}, "learnt nothing"),
        ({"metric": "roc"}, "Unknown metric"),
        ({"metric": lambda a, b: 0.0}, "one loss for each"),
    ):
        with pytest.raises(ValueError, match=message):
            prequential(Recorder(), X, y, **more)
    with pytest.raises(ValueError, match="inconsistent"):
        prequential(Recorder(), X, y[:3])


class Majority(ClassifierMixin, BaseEstimator):
    """Needs to know all classes at first, as scikit-learn's classifiers do."""

    def fit(self, X, y):
        raise NotImplementedError

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "classes_"):
            self.classes_ = np.asarray(classes)
            self.count_ = np.zeros(len(classes))
        self.count_ += [(y == c).sum() for c in self.classes_]
        return self

    def predict(self, X):
        return np.repeat(self.classes_[self.count_.argmax()], X.shape[0])

    def __sklearn_is_fitted__(self):
        return hasattr(self, "count_")


@pytest.mark.parametrize("wrap", [np.asarray, csr_matrix])
def test_classifiers_of_all_kinds(wrap):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 0, "b", "a")
    losses = {}
    for model in (
        Majority(),
        SGDClassifier(random_state=0),
        wp.OnlineSVC(window=30, C=10.0, kernel="linear"),
    ):
        result = prequential(model, wrap(X), y, batch=10)
        losses[type(model).__name__] = result.mean
        assert result.metric == "zero_one"
    assert losses["OnlineSVC"] < 0.15 < losses["Majority"]


def test_predictions_are_those_of_refits():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=80)
    model = wp.OnlineSVR(window=30, C=5.0, gamma=0.5)
    result = prequential(model, X, y, batch=5, start=30)
    weight = wp.weights.forgetting(30, 3.0)
    for first in range(30, 80, 5):
        rows = slice(first - 30, first)
        fresh = wp.SVR(C=5.0, gamma=0.5).fit(X[rows], y[rows], sample_weight=weight)
        expected = fresh.predict(X[first : first + 5])
        np.testing.assert_allclose(result.prediction[first - 30 :][:5], expected, atol=1e-9)
    assert (result.n_events[1:] >= 0).all() and result.n_events[0] == -1


def test_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    model = wp.OnlineSVC(window=20)
    result = prequential(model, X, (X[:, 0] > 0).astype(int), batch=5)
    display = result.plot(rolling=10, label="mine", show_events=True)
    lines = display.ax_.get_lines()
    np.testing.assert_array_equal(lines[1].get_ydata(), result.cumulative)
    np.testing.assert_array_equal(lines[0].get_ydata(), result.rolling(10))
    assert "misclassification" in display.ax_.get_ylabel()
    assert result.plot(display.ax_).figure_ is display.figure_
    pyplot.close("all")
