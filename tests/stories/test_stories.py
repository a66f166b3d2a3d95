"""Each user's way from raw rows to predictions on new raw rows: what the curve says is what comes.

A curve is right where the accuracy (or the error) of the predictions at its theta, on rows that
neither the transformers nor the model have seen, is its value there.
"""

import io

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
import sklearn.metrics
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from stories.people import passengers, preparation, weights

THETAS = (0.0, 0.21, 0.5, 0.83, 1.0)


def again(path):
    """Return the path from a file that another machine could have."""
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    return wp.load(stream)


def assert_told_the_truth(path, X, y, metric, value_of, rtol=0.0):
    """Assert that the curve has the value of the predictions at each theta, also from a file."""
    curve = path.curve(X, y, metric)
    for one in (path, again(path)):
        for theta in (*THETAS, curve.best.theta):
            model = one.model_at(theta)
            assert isinstance(model, Pipeline)
            told = model.predict(X)
            assert value_of(y, told) == pytest.approx(curve(theta), rel=rtol, abs=rtol)
            there = one.predict(X, theta)
            if rtol:
                np.testing.assert_allclose(there, told, rtol=0, atol=1e-8)
            else:
                np.testing.assert_array_equal(there, told)
    return curve


def test_passengers():
    (X, y), (X_new, y_new) = passengers(160), passengers(90, seed=5)
    pipe = make_pipeline(preparation(), wp.SVC(C=3.0)).fit(X, y)
    path = wp.reweight(pipe, weights(len(y)))
    assert len(path) > 10 and path.kkt_violation() < 1e-9
    curve = assert_told_the_truth(path, X_new, y_new, "accuracy", sklearn.metrics.accuracy_score)
    assert curve(1.0) == pipe.score(X_new, y_new)
    assert curve.values.min() > 0.6  # and not what a lost scaler gives


def test_passengers_chosen_by_cross_validation():
    (X, y), (X_new, y_new) = passengers(120), passengers(90, seed=5)
    pipe = make_pipeline(preparation(), wp.SVC(C=3.0))
    search = wp.PathSearchCV(pipe, "accuracy", cv=3)
    search.fit(X, y, start=np.ones(len(y)), end=weights(len(y)))
    assert isinstance(search.best_estimator_, Pipeline)
    held_out = search.path_.curve(X_new, y_new, "accuracy")
    position = search.best_theta_
    assert held_out(position) == search.score(X_new, y_new)
    assert_told_the_truth(search.path_, X_new, y_new, "accuracy", sklearn.metrics.accuracy_score)


def test_three_classes():
    X, y = sklearn.datasets.load_wine(return_X_y=True, as_frame=True)
    names = np.array(["barolo", "grignolino", "barbera"])[y]
    train = np.arange(len(y)) % 3 > 0
    pipe = make_pipeline(StandardScaler(), wp.SVC()).fit(X[train], names[train])
    path = wp.move(pipe, C=0.02, sample_weight=weights(train.sum()))
    new = X[~train]
    curve = assert_told_the_truth(
        path, new, names[~train], "accuracy", sklearn.metrics.accuracy_score
    )
    assert curve(0.0) > 0.95
    values = path.decision_function(new, THETAS)
    assert values.shape == (len(THETAS), len(new), 3)
    by_value = path.classes[values[0].argmax(axis=1)]
    assert np.mean(by_value == names[~train]) == curve(0.0)


def test_regression():
    X, y = sklearn.datasets.load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    train = np.arange(len(y)) % 4 == 0
    pipe = make_pipeline(StandardScaler(), wp.SVR(C=50.0, epsilon=5.0))
    pipe.set_output(transform="pandas").fit(X[train], y[train])
    path = wp.reweight(pipe, weights(train.sum()))
    new, truth = X[~train], y[~train]
    curve = assert_told_the_truth(
        path, new, truth, "squared", sklearn.metrics.mean_squared_error, 1e-9
    )
    assert curve.best.value < truth.var()


