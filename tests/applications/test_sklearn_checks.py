"""scikit-learn's own checks of the applications, with no exceptions; and routed metadata."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import weightpath as wp

# HeteroscedasticSVR, OnlineSVC and OnlineSVR are checked beside their own tests.
MODELS = [
    wp.TransductiveSVC(),
    wp.TransductiveSVC(schedule="annealed", kernel="linear"),
    wp.CovariateShiftSVC(),
    wp.CovariateShiftSVC(wp.SVC(kernel="linear"), cv=3, metric="balanced_accuracy"),
    wp.OnlineOneClassSVM(),
    wp.OnlineOneClassSVM(forgetting=None, kernel="linear", nu=0.2),
]

ROUTED = [
    wp.CovariateShiftSVC(cv=3),
    wp.HeteroscedasticSVR(),
    wp.OnlineOneClassSVM(),
    wp.OnlineSVC(),
    wp.OnlineSVR(),
    wp.TransductiveSVC(),
]


@parametrize_with_checks(MODELS)
def test_estimator_check(estimator, check):
    check(estimator)


def named(estimators):
    return [type(estimator).__name__ for estimator in estimators]


@pytest.mark.parametrize("estimator", ROUTED, ids=named(ROUTED))
def test_estimators_fit_where_metadata_are_routed(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        pipeline = Pipeline([("scale", StandardScaler()), ("model", estimator)])
        scores = cross_val_score(pipeline, X, y, cv=3, scoring=score, params={})
        assert np.isfinite(scores).all()
        search = GridSearchCV(pipeline, {"scale__with_mean": [True, False]}, cv=2, scoring=score)
        assert search.fit(X, y).predict(X).shape == (60,)


def score(model, X, y):
    return float(np.mean(model.predict(X)))


def test_new_inputs_are_routed_through_a_pipeline_and_transformed():
    rng = np.random.default_rng(0)
    X, X_new = 5.0 + rng.normal(0, 3, (90, 2)), 7.0 + rng.normal(0, 2, (60, 2))
    y = np.where(X[:, 0] ** 2 + X[:, 1] > 40, 1, -1)
    with sklearn.config_context(enable_metadata_routing=True):
        model = wp.CovariateShiftSVC(cv=3).set_fit_request(X_test=True)
        pipeline = Pipeline(
            [("scale", StandardScaler()), ("model", model)], transform_input=["X_test"]
        )
        pipeline.fit(X, y, X_test=X_new)
    scaler = StandardScaler().fit(X)
    alone = wp.CovariateShiftSVC(cv=3).fit(scaler.transform(X), y, scaler.transform(X_new))
    np.testing.assert_allclose(pipeline["model"].importance_, alone.importance_, rtol=1e-12)
    assert pipeline["model"].importance_.std() > 0.1


def test_without_new_inputs_there_is_no_shift():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    model = wp.CovariateShiftSVC(wp.SVC(C=2.0), cv=3).fit(X, y)
    assert (model.importance_ == 1.0).all() and (model.weights_ == 1.0).all()
    assert model.importance_fit_ is None
    expected = wp.SVC(C=2.0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def test_new_inputs_may_still_come_third():
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(60, 2)), rng.normal(0.5, 0.7, size=(40, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    one = wp.CovariateShiftSVC(cv=3).fit(X, y, X_new)
    other = wp.CovariateShiftSVC(cv=3).fit(X, y, X_test=X_new)
    np.testing.assert_array_equal(one.weights_, other.weights_)
