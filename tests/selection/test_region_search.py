"""The exact best mean over a plane, against grids of fits."""

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp

COSTS = [{"class_weight": {-1: 50}}, {"class_weight": {1: 50}}]


def weights_at(z):
    return {-1: 1 + 49 * z[0], 1: 1 + 49 * z[1]}


@pytest.mark.parametrize("metric", ["zero_one", "f1", "auc", "hinge"])
def test_no_grid_is_better(metric):
    toy = wp.datasets.make_toy(60, random_state=3)
    folds = list(StratifiedKFold(3).split(toy.X, toy.y))
    search = wp.RegionSearchCV(wp.SVC(C=0.1, gamma=0.5), COSTS, metric=metric, cv=folds)
    search.fit(toy.X, toy.y)
    total = 0.0
    for train, test in folds:
        model = wp.SVC(C=0.1, gamma=0.5).fit(toy.X[train], toy.y[train])
        surface = wp.region_map(model, COSTS).surface(toy.X[test], toy.y[test], metric)
        total = total + surface.sampled(50) / len(folds)
    best = total.max() if surface.metric.greater_is_better else total.min()
    sign = 1 if surface.metric.greater_is_better else -1
    assert sign * search.best_score_ >= sign * best - 1e-12
    assert search.fold_scores_.mean() == pytest.approx(search.best_score_, rel=1e-12)


def test_best_score_is_that_of_cross_validation():
    toy = wp.datasets.make_toy(60, random_state=0)
    search = wp.RegionSearchCV(wp.SVC(C=0.1, gamma=0.5), COSTS, cv=4).fit(toy.X, toy.y)
    rng = np.random.default_rng(0)
    share = rng.dirichlet(np.ones(len(search.best_polygon_)), 3)
    for z in (search.best_z_, *(share @ search.best_polygon_)):
        model = wp.SVC(C=0.1, gamma=0.5, class_weight=weights_at(z))
        score = cross_val_score(model, toy.X, toy.y, cv=4)
        assert 1 - score.mean() == pytest.approx(search.best_score_, abs=1e-12)
    np.testing.assert_allclose(
        search.best_estimator_.class_weight_, list(weights_at(search.best_z_).values())
    )
    other = wp.SVC(C=0.1, gamma=0.5, class_weight=weights_at(search.best_z_)).fit(toy.X, toy.y)
    np.testing.assert_allclose(
        search.decision_function(toy.X), other.decision_function(toy.X), atol=1e-8
    )


def test_grid_search_is_not_better():
    toy = wp.datasets.make_toy(40, random_state=1)
    search = wp.RegionSearchCV(wp.SVC(C=0.1, gamma=0.5), COSTS, cv=3, refit=False)
    search.fit(toy.X, toy.y)
    grid = [weights_at(z) for z in np.random.default_rng(0).random((60, 2))]
    rival = GridSearchCV(wp.SVC(C=0.1, gamma=0.5), {"class_weight": grid}, cv=3, refit=False)
    rival.fit(toy.X, toy.y)
    assert search.best_score_ <= 1 - rival.best_score_ + 1e-12


@pytest.mark.parametrize("metric", ["squared", "absolute", "epsilon_insensitive"])
def test_regression_in_a_pipeline(metric):
    rng = np.random.default_rng(0)
    X = 50 + 20 * rng.normal(size=(45, 2))
    y = np.sin(X[:, 0] / 15) + 0.2 * rng.normal(size=45)
    pipe = make_pipeline(StandardScaler(), wp.SVR(C=0.5, epsilon=0.02, gamma=0.5))
    axes = [{"C": 5.0}, {"epsilon": 0.4}]
    params = {"epsilon": 0.1} if metric == "epsilon_insensitive" else None
    search = wp.RegionSearchCV(pipe, axes, metric=metric, cv=3, metric_params=params)
    search.fit(X, y)
    for z in rng.random((25, 2)):
        model = clone(pipe).set_params(svr__C=0.5 + 4.5 * z[0], svr__epsilon=0.02 + 0.38 * z[1])
        errors = [
            np.abs(y[test] - clone(model).fit(X[train], y[train]).predict(X[test]))
            for train, test in KFold(3).split(X)
        ]
        losses = [
            np.mean(
                {
                    "squared": error**2,
                    "absolute": error,
                    "epsilon_insensitive": np.maximum(error - 0.1, 0),
                }[metric]
            )
            for error in errors
        ]
        assert search.best_score_ <= np.mean(losses) + 1e-12
    assert search.predict(X[:3]).shape == (3,)
    found = search.best_estimator_[-1]
    assert found.weights_[0] == pytest.approx(0.5 + 4.5 * search.best_z_[0])
    assert found.epsilon_[0] == pytest.approx(0.02 + 0.38 * search.best_z_[1])


@pytest.mark.parametrize(
    "backend", ["threading", pytest.param("loky", marks=pytest.mark.second_stage)]
)
def test_folds_in_parallel_and_weights(backend):
    toy = wp.datasets.make_toy(48, random_state=2)
    rng = np.random.default_rng(0)
    weight, cost = rng.random(48) + 0.5, rng.integers(1, 4, 48)
    found = []
    for n_jobs in (None, 2):
        search = wp.RegionSearchCV(
            wp.SVC(C=0.2, gamma=0.5), COSTS, metric="auc", cv=3, n_jobs=n_jobs
        )
        with joblib.parallel_config(backend):
            search.fit(toy.X, toy.y, sample_weight=weight, validation_weight=cost)
        found.append((search.best_score_, *search.best_z_))
    assert found[0] == found[1]


def test_axes_with_entries_for_rows():
    toy = wp.datasets.make_toy(48, random_state=2)
    rng = np.random.default_rng(0)
    axes = [{"sample_weight": 5 * rng.random(48)}, rng.random(48)]
    search = wp.RegionSearchCV(wp.SVC(C=1, gamma=0.5), axes, cv=3).fit(toy.X, toy.y)
    weight = 1 + search.best_z_[0] * (axes[0]["sample_weight"] - 1) + search.best_z_[1] * axes[1]
    np.testing.assert_allclose(search.best_estimator_.weights_, weight)


def test_conventions_and_errors():
    toy = wp.datasets.make_toy(40, random_state=0)
    search = wp.RegionSearchCV(wp.SVC(C=0.1, gamma=0.5), COSTS, cv=2)
    assert clone(search).get_params()["axes"] == COSTS
    assert not hasattr(search, "best_z_")
    with pytest.raises(ValueError, match="needs axes="):
        wp.RegionSearchCV(wp.SVC()).fit(toy.X, toy.y)
    with pytest.raises(TypeError, match="needs an SVC"):
        wp.RegionSearchCV(StandardScaler(), COSTS).fit(toy.X, toy.y)
    with pytest.raises(ValueError, match="two axes; got 1"):
        wp.RegionSearchCV(wp.SVC(), COSTS[:1]).fit(toy.X, toy.y)
    with pytest.raises(wp.PathError, match="Fold 1 of 2: The map of 3 regions does not cover"):
        wp.RegionSearchCV(wp.SVC(C=0.1), COSTS, cv=2, max_regions=3).fit(toy.X, toy.y)
    assert 0 <= search.fit(toy.X, toy.y).score(toy.X, toy.y) <= 1
    assert search.classes_.tolist() == [-1, 1]
