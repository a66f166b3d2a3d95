"""Walks through several sets of weights."""

import numpy as np
import pytest

import weightpath as wp
from selection.search_samples import (
    FOLDS,
    REGRESSION_FOLDS,
    fresh_value,
    noisy_line,
    same_curves,
    squared,
    toy,
    wrong,
)
from weightpath.errors import PathError
from weightpath.selection.polyline import polyline

SVC = wp.SVC(C=10, gamma=0.5)
SVR = wp.SVR(C=5, epsilon=0.1, gamma=0.5)


def corners(n=80, seed=3):
    rng = np.random.default_rng(seed)
    return [np.ones(n), rng.uniform(0.1, 2, n), rng.uniform(0.1, 2, n), np.ones(n)]


def mixed(patterns, theta):
    leg = min(int(theta), len(patterns) - 2)
    return (1 - (theta - leg)) * patterns[leg] + (theta - leg) * patterns[leg + 1]


def test_curve_of_three_legs_is_that_of_fresh_fits():
    X, y, _, _ = toy()
    patterns = corners()
    search = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, patterns=patterns)
    assert search.curve_.edges[[0, -1]].tolist() == [0, 3]
    for theta in (0.0, 0.4, 1.0, 1.7, 2.0, 2.999, 3.0):
        weight = mixed(patterns, theta)
        expected = [fresh_value(SVC, X, y, weight, *fold, wrong) for fold in FOLDS.split(X, y)]
        assert [fold(theta) for fold in search.fold_curves_] == pytest.approx(expected, abs=1e-12)
    assert search.best_score_ <= search.curve_(np.linspace(0, 3, 10_000)).min()


def test_the_model_is_on_its_leg():
    X, y, _, _ = toy()
    patterns = corners()
    search = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, patterns=patterns)
    weight = mixed(patterns, search.best_theta_)
    assert search.best_weights_ == pytest.approx(weight, abs=1e-14)
    fresh = SVC.fit(X, y, sample_weight=weight)
    assert search.decision_function(X) == pytest.approx(fresh.decision_function(X), abs=1e-9)
    leg = int(search.best_theta_)
    assert search.path_.at(0.0).weights == pytest.approx(10 * patterns[leg])
    assert search.path_.at(1.0).weights == pytest.approx(10 * patterns[leg + 1])


def test_a_choice_at_the_very_end():
    # Towards the last corner, rows whose labels are wrong lose their weight.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sign(X[:, 0])
    clean = np.ones(60)
    clean[::4] = 1e-3
    y[::4] *= -1
    patterns = [np.ones(60), np.full(60, 0.5), clean]
    search = wp.PathSearchCV(wp.SVC(C=1, kernel="linear"), "hinge", cv=FOLDS)
    search.set_params(choice="one_standard_error", towards="end")
    search.fit(X, y, patterns=patterns, validation_weight=clean)
    assert search.best_theta_ == 2.0 and search.best_weights_.tolist() == clean.tolist()
    assert search.best_estimator_.weights_ == pytest.approx(clean)


def test_two_patterns_are_start_and_end():
    X, y, start, end = toy()
    one = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)
    two = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, patterns=[start, end])
    assert same_curves(one.fold_curves_, two.fold_curves_)
    assert one.best_theta_ == two.best_theta_


def test_a_leg_that_stands_still_and_a_way_back():
    X, y, start, end = noisy_line()
    search = wp.PathSearchCV(SVR, "squared", cv=REGRESSION_FOLDS)
    search.fit(X, y, patterns=[start, start, end, start])
    theta = np.linspace(0, 1, 101)[1:-1]
    assert search.curve_(theta) == pytest.approx(np.full(99, search.curve_(0.0)), rel=1e-9)
    assert search.curve_(1 + theta) == pytest.approx(search.curve_(3 - theta), rel=1e-8)
    expected = [
        fresh_value(SVR, X, y, 0.5 * (start + end), *fold, squared)
        for fold in REGRESSION_FOLDS.split(X)
    ]
    assert search.curve_(1.5) == pytest.approx(np.mean(expected), rel=1e-9)


def test_places_of_a_polyline():
    line = polyline(None, None, [[0.0, 1.0], [1.0, 1.0], [1.0, 3.0]], 2)
    assert len(line) == 2
    assert (
        line.place(0.25) == (0, 0.25) and line.place(1.0) == (1, 0.0) and line.place(2.0) == (1, 1)
    )
    assert line.at(0.25).tolist() == [0.25, 1.0] and line.at(1.5).tolist() == [1.0, 2.0]
    assert line.at(2.0).tolist() == [1.0, 3.0]
    assert line.restricted([1]).at(1.5).tolist() == [2.0]


def test_a_stopped_leg_says_where():
    X, y, _, _ = toy()
    estimator = wp.SVC(C=10, gamma=0.5, max_events=4)
    patterns = [np.ones(80), np.ones(80), corners()[1]]
    with (
        pytest.raises(PathError, match=r"stopped at theta=1\.\d+ of 2"),
        pytest.warns(wp.EventCapWarning),
    ):
        wp.PathSearchCV(estimator, cv=FOLDS).fit(X, y, patterns=patterns)


@pytest.mark.parametrize(
    ("patterns", "match"),
    [
        ([np.ones(80)], "two sets of weights or more"),
        ([], "two sets of weights or more"),
        ([np.ones(80), None], r"patterns\[1\] is None"),
        ([np.ones(80), np.ones(3)], r"patterns\[1\] has shape"),
        ([np.ones(80), -np.ones(80), np.ones(80)], r"patterns\[1\] must not be negative"),
    ],
)
def test_wrong_patterns(patterns, match):
    X, y, _, _ = toy()
    with pytest.raises(ValueError, match=match):
        wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, patterns=patterns)