def test_quantiles_and_lasso():
    X, y = sklearn.datasets.load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    train = np.arange(len(y)) % 4 == 0
    new, truth = X[~train], y[~train]
    pipe = make_pipeline(StandardScaler(), wp.QuantileSVR(C=5.0, quantile=0.9))
    path = wp.reweight(pipe.fit(X[train], y[train]), weights(train.sum()))

    def pinball(y_true, told):
        return sklearn.metrics.mean_pinball_loss(y_true, told, alpha=0.9)

    assert_told_the_truth(path, new, truth, "pinball", pinball, 1e-9)
    pipe = make_pipeline(StandardScaler(), wp.Lasso(alpha=1.0)).fit(X[train], y[train])
    path = wp.reweight(pipe, np.linspace(0.1, 4.0, X.shape[1]))
    absolute = sklearn.metrics.mean_absolute_error
    assert_told_the_truth(path, new, truth, "absolute", absolute, 1e-9)


def ranked(n_queries, seed=0):
    """Documents of queries with raw columns of very different units."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_queries), 8)
    table = pd.DataFrame({"clicks": rng.poisson(300, qid.size), "age": rng.random(qid.size)})
    score = 0.02 * (table["clicks"] - 300) - table["age"] + rng.normal(0, 0.2, qid.size)
    return table, np.digitize(score, [-0.8, -0.3]), qid


def test_ranking():
    (X, y, qid), (X_new, y_new, new_qid) = ranked(6), ranked(5, seed=3)
    pipe = Pipeline([("scale", StandardScaler()), ("rank", wp.RankingSVM(C=1.0))])
    pipe.fit(X, y, rank__qid=qid)
    path = wp.reweight(pipe, "relevance")
    curve = path.curve(X_new, y_new, "ndcg", qid=new_qid, k=4)
    for theta in THETAS:
        scores = path.model_at(theta).predict(X_new)
        np.testing.assert_allclose(scores, path.predict(X_new, theta), rtol=0, atol=1e-9)
        value = np.mean(
            [
                sklearn.metrics.ndcg_score([y_new[new_qid == q]], [scores[new_qid == q]], k=4)
                for q in np.unique(new_qid)
            ]
        )
        assert value == pytest.approx(curve(theta), abs=1e-12)


def test_ranking_chosen_by_cross_validation():
    (X, y, qid), (X_new, _, _) = ranked(8), ranked(3, seed=3)
    pipe = make_pipeline(StandardScaler(), wp.RankingSVM(C=1.0))
    search = wp.PathSearchCV(pipe, "ndcg", cv=2, metric_params={"k": 4})
    search.fit(X, y, start="uniform", end="relevance", qid=qid)
    np.testing.assert_allclose(
        search.predict(X_new), search.path_.predict(X_new, search.best_theta_), atol=1e-9
    )
    assert search.best_weights_.size == search.best_estimator_[-1].pairs_.shape[0]


def test_outliers():
    X, _ = passengers(100)
    new, _ = passengers(50, seed=7)
    pipe = make_pipeline(preparation(), wp.OneClassSVM(nu=0.2, gamma=0.3)).fit(X)
    path = again(wp.reweight(pipe, weights(100)))
    for theta in THETAS:
        model = path.model_at(theta)
        np.testing.assert_array_equal(path.predict(new, theta), model.predict(new))
        np.testing.assert_allclose(
            path.decision_function(new, theta), model.decision_function(new), rtol=0, atol=1e-10
        )
    assert set(np.unique(path.predict(new, 0.5))) == {-1, 1}


@pytest.mark.data("spambase")
def test_spam(data_home):
    spam = wp.datasets.load_spambase(data_home=data_home)
    rows = np.random.default_rng(0).permutation(len(spam.target))[:700]
    X, y = pd.DataFrame(spam.data, columns=spam.feature_names), spam.target
    train, new = rows[:350], rows[350:]
    X_new, y_new = X.iloc[new], y[new]
    pipe = make_pipeline(StandardScaler(), wp.SVC(C=1.0)).fit(X.iloc[train], y[train])
    path = wp.reweight(pipe, weights(len(train)))
    curve = assert_told_the_truth(path, X_new, y_new, "accuracy", sklearn.metrics.accuracy_score)
    assert curve.values.min() > 0.85  # where the scaler is lost it is 0.6
    assert list(path.feature_names_in_) == list(X.columns)
