"""The search itself: curves against fresh fits, and the chosen model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

import weightpath as wp
from selection.search_samples import (
    FOLDS,
    REGRESSION_FOLDS,
    fresh_value,
    noisy_line,
    squared,
    toy,
    wrong,
)

SVC = wp.SVC(C=10, gamma=0.5)
SVR = wp.SVR(C=5, epsilon=0.1, gamma=0.5)


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def search(data):
    X, y, start, end = data
    return wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)


# Values -----------------------------------------------------------------------------------------


def test_fold_curves_are_those_of_fresh_fits(data, search):
    X, y, start, end = data
    for theta in (0.0, 0.123, 0.5, 0.9, 1.0):
        weight = (1 - theta) * start + theta * end
        expected = [fresh_value(SVC, X, y, weight, *fold, wrong) for fold in FOLDS.split(X, y)]
        assert [fold(theta) for fold in search.fold_curves_] == pytest.approx(expected, abs=1e-12)


def test_the_mean_is_the_mean_of_folds(search):
    theta = np.random.default_rng(0).random(1000)
    expected = np.mean([fold(theta) for fold in search.fold_curves_], axis=0)
    assert search.curve_(theta) == pytest.approx(expected, rel=0, abs=1e-15)
    assert search.n_splits_ == len(search.fold_curves_) == 4


def test_no_grid_beats_the_best(search):
    values = search.curve_(np.linspace(0, 1, 10_000))
    assert search.best_score_ == search.curve_(search.best_theta_) <= values.min()
    left, right = search.best_interval_
    assert left < search.best_theta_ < right
    assert (search.curve_(np.linspace(left, right, 100)[1:-1]) == search.best_score_).all()


def test_regression_with_a_quadratic_curve():
    X, y, start, end = noisy_line()
    search = wp.PathSearchCV(SVR, "squared", cv=REGRESSION_FOLDS)
    search.fit(X, y, start=start, end=end)
    for theta in (0.0, 0.3, search.best_theta_, 1.0):
        weight = (1 - theta) * start + theta * end
        folds = REGRESSION_FOLDS.split(X)
        expected = [fresh_value(SVR, X, y, weight, *fold, squared) for fold in folds]
        assert search.curve_(theta) == pytest.approx(np.mean(expected), rel=1e-9)
    theta = np.random.default_rng(0).random(1000)
    folds = np.mean([fold(theta) for fold in search.fold_curves_], axis=0)
    assert search.curve_(theta) == pytest.approx(folds, rel=0, abs=1e-14)
    assert search.best_score_ <= search.curve_(np.linspace(0, 1, 10_000)).min()


def test_validation_weights_count_held_out_rows(data):
    X, y, start, end = data
    cost = np.random.default_rng(1).uniform(0, 2, len(y))
    search = wp.PathSearchCV(SVC, cv=FOLDS)
    search.fit(X, y, start=start, end=end, validation_weight=cost)
    weight = 0.6 * start + 0.4 * end
    expected = [fresh_value(SVC, X, y, weight, *fold, wrong, cost) for fold in FOLDS.split(X, y)]
    assert [fold(0.4) for fold in search.fold_curves_] == pytest.approx(expected, abs=1e-12)


def test_several_classes():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.array(["a", "b", "c"])[np.arange(60) % 3]
    X[y == "b"] += 1.5
    start, end = np.ones(60), rng.uniform(0.2, 2, 60)
    search = wp.PathSearchCV(SVC, cv=FOLDS).fit(X, y, start=start, end=end)
    weight = 0.3 * start + 0.7 * end
    expected = [fresh_value(SVC, X, y, weight, *fold, wrong) for fold in FOLDS.split(X, y)]
    assert search.curve_(0.7) == pytest.approx(np.mean(expected), abs=1e-12)
    assert search.classes_.tolist() == ["a", "b", "c"]


def test_one_standard_error_is_nearer_to_its_end(data):
    X, y, start, end = data
    given = {"start": start, "end": end}
    near = wp.PathSearchCV(SVC, cv=FOLDS, choice="one_standard_error").fit(X, y, **given)
    far = clone(near).set_params(towards="end").fit(X, y, **given)
    best = near.curve_.best
    values = np.array([fold(best.theta) for fold in near.fold_curves_])
    bound = best.value + values.std(ddof=1) / 2
    grid = np.linspace(0, 1, 10_001)
    within = grid[near.curve_(grid) <= bound]
    assert near.one_standard_error_.interval[0] == pytest.approx(within[0], abs=1e-4)
    assert far.one_standard_error_.interval[1] == pytest.approx(within[-1], abs=1e-4)
    assert near.best_theta_ <= best.theta <= far.best_theta_
    assert near.best_score_ == near.curve_(near.best_theta_) <= bound
    assert near.best_estimator_.weights_ == pytest.approx(10 * near.best_weights_)
    assert not hasattr(near.set_params(choice="best").fit(X, y, **given), "one_standard_error_")


def test_lasso_walks_between_penalties_of_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X @ [2.0, 0, 0, -1, 0.5] + rng.normal(size=60)
    start, end = np.ones(5), np.array([0.1, 4, 4, 0.1, 0.1])
    search = wp.PathSearchCV(wp.Lasso(alpha=0.2), "squared", cv=REGRESSION_FOLDS)
    search.fit(X, y, start=start, end=end)
    expected = []
    for train, test in REGRESSION_FOLDS.split(X):
        model = wp.Lasso(alpha=0.2, penalty_weight=0.5 * (start + end)).fit(X[train], y[train])
        expected.append(np.mean((model.predict(X[test]) - y[test]) ** 2))
    assert search.curve_(0.5) == pytest.approx(np.mean(expected), rel=1e-9)
    assert search.best_weights_.shape == (5,)


# The chosen model -------------------------------------------------------------------------------


def test_best_estimator_is_a_fresh_fit_at_the_best_weights(data, search):
    X, y, start, end = data
    theta = search.best_theta_
    weight = (1 - theta) * start + theta * end
    assert search.best_weights_ == pytest.approx(weight, abs=1e-15)
    fresh = SVC.fit(X, y, sample_weight=weight)
    assert search.decision_function(X) == pytest.approx(fresh.decision_function(X), abs=1e-9)
    assert search.best_estimator_.kkt_violation() < 1e-9
    assert search.path_.theta[[0, -1]].tolist() == [0, 1]


def test_the_search_predicts_as_its_model(data, search):
    X, y, _, _ = data
    assert (search.predict(X) == search.best_estimator_.predict(X)).all()
    assert search.score(X, y) == accuracy_score(y, search.predict(X))
    assert search.score(X, y, sample_weight=np.arange(80)) == search.best_estimator_.score(
        X, y, sample_weight=np.arange(80)
    )
    assert search.classes_.tolist() == [-1, 1] and search.n_features_in_ == 2
    assert not hasattr(search, "score_samples") and not hasattr(search, "predict_proba")
    assert search.refit_time_ > 0


def test_without_refit_there_is_no_model(data):
    X, y, start, end = data
    search = wp.PathSearchCV(SVC, cv=FOLDS, refit=False).fit(X, y, start=start, end=end)
    check_is_fitted(search)
    assert not hasattr(search, "best_estimator_") and not hasattr(search, "path_")
    with pytest.raises(AttributeError, match="refit=False"):
        search.predict(X)
    assert not hasattr(search, "classes_") and not hasattr(search, "n_features_in_")
    search.set_params(refit=True).fit(X, y, start=start, end=end).predict(X)
    assert not hasattr(search.set_params(refit=False).fit(X, y, start=start, end=end), "path_")


def test_tables(data, search):
    table = search.cv_results_
    folds = [table[f"split{k}_test_score"][0] for k in range(4)]
    assert folds == [fold(search.best_theta_) for fold in search.fold_curves_]
    assert table["mean_test_score"][0] == search.best_score_ == pytest.approx(np.mean(folds))
    frame = pd.DataFrame(search.results_)
    assert frame.loc[0, ["left", "right"]].tolist() == list(search.best_interval_)
    assert search.best_params_ == {} and search.best_index_ == 0
