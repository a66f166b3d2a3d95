"""Models and paths as Python objects and as scikit-learn's estimators."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from estimators.samples import (
    KINDS,
    Kind,
    assert_same_model,
    fingerprint,
    overlapping,
    pairwise_values,
    random_weights,
)

N = 40


def through_joblib(thing):
    stream = io.BytesIO()
    joblib.dump(thing, stream)
    stream.seek(0)
    return joblib.load(stream)


WAYS = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "joblib": through_joblib,
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.fixture(params=WAYS)
def copied(request):
    return WAYS[request.param]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", KINDS)
def test_a_copy_goes_its_own_way(name, n_classes, copied):
    kind = Kind(name)
    X, y = overlapping(N, n_classes)
    X = kind.training(X)
    model = kind.model().fit(X, y)
    before = fingerprint(model)
    twin = copied(model)
    assert (pairwise_values(twin, X) == pairwise_values(model, X)).all()
    twin.reweight(random_weights(N))
    twin.remove([0])
    assert fingerprint(model) == before
    model.reweight(random_weights(N))
    model.remove([0])
    points = X[:, 1:] if name == "precomputed" else X
    assert_same_model(model, twin, points, tolerance=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_path_can_be_copied(n_classes, copied):
    X, y = overlapping(N, n_classes)
    path = wp.SVC().fit(X, y).reweight(random_weights(N))
    path.events, path.at(0.5)
    twin = copied(path)
    np.testing.assert_array_equal(twin.theta, path.theta)
    assert (twin.decision_function(X, 0.3) == path.decision_function(X, 0.3)).all()
    assert (twin.model_at(0.3).predict(X) == path.model_at(0.3).predict(X)).all()
    assert twin.status.message == path.status.message
    assert twin.at(0.5).objective == path.at(0.5).objective


def test_clone_and_parameters():
    X, y = overlapping(N)
    model = wp.SVC(C=3.0, kernel="poly", degree=2, coef0=1.0, class_weight={0: 2.0}).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        twin.decision_function(X)
    assert twin.set_params(C=5.0, gamma=0.1) is twin
    assert (twin.C, twin.gamma) == (5.0, 0.1)
    assert repr(wp.SVC(C=3)) == "SVC(C=3)"


def test_a_subclass_keeps_its_kind():
    class Named(wp.SVC):
        def fit(self, X, y):
            self.name = "mine"
            return super().fit(X, y)

    X, y = overlapping(N)
    model = Named().fit(X, y)
    path = model.reweight(random_weights(N))
    assert model.name == "mine"
    assert type(path.model_at(0.5)) is Named


def test_grid_search():
    X, y = overlapping(60, 3)
    search = GridSearchCV(wp.SVC(), {"C": [0.1, 1.0], "kernel": ["linear", "rbf"]}, cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    search.best_estimator_.move(C=2.0)
    K = Kind("precomputed").training(X)
    scores = cross_validate(wp.SVC(kernel="precomputed"), K, y, cv=3)["test_score"]
    assert scores.min() > 0.3


def test_pipeline():
    X, y = overlapping(60)
    weight = random_weights(60)
    pipeline = make_pipeline(StandardScaler(), wp.SVC()).set_output(transform="pandas")
    pipeline.fit(X, y, svc__sample_weight=weight, svc__margin=0.9)
    alone = wp.SVC().fit(StandardScaler().fit_transform(X), y, weight, margin=0.9)
    np.testing.assert_allclose(
        pipeline.decision_function(X),
        alone.decision_function(StandardScaler().fit_transform(X)),
        rtol=0,
        atol=1e-12,
    )
    assert pipeline[-1].feature_names_in_.tolist() == ["x0", "x1", "x2"]


def test_metadata_routing():
    X, y = overlapping(60)
    weight, margin = random_weights(60), np.linspace(0.5, 1.5, 60)
    with config_context(enable_metadata_routing=True):
        model = wp.SVC().set_fit_request(sample_weight=True, margin=True)
        model.set_score_request(sample_weight=False)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, model).fit(X, y, sample_weight=weight, margin=margin)
        np.testing.assert_allclose(pipeline[-1].weights_, weight)
        np.testing.assert_allclose(pipeline[-1].margin_, margin)
        search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=3)
        search.fit(X, y, sample_weight=weight, margin=margin)
        np.testing.assert_allclose(search.best_estimator_.margin_, margin)


def test_refitting_forgets_the_past():
    X, y = overlapping(60, 3)
    used = wp.SVC().fit(X, y)
    used.reweight(random_weights(60))
    used.move(C=3.0, margin=0.5)
    X, y = overlapping(40, 2, n_features=5)
    new = wp.SVC().fit(X, y)
    assert fingerprint(used.fit(X, y)) == fingerprint(new)
