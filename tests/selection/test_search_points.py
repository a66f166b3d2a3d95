"""Searches on paths with isolated theta, at which the models differ from both limits."""

import numpy as np
import pytest

import weightpath as wp
from selection.search_samples import FOLDS, noisy_line, toy
from weightpath.path import SolutionPath

SVC = wp.SVC(C=10, gamma=0.5)


def isolate(monkeypatch, change):
    """Give paths isolated theta, with ``change[theta](X, values)`` as their values there."""
    plain = SolutionPath.subproblem_values

    def decision_function(self, X, at):
        values = plain(self, X, at)
        return change[at](X, values) if at in change else values

    monkeypatch.setattr(SolutionPath, "subproblem_values", decision_function)
    theta = np.array(sorted(change))
    monkeypatch.setattr(SolutionPath, "isolated_theta", property(lambda path: theta))


def truth_of(X, y):
    """A function that knows the right sign of every row."""
    known = dict(zip(map(bytes, X), y, strict=True))
    return lambda rows, values: np.array([known[bytes(row)] for row in rows], dtype=float)


def opposite_of(X, y):
    right = truth_of(X, y)
    return lambda rows, values: -right(rows, values)


def assert_consistent(search):
    assert search.curve_(search.best_theta_) == search.best_score_
    folds = [fold(search.best_theta_) for fold in search.fold_curves_]
    assert search.best_score_ == pytest.approx(np.mean(folds), abs=1e-14)
    theta = np.unique(np.concatenate([fold.point_theta for fold in search.fold_curves_]))
    assert theta.size > 0
    for at in theta:
        values = [fold(at) for fold in search.fold_curves_]
        assert search.curve_(at) == pytest.approx(np.mean(values), abs=1e-14)


def test_a_better_point_is_found(monkeypatch):
    X, y, start, end = toy()
    isolate(monkeypatch, {0.5: truth_of(X, y)})
    search = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)
    assert_consistent(search)
    assert (search.best_theta_, search.best_score_) == (0.5, 0.0)
    assert search.best_interval_ == (0.5, 0.5)
    assert search.best_weights_ == pytest.approx((start + end) / 2)


def test_a_worse_point_is_avoided(monkeypatch):
    X, y, start, end = toy()
    plain = wp.PathSearchCV(SVC, cv=FOLDS, refit=False).fit(X, y, start=start, end=end)
    assert plain.curve_.point_theta.size == 0
    isolate(monkeypatch, {0.0: opposite_of(X, y), plain.best_theta_: opposite_of(X, y)})
    search = wp.PathSearchCV(SVC, cv=FOLDS, refit=False).fit(X, y, start=start, end=end)
    assert_consistent(search)
    assert search.curve_(0.0) == search.curve_(plain.best_theta_) == 1.0
    assert search.best_score_ == plain.best_score_ < 1
    assert search.best_theta_ != plain.best_theta_


def test_one_standard_error(monkeypatch):
    X, y, start, end = toy()
    isolate(monkeypatch, {0.0: opposite_of(X, y), 0.25: truth_of(X, y)})
    search = wp.PathSearchCV(SVC, cv=FOLDS, choice="one_standard_error", refit=False)
    search.fit(X, y, start=start, end=end)
    assert_consistent(search)
    # All folds are perfect at the best place, so the bound is its value.
    assert (search.best_theta_, search.best_interval_) == (0.25, (0.25, 0.25))


def test_legs_of_a_walk(monkeypatch):
    X, y, start, end = toy()
    right, wrong = truth_of(X, y), opposite_of(X, y)
    isolate(monkeypatch, {0.0: wrong, 0.25: right, 1.0: right})
    search = wp.PathSearchCV(SVC, cv=FOLDS, refit=False)
    search.fit(X, y, patterns=[start, (start + end) / 2, end])
    assert_consistent(search)
    # Where two legs meet, the start of the second counts.
    assert [search.curve_(theta) for theta in (0, 0.25, 1, 1.25, 2)] == [1, 0, 1, 0, 0]
    assert search.best_theta_ == 0.25


def test_regression_and_a_grid(monkeypatch):
    X, y, start, end = noisy_line()
    known = dict(zip(map(bytes, X), y, strict=True))
    isolate(monkeypatch, {0.75: lambda rows, values: np.array([known[bytes(r)] for r in rows])})
    model = wp.SVR(epsilon=0.1, gamma=0.5)
    search = wp.PathSearchCV(model, "squared", cv=3, param_grid={"C": [1, 5]}, refit=False)
    search.fit(X, y, start=start, end=end)
    assert_consistent(search)
    assert search.best_theta_ == 0.75 and search.best_score_ == 0
    assert search.results_["best_theta"].tolist() == [0.75, 0.75]
    assert search.cv_results_["mean_test_score"].tolist() == [0, 0]
