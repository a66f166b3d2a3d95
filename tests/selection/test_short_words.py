"""What a notebook shows of a result is short."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import weightpath as wp


def results():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), wp.SVC()).fit(X, y)
    path = wp.path_to(pipe, C=2.0)
    one = {"indices": [1]}
    return {
        "path": path,
        "solution": path.at(0.5),
        "curve": path.curve(X, y, "accuracy"),
        "leave-one-out": wp.leave_one_out(pipe, **one),
        "influence": wp.influence(pipe, X, y, "accuracy", **one),
        "many": wp.follow_many(pipe, np.ones((1, len(y)))),
    }


SHOWN = ("path", "solution", "curve", "leave-one-out", "influence", "many")


@pytest.fixture(scope="module")
def found():
    return results()


@pytest.mark.parametrize("name", SHOWN)
def test_results(found, name):
    assert len(repr(found[name])) < 120 and "\n" not in repr(found[name])
    page = found[name]._repr_html_()
    assert page.startswith("<table>") and len(page) < 1500 and "array" not in page


def test_what_a_model_holds():
    X, y = load_iris(return_X_y=True)
    model = wp.SVC().fit(X, y)
    assert repr(model.training_set_) == "<TrainingSet: 150 rows, 4 columns, kernel 'rbf'>"
    assert repr(model.subproblems_[0]) == "<Subproblem: 100 rows of 'svc', 3 on the margin>"
    preparation = wp.path_to(make_pipeline(StandardScaler(), model).fit(X, y), C=2.0).preparation
    assert repr(preparation) == "<Preparation: StandardScaler>"
