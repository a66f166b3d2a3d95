"""Searches, removals and many paths of pipelines on raw rows."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import eye
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler

import weightpath as wp
from stories.people import passengers, preparation, weights

N = 60
FOLDS = KFold(3, shuffle=True, random_state=0)


def pipeline(**settings):
    return make_pipeline(preparation(), wp.SVC(C=2.0, **settings))


def test_transformers_are_fitted_inside_each_fold():
    X, y = passengers(N)
    start, end = np.ones(N), weights(N)
    search = wp.PathSearchCV(pipeline(), "accuracy", cv=FOLDS).fit(X, y, start=start, end=end)
    for fold, (train, test) in zip(search.fold_curves_, FOLDS.split(X), strict=True):
        # By hand: nothing of the rows that are held out is known to the transformers.
        before = clone(preparation()).fit(X.iloc[train])
        Z, Z_test = before.transform(X.iloc[train]), before.transform(X.iloc[test])
        model = wp.SVC(C=2.0).fit(Z, y.iloc[train], sample_weight=start[train])
        curve = model.reweight(end[train]).curve(Z_test, y.iloc[test], "accuracy")
        np.testing.assert_array_equal(fold.edges, curve.edges)
        np.testing.assert_array_equal(fold.values, curve.values)
    assert isinstance(search.best_estimator_, Pipeline)
    assert list(search.feature_names_in_) == list(X.columns)
    assert search.classes_.tolist() == ["died", "survived"]
    assert search.score(X, y) == search.path_.curve(X, y, "accuracy")(search.best_theta_)


@pytest.mark.parametrize(
    ("model", "metric"),
    [
        (lambda: make_pipeline(StandardScaler(), wp.SVR(C=3.0)), "absolute"),
        (lambda: make_pipeline(StandardScaler(), PCA(2), wp.Lasso(alpha=0.1)), "squared"),
        (lambda: Pipeline([("all", make_pipeline(StandardScaler(), wp.SVR()))]), "absolute"),
    ],
)
def test_search_of_regressors(model, metric):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(500, 100, (N, 3)), columns=["a", "b", "c"])
    y = 0.02 * X["a"] - 0.01 * X["b"] + rng.normal(size=N)
    n_weights = 2 if "lasso" in dict(model().steps) else N
    ends = np.ones(n_weights), weights(n_weights)
    search = wp.PathSearchCV(model(), metric, cv=FOLDS).fit(X, y, start=ends[0], end=ends[1])
    there = search.path_.predict(X, search.best_theta_)
    np.testing.assert_allclose(search.predict(X), there, rtol=0, atol=1e-10)
    assert search.best_score_ < np.mean(np.abs(y - y.mean()) ** (1 + (metric == "squared")))


def test_grid_over_transformers_and_legs():
    X, y = load_iris(return_X_y=True, as_frame=True)
    w = weights(len(y))
    pipe = Pipeline([("scale", StandardScaler()), ("pca", PCA()), ("svc", wp.SVC())])
    grid = {"pca__n_components": [1, 3], "svc__C": [0.1, 2.0]}
    search = wp.PathSearchCV(pipe, "accuracy", cv=3, param_grid=grid)
    search.fit(X, y, patterns=[np.ones(len(y)), w, w[::-1]])
    assert len(search.curves_) == 4 and search.curve_.edges[-1] == 2.0
    assert search.best_estimator_["pca"].n_components == search.best_params_["pca__n_components"]
    with pytest.raises(ValueError, match="not a parameter of Pipeline"):
        wp.PathSearchCV(pipe, param_grid={"C": [1.0]}).fit(X, y, start=w, end=w)


def test_rows_of_other_kinds():
    texts = ["free money", "free offer now", "meeting at noon", "lunch at noon", "an offer"] * 4
    y = np.array([1, 1, 0, 0, 1] * 4)
    pipe = make_pipeline(TfidfVectorizer(), wp.SVC())
    search = wp.PathSearchCV(pipe, cv=TimeSeriesSplit(3))
    search.fit(texts, y, start=np.ones(20), end=np.linspace(0.1, 1, 20))
    assert search.predict(["free lunch at noon"]).shape == (1,)
    X = np.random.default_rng(0).normal(size=(20, 2))
    centred = make_pipeline(KernelCenterer(), wp.SVC(kernel="precomputed"))
    for K in (X @ X.T, pd.DataFrame(X @ X.T)):
        search = wp.PathSearchCV(centred, cv=3).fit(K, y, start=np.ones(20), end=weights(20))
        assert search.predict(K).shape == (20,)


def test_further_parameters_of_fit():
    X, y = passengers(N)
    ends = {"start": np.ones(N), "end": weights(N)}
    margin = np.linspace(0.5, 1.5, N)
    plain = wp.PathSearchCV(pipeline(), cv=FOLDS).fit(X, y, **ends, margin=margin)
    named = wp.PathSearchCV(pipeline(), cv=FOLDS).fit(X, y, **ends, svc__margin=margin)
    np.testing.assert_array_equal(plain.curve_.values, named.curve_.values)
    np.testing.assert_array_equal(plain.best_estimator_[-1].margin_, margin)
    Z = np.random.default_rng(0).normal(size=(N, 2))
    scaled = make_pipeline(StandardScaler(), wp.SVC())
    search = wp.PathSearchCV(scaled, cv=FOLDS)
    search.fit(Z, y, **ends, standardscaler__sample_weight=margin)
    expected = StandardScaler().fit(Z, sample_weight=margin).mean_
    np.testing.assert_array_equal(search.best_estimator_[0].mean_, expected)
    with pytest.raises(TypeError, match="start and end"):
        search.fit(Z, y, **ends, sample_weight=margin)


def test_with_metadata_routing():
    X, y = passengers(N)
    ends = {"start": np.ones(N), "end": weights(N)}
    expected = wp.PathSearchCV(pipeline(), cv=FOLDS).fit(X, y, **ends)
    margin = np.full(N, 0.7)
    with sklearn.config_context(enable_metadata_routing=True):
        found = wp.PathSearchCV(pipeline(), cv=FOLDS).fit(X, y, **ends)
        np.testing.assert_array_equal(found.curve_.values, expected.curve_.values)
        pipe = make_pipeline(preparation(), wp.SVC().set_fit_request(margin=True))
        routed = wp.PathSearchCV(pipe, cv=FOLDS).fit(X, y, **ends, margin=margin)
    np.testing.assert_array_equal(routed.best_estimator_[-1].margin_, margin)


def test_leave_one_out():
    (X, y), (X_new, _) = passengers(N), passengers(12, seed=4)
    pipe = pipeline().fit(X, y)
    before = pipe.decision_function(X_new)
    found = wp.leave_one_out(pipe)
    Z = pipe[:-1].transform(X)
    expected = wp.leave_one_out(wp.SVC(C=2.0).fit(Z, y))
    np.testing.assert_allclose(found.decision_values, expected.decision_values, atol=1e-9)
    values = found.decision_function(X_new)
    assert values.shape == (N, 12)
    one = wp.SVC(C=2.0, gamma=pipe[-1].gamma_).fit(Z[1:], y.iloc[1:])
    np.testing.assert_allclose(
        values[0], one.decision_function(pipe[:-1].transform(X_new)), rtol=0, atol=1e-9
    )
    np.testing.assert_array_equal(pipe.decision_function(X_new), before)


def test_influence():
    (X, y), (X_new, y_new) = passengers(N), passengers(30, seed=4)
    pipe = pipeline().fit(X, y)
    found = wp.influence(pipe, X_new, y_new, "accuracy")
    last, before = pipe[-1], pipe[:-1]
    expected = wp.influence(last, before.transform(X_new), y_new, "accuracy")
    np.testing.assert_array_equal(found.values, expected.values)
    assert found.metric_value == pipe.score(X_new, y_new)


@pytest.mark.parametrize("record", [False, True])
def test_follow_many(record):
    (X, y), (X_new, y_new) = passengers(N), passengers(8, seed=4)
    pipe = pipeline().fit(X, y)
    many = wp.follow_many(pipe, eye(N, format="csr")[:5], X=X_new, record=record)
    for k in range(5):
        path = wp.path_to(pipe, sample_weight=1.0 + (np.arange(N) == k))
        expected = path.decision_function(X_new, 1.0)
        np.testing.assert_allclose(many.decision_values[k], expected, rtol=0, atol=1e-9)
        if record:
            np.testing.assert_allclose(
                many[k].decision_function(X_new, 1.0), expected, rtol=0, atol=1e-9
            )
            assert isinstance(many[k].model_at(0.5), Pipeline)
    added = wp.follow_many(pipe, X_new=X_new, y_new=y_new, X=X)
    other = clone(pipe[-1]).set_params(gamma=pipe[-1].gamma_)
    Z = pipe[:-1].transform(pd.concat([X, X_new[:1]]))
    other.fit(Z, [*y, y_new.iloc[0]])
    np.testing.assert_allclose(
        added.decision_values[0], other.decision_function(Z[:N]), rtol=0, atol=1e-8
    )


def test_other_pipelines_are_refused():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), sklearn.svm.SVC()).fit(X, y)
    for call in (
        lambda: wp.leave_one_out(pipe),
        lambda: wp.influence(pipe, X, y, "zero_one"),
        lambda: wp.follow_many(pipe, np.ones((1, len(y)))),
    ):
        with pytest.raises(TypeError, match="must be a fitted estimator of weightpath"):
            call()
    with pytest.raises(TypeError, match="last step can; SVC cannot"):
        wp.PathSearchCV(pipe).fit(X, y, start=y, end=y)
