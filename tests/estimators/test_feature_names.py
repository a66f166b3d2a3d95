"""Paths know the names of their columns and check them as the models do."""

import io
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import weightpath as wp

N = 24
NAMES = ["one", "two", "three"]


def frame(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N, 3)), columns=NAMES)
    y = (X["one"] + 0.5 * rng.normal(size=N) > 0).astype(int).to_numpy()
    return X, y, rng.uniform(0.2, 2.0, N)


def classifier(X, y, weight):
    model = wp.SVC(gamma=0.5).fit(X, y)
    return model, model.reweight(weight), "zero_one"


def several_classes(X, y, weight):
    model = wp.SVC(gamma=0.5).fit(X, np.arange(N) % 3)
    return model, model.reweight(weight), "zero_one"


def regression(X, y, weight):
    model = wp.SVR().fit(X, y)
    return model, model.reweight(weight), "squared"


def ranking(X, y, weight):
    model = wp.RankingSVM(gamma=0.5).fit(X, y)
    return model, model.move(C=2.0), "ndcg"


def lasso(X, y, weight):
    model = wp.Lasso(alpha=0.01).fit(X, y)
    return model, model.path_, "absolute"


MODELS = (classifier, several_classes, regression, ranking, lasso)


def through_file(path):
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    return wp.load(stream)


WAYS = {
    "itself": lambda path: path,
    "file": through_file,
    "pickle": lambda path: pickle.loads(pickle.dumps(path)),
}


def message_of(call, *arguments) -> str:
    with pytest.raises(ValueError, match="feature names") as caught:
        call(*arguments)
    # Only the name of the class differs.
    return re.sub(r"but \w+ ", "but it ", str(caught.value))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", MODELS)
def test_other_columns_are_refused_as_by_the_model(make, way):
    X, y, weight = frame()
    model, path, metric = make(X, y, weight)
    path = WAYS[way](path)
    assert path.feature_names_in_.tolist() == NAMES
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path.decision_function(X, [0.2, 0.7])
        path.curve(X, y, metric)
    for other in (X[NAMES[::-1]], X.rename(columns={"two": "four"}), X.drop(columns="one")):
        expected = message_of(model.predict, other)
        assert message_of(path.decision_function, other, 0.5) == expected
        assert message_of(path.curve, other, y, metric) == expected
        with pytest.raises(ValueError, match="feature names"):
            next(path.iter_segments(other))


@pytest.mark.parametrize("make", MODELS)
def test_rows_without_names_are_taken_with_a_warning(make):
    X, y, weight = frame()
    _, path, metric = make(X, y, weight)
    message = "X does not have valid feature names, but SolutionPath was fitted"
    with pytest.warns(UserWarning, match=message):
        values = path.decision_function(X.to_numpy(), 0.5)
    np.testing.assert_array_equal(values, path.decision_function(X, 0.5))
    with pytest.warns(UserWarning, match=message) as caught:
        path.curve(X.to_numpy(), y, metric)
    assert len(caught) == 1


@pytest.mark.parametrize("make", MODELS)
def test_paths_without_names(make):
    X, y, weight = frame()
    _, path, metric = make(X.to_numpy(), y, weight)
    assert not hasattr(path, "feature_names_in_")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path.decision_function(X.to_numpy(), 0.5)
        path.curve(X.to_numpy(), y, metric)
    with pytest.warns(UserWarning, match="X has feature names, but SolutionPath"):
        path.decision_function(X, 0.5)


def test_names_stay_when_rows_come_and_go():
    X, y, _ = frame()
    model = wp.SVC(gamma=0.5).fit(X, y)
    path = model.add(X[:2] + 0.1, y[:2])
    assert path.feature_names_in_.tolist() == NAMES
    assert model.remove([0]).feature_names_in_.tolist() == NAMES


def test_columns_of_a_kernel_matrix_lose_their_names_with_the_rows():
    X, y, weight = frame()
    K = X.to_numpy() @ X.to_numpy().T
    names = [f"row {k}" for k in range(N)]
    model = wp.SVC(kernel="precomputed", ridge=0.1).fit(pd.DataFrame(K, columns=names), y)
    assert model.reweight(weight).feature_names_in_.tolist() == names
    model.remove([0])
    assert not hasattr(model.reweight(weight[1:]), "feature_names_in_")


def test_names_cannot_be_changed():
    X, y, weight = frame()
    _, path, _ = classifier(X, y, weight)
    with pytest.raises(ValueError, match="read-only"):
        path.feature_names_in_[0] = "other"


def test_searches_do_not_warn():
    X, y, weight = frame()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = wp.PathSearchCV(wp.SVC(gamma=0.5), "zero_one", cv=2)
        search.fit(X, y, start=np.ones(N), end=weight)
        search.predict(X)
        wp.leave_one_out(search.best_estimator_)
