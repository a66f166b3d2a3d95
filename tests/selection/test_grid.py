"""A plain grid of parameters around exact curves."""

import numpy as np
import pandas as pd
import pytest

import weightpath as wp
from selection.search_samples import FOLDS, same_curves, toy
from weightpath.curves import Curve
from weightpath.selection.grid import best_point, fold_table

GRID = {"C": [0.1, 10], "gamma": [0.1, 0.5, 5.0]}


@pytest.fixture(scope="module")
def data():
    return toy()


@pytest.fixture(scope="module")
def search(data):
    X, y, start, end = data
    return wp.PathSearchCV(wp.SVC(), cv=FOLDS, param_grid=GRID).fit(X, y, start=start, end=end)


def test_every_point_is_a_search_of_its_own(data, search):
    X, y, start, end = data
    for k, params in enumerate(search.results_["params"]):
        single = wp.PathSearchCV(wp.SVC(**params), cv=FOLDS, refit=False)
        single.fit(X, y, start=start, end=end)
        assert same_curves([single.curve_], [search.curves_[k]])
        assert search.results_["best_theta"][k] == single.best_theta_
        assert search.results_["best_value"][k] == single.best_score_
        interval = search.results_["left"][k], search.results_["right"][k]
        assert interval == single.best_interval_
        if k == search.best_index_:
            assert same_curves(single.fold_curves_, search.fold_curves_)


def test_the_best_of_all_points_wins(search):
    assert search.best_score_ == search.results_["best_value"].min()
    for curve in search.curves_:
        assert search.best_score_ <= curve(np.linspace(0, 1, 10_000)).min()
    assert search.best_params_ == search.results_["params"][search.best_index_]
    assert search.best_params_["C"] == search.best_estimator_.C
    assert search.best_estimator_.gamma_ == search.best_params_["gamma"]
    assert search.cv_results_["rank_test_score"][search.best_index_] == 1


def test_results_are_a_table(search):
    frame = pd.DataFrame(search.results_)
    assert len(frame) == 6
    assert frame["param_C"].tolist() == [0.1] * 3 + [10] * 3
    assert set(pd.DataFrame(search.cv_results_)) >= {"params", "theta", "split3_test_score"}


def test_fold_values_are_those_at_each_own_best(search):
    table = search.cv_results_
    folds = np.array([table[f"split{k}_test_score"] for k in range(4)])
    assert folds.mean(axis=0) == pytest.approx(table["mean_test_score"], abs=1e-15)
    assert folds.std(axis=0) == pytest.approx(table["std_test_score"], abs=1e-15)


def test_lists_of_grids(data):
    X, y, start, end = data
    grid = [{"kernel": ["linear"]}, {"kernel": ["rbf"], "gamma": [0.1, 1.0]}]
    search = wp.PathSearchCV(wp.SVC(), cv=FOLDS, param_grid=grid).fit(X, y, start=start, end=end)
    assert len(search.curves_) == 3
    assert search.results_["param_gamma"] == [None, 0.1, 1.0]


def test_a_kernel_of_the_grid_may_be_precomputed(data):
    X, y, start, end = data
    K = X @ X.T
    grid = {"kernel": ["precomputed"]}
    search = wp.PathSearchCV(wp.SVC(), cv=FOLDS, param_grid=grid).fit(K, y, start=start, end=end)
    linear = wp.PathSearchCV(wp.SVC(kernel="linear"), cv=FOLDS).fit(X, y, start=start, end=end)
    theta = np.linspace(0, 1, 501)
    assert search.curve_(theta) == pytest.approx(linear.curve_(theta), abs=1e-12)


def test_equal_values_go_to_the_longest_interval():
    curves = [
        Curve([0, 0.1, 1], [[0.25], [0.5]]),
        Curve([0, 0.7, 1], [[0.25 * (1 + 1e-15)], [0.5]]),
        Curve([0, 0.7, 1], [[0.25], [0.5]]),
        Curve([0, 1], [[0.3]]),
    ]
    assert best_point(curves) == 1
    scores = [Curve([0, 1], [[value]], greater_is_better=True) for value in (0.1, 0.9, 0.3)]
    assert best_point(scores) == 1
    assert fold_table([{}] * 3, [c.best for c in scores], [[c] for c in scores])[
        "rank_test_score"
    ].tolist() == [3, 1, 2]


def test_errors_name_the_point(data):
    X, y, start, end = data
    search = wp.PathSearchCV(wp.SVC(), cv=FOLDS, param_grid={"C": [1.0, -1.0]})
    with pytest.raises(ValueError, match=r"Fold 1 of 4, C=-1.0: C must be"):
        search.fit(X, y, start=start, end=end)


@pytest.mark.parametrize(
    ("grid", "error", "match"),
    [
        ({"degre": [1]}, ValueError, "'degre', which is not a parameter of SVC; it has: C, "),
        ({"C": 3}, TypeError, "C"),
        ({"C": []}, ValueError, "C"),
    ],
)
def test_wrong_grids(data, grid, error, match):
    X, y, start, end = data
    with pytest.raises(error, match=match):
        wp.PathSearchCV(wp.SVC(), param_grid=grid).fit(X, y, start=start, end=end)
