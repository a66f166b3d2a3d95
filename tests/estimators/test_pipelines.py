"""Paths of pipelines: raw rows in, the steps as they were fitted, whatever becomes of them."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KernelCenterer, StandardScaler

import weightpath as wp
from stories.people import passengers, preparation, weights

N = 70
THETAS = (0.0, 0.37, 1.0)


def numbers(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(100.0 * rng.normal(size=(n, 3)) + [5, 500, -300], columns=["a", "b", "c"])
    y = np.where(X["a"] + 0.4 * X["b"] + 60 * rng.normal(size=n) > 205, "yes", "no")
    return X, y


def assert_takes_raw_rows(path, X, y):
    """Assert that the path on raw rows is what its models are."""
    curve = path.curve(X, y, "accuracy")
    for theta in THETAS:
        model = path.model_at(theta)
        assert isinstance(model, Pipeline)
        values = path.decision_function(X, theta)
        np.testing.assert_allclose(values, model.decision_function(X), rtol=0, atol=1e-9)
        np.testing.assert_array_equal(path.predict(X, theta), model.predict(X))
        assert curve(theta) == model.score(X, y)
    np.testing.assert_array_equal(path.predict(X, THETAS)[1], path.predict(X, THETAS[1]))
    block = next(path.iter_segments(X))
    np.testing.assert_allclose(block[2][0], path.decision_function(X, 0.0), rtol=0, atol=1e-9)


PIPELINES = {
    "scaled": lambda: make_pipeline(StandardScaler(), wp.SVC()),
    "alone": lambda: make_pipeline(wp.SVC(gamma=1e-5)),
    "passthrough": lambda: make_pipeline("passthrough", StandardScaler(), "passthrough", wp.SVC()),
    "frames": lambda: make_pipeline(StandardScaler(), wp.SVC()).set_output(transform="pandas"),
    "nested": lambda: make_pipeline(StandardScaler(), make_pipeline(PCA(2), wp.SVC(C=2.0))),
    "nested first": lambda: make_pipeline(make_pipeline(StandardScaler(), PCA(2)), wp.SVC()),
    "union": lambda: make_pipeline(
        StandardScaler(), FeatureUnion([("pca", PCA(2)), ("same", "passthrough")]), wp.SVC()
    ),
    "random features": lambda: make_pipeline(
        StandardScaler(), Nystroem(n_components=20, random_state=0), wp.SVC(kernel="linear")
    ),
    "function": lambda: make_pipeline(
        StandardScaler(), FunctionTransformer(np.tanh), wp.SVC(kernel="poly", degree=2)
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_raw_rows_everywhere(name):
    (X, y), (X_new, y_new) = numbers(), numbers(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe = PIPELINES[name]().fit(X, y)
        path = wp.reweight(pipe, weights(N))
        assert path.feature_names_in_.tolist() == ["a", "b", "c"]
        assert_takes_raw_rows(path, X_new, y_new)
    np.testing.assert_array_equal(pipe.predict(X_new), path.predict(X_new, 1.0))
    names = [step for step, _ in pipe.steps]
    assert [step for step, _ in path.model_at(0.5).steps] == names


def test_table_with_texts_and_missing_values():
    (X, y), (X_new, y_new) = passengers(N), passengers(40, seed=2)
    path = wp.reweight(make_pipeline(preparation(), wp.SVC()).fit(X, y), weights(N))
    assert_takes_raw_rows(path, X_new, y_new)
    # A ColumnTransformer finds columns by their names.
    other = X_new[X_new.columns[::-1]].assign(deck="C")
    np.testing.assert_array_equal(path.predict(other, 0.5), path.predict(X_new, 0.5))
    with pytest.raises(ValueError, match=r"columns are missing: .*'age'"):
        path.predict(X_new.drop(columns="age"), 0.5)


def test_texts_and_sparse_rows():
    texts = ["free money", "free offer now", "meeting at noon", "lunch at noon", "offer of money"]
    y = [1, 1, 0, 0, 1]
    path = wp.reweight(make_pipeline(TfidfVectorizer(), wp.SVC()).fit(texts, y), [1, 2, 0.5, 3, 1])
    assert_takes_raw_rows(path, ["money at noon", "free lunch"], [1, 0])
    assert "after TfidfVectorizer" in repr(path) and "TfidfVectorizer" in path._repr_html_()


def test_kernel_matrix():
    X, y = numbers()
    K = X.to_numpy() @ X.to_numpy().T / 1e4
    path = wp.move(make_pipeline(KernelCenterer(), wp.SVC(kernel="precomputed")).fit(K, y), C=3.0)
    assert_takes_raw_rows(path, K[:30], y[:30])


def test_cached_steps(tmp_path):
    X, y = numbers()
    steps = [("scale", StandardScaler()), ("pca", PCA(2)), ("svc", wp.SVC())]
    plain = wp.path_to(Pipeline(steps).fit(X, y), C=4.0)
    pipe = Pipeline([(name, clone(step)) for name, step in steps], memory=str(tmp_path))
    for _ in range(2):
        path = wp.path_to(pipe.fit(X, y), C=4.0)
        np.testing.assert_array_equal(path.predict(X, 0.5), plain.predict(X, 0.5))
        assert path.model_at(0.5).memory == str(tmp_path)
    search = wp.PathSearchCV(pipe, cv=2).fit(X, y, start=np.ones(N), end=weights(N))
    other = wp.PathSearchCV(Pipeline(steps), cv=2).fit(X, y, start=np.ones(N), end=weights(N))
    np.testing.assert_array_equal(search.curve_.values, other.curve_.values)


def test_transformers_stay_as_they_were_fitted():
    X, y = numbers()
    pipe = make_pipeline(StandardScaler(), wp.SVC()).fit(X, y)
    path = wp.path_to(pipe, sample_weight=weights(N))
    model, before = path.model_at(0.4), path.decision_function(X, [0.4, 0.8])
    for one in (pipe, model):
        one.fit(7.0 * X.to_numpy() - 3.0, y[::-1])
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(path.decision_function(X.to_numpy(), [0.4, 0.8]), before)


def test_path_to_leaves_the_model():
    X, y = numbers()
    model = wp.SVC(gamma=1e-5).fit(X, y)
    before = model.decision_function(X)
    path = model.path_to(sample_weight=weights(N), C=2.0)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.C_ == 1.0 and path.status == "complete"
    again = wp.path_to(model, sample_weight=weights(N), C=2.0)
    np.testing.assert_array_equal(again.theta, path.theta)
    moved = wp.move(model, sample_weight=weights(N), C=2.0)
    np.testing.assert_allclose(moved.theta, path.theta, rtol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(X), path.model_at(1.0).decision_function(X), rtol=0, atol=1e-9
    )
    assert model.C_ == 2.0
    with pytest.raises(TypeError, match="epsilon"):
        model.path_to(epsilon=0.1)


def test_functions_take_estimators():
    X, y = numbers()
    model, other = (wp.SVC(gamma=1e-5).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(
        wp.reweight(model, weights(N)).theta, other.reweight(weights(N)).theta
    )
    path = wp.move(model, C=3.0)
    assert path.preparation is None and path.on_prepared_rows is path
    assert isinstance(path.model_at(0.5), wp.SVC)


@pytest.mark.parametrize("function", [wp.reweight, wp.move, wp.path_to])
@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(), "got a LogisticRegression"),
        (make_pipeline(wp.SVC(), StandardScaler()), "Pipeline that ends in StandardScaler"),
        (make_pipeline(StandardScaler(), "passthrough"), "Pipeline that ends in passthrough"),
        (wp.PathSearchCV(wp.SVC()), "got a PathSearchCV"),
        (None, "got a NoneType"),
        (wp.SVC, "got a ABCMeta"),
    ],
)
def test_other_models_are_refused(function, model, message):
    with pytest.raises(TypeError, match=message):
        function(model, **({"sample_weight": np.ones(3)}))


def test_models_must_be_fitted():
    for model in (wp.SVC(), make_pipeline(StandardScaler(), wp.SVC())):
        with pytest.raises(ValueError, match="not fitted"):
            wp.reweight(model, np.ones(3))


def test_names_are_checked_by_the_transformers():
    X, y = numbers()
    path = wp.reweight(make_pipeline(StandardScaler(), wp.SVC()).fit(X, y), weights(N))
    with pytest.raises(ValueError, match="feature names should match"):
        path.curve(X[["c", "b", "a"]], y, "accuracy")
    with pytest.raises(ValueError, match="expecting 3 features"):
        path.predict(np.zeros((4, 2)), 0.5)
    # What the last step alone knows of a raw frame: nothing but the number of its columns.
    alone = make_pipeline(PCA(2), wp.SVC()).fit(X, y)[-1].reweight(weights(N))
    with pytest.raises(ValueError, match="expecting 2 features"):
        alone.curve(X, y, "accuracy")
    framed = make_pipeline(PCA(3), wp.SVC()).set_output(transform="pandas").fit(X, y)[-1]
    with pytest.raises(ValueError, match="feature names should match"):
        framed.reweight(weights(N)).curve(X, y, "accuracy")


def test_copies_and_prepared_rows():
    X, y = numbers()
    pipe = make_pipeline(StandardScaler(), wp.SVC()).fit(X, y)
    path = wp.reweight(pipe, weights(N))
    twin = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(twin.predict(X, 0.3), path.predict(X, 0.3))
    inner = path.on_prepared_rows
    assert inner.preparation is None
    np.testing.assert_array_equal(
        inner.decision_function(path.X, 0.3), path.decision_function(X, 0.3)
    )
    # The training rows are those that the last step had.
    np.testing.assert_allclose(path.X, pipe[:-1].transform(X))


class Twice(TransformerMixin, BaseEstimator):
    """A transformer of a user, without any checks."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return 2.0 * np.asarray(X)


def test_own_transformer():
    X, y = numbers()
    pipe = make_pipeline(Twice(), StandardScaler(), wp.SVC()).fit(X, y)
    path = wp.reweight(pipe, weights(N))
    assert not hasattr(path, "feature_names_in_")
    assert_takes_raw_rows(path, X, y)
