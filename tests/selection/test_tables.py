"""Tables of results have the index of the frame that a model was trained on."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import weightpath as wp
from stories.people import passengers, preparation, weights

N = 40


def fitted(name, X, y):
    if name == "pipeline":
        return make_pipeline(preparation(), wp.SVC()).fit(X, y)
    if name == "frame":
        return wp.SVC().fit(X[["fare"]], y.to_numpy())
    if name == "lasso":
        return wp.Lasso(alpha=0.1).fit(X[["fare"]], (y == "died").to_numpy().astype(float))
    if name == "outliers":
        return wp.OneClassSVM(gamma=0.01).fit(X[["fare"]])
    return wp.SVC().fit(X[["fare"]].to_numpy(), y)


@pytest.mark.parametrize("name", ["pipeline", "frame", "labels", "lasso", "outliers"])
def test_leave_one_out(name):
    X, y = passengers(N)
    model = fitted(name, X, y)
    found = wp.leave_one_out(model)
    table = found.to_frame()
    assert table.index.tolist() == X.index.tolist() and table.index.name == "instance"
    assert list(table.columns) == ["prediction", "loss", "decision_value"]
    np.testing.assert_array_equal(table["loss"], found.losses)
    np.testing.assert_array_equal(table["prediction"], found.predictions)
    some = wp.leave_one_out(model, indices=[7, 3]).to_frame()
    assert some.index.tolist() == X.index[[7, 3]].tolist()


def test_several_classes_and_rows_without_names():
    X, y = load_iris(return_X_y=True)
    table = wp.leave_one_out(wp.SVC().fit(X, y), indices=[3, 5]).to_frame()
    assert table.index.tolist() == [3, 5]
    assert list(table.columns)[2:] == [f"decision_value_{k}" for k in range(3)]
    # An index that only counts the rows says nothing.
    counted = wp.SVC().fit(pd.DataFrame(X), y)
    assert "name" not in counted.training_set_.per_row


def test_influence():
    (X, y), (X_new, y_new) = passengers(N), passengers(20, seed=1)
    model = fitted("pipeline", X, y)
    found = wp.influence(model, X_new, y_new, "hinge")
    table = found.to_frame()
    assert table.index.tolist() == X.index[found.order].tolist()
    assert (table["removed"] == found.order).all()
    some = wp.influence(model, X_new, y_new, "hinge", indices=[8, 2]).to_frame()
    assert sorted(some.index) == sorted(X.index[[8, 2]])
    groups = wp.influence(model, X_new, y_new, "hinge", groups=np.arange(N) % 3).to_frame()
    assert groups.index.tolist() == [0, 1, 2]


def test_names_come_and_go_with_rows():
    X, y = passengers(N)
    X = X[["fare"]]
    model = wp.SVC().fit(X, y)
    model.remove([1, 2])
    kept = X.index[[0, *range(3, N)]].tolist()
    assert wp.leave_one_out(model).to_frame().index.tolist() == kept
    arrived = X[:2].set_axis(["new 1", "new 2"])
    model.slide(arrived, y[:2], drop=1)
    assert wp.leave_one_out(model).to_frame().index.tolist() == [*kept[1:], "new 1", "new 2"]
    with pytest.warns(UserWarning, match="feature names"):
        model.add(X[:1].to_numpy(), ["died"])
    names = wp.leave_one_out(model).to_frame().index.tolist()
    assert names[:-1] == [*kept[1:], "new 1", "new 2"] and pd.isna(names[-1])
    path = model.reweight(weights(len(names)))
    assert wp.leave_one_out(path.model_at(0.5)).to_frame().index[:-1].tolist() == names[:-1]
    many = wp.follow_many(model, X_new=X[:3], y_new=y[:3])
    assert len(many) == 3


def test_dates_are_names():
    X, y = passengers(N)
    for dates, shown in (
        (pd.date_range("2020", periods=N), pd.date_range("2020", periods=N)),
        (pd.date_range("2020", periods=N, tz="UTC"), None),
        (pd.period_range("2020", periods=N), pd.period_range("2020", periods=N).astype(str)),
    ):
        model = wp.SVC().fit(X[["fare"]].set_axis(dates), y)
        index = wp.leave_one_out(model, indices=[1, 2]).to_frame().index
        assert list(index) == list((dates.astype(str) if shown is None else shown)[1:3])


def test_names_of_a_lasso_stay_when_weights_change():
    X, y = passengers(N)
    model = fitted("lasso", X, y)
    model.slide(X[["fare"]][:1], [0.5], drop=1, sample_weight=weights(N))
    names = wp.leave_one_out(model).to_frame().index.tolist()
    assert names == [*X.index[1:], X.index[0]]


def test_segments():
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        path = wp.SVC().fit(X, labels).reweight(weights(len(y)))
        table = path.to_frame()
        assert len(table) == len(path) and table.index.name == "segment"
        np.testing.assert_array_equal(table["left"], path.theta[:-1])
        np.testing.assert_array_equal(table["right"], path.theta[1:])
        at_end = (path.events["theta"] == path.theta[-1]).sum()
        assert table["events"].sum() + at_end == path.n_events
        for k in range(0, len(path), 5):
            middle = path.at(0.5 * (table["left"][k] + table["right"][k]))
            for name in ("outside", "margin", "inside"):
                rows = getattr(middle, name)
                sizes = [one.size for one in (rows if isinstance(rows, tuple) else [rows])]
                assert table[name][k] == sum(sizes)


def test_without_pandas(monkeypatch):
    X, y = load_iris(return_X_y=True)
    model = wp.SVC().fit(X, y)
    path, found = model.path_to(C=2.0), wp.leave_one_out(model, indices=[0])
    monkeypatch.setitem(sys.modules, "pandas", None)
    for thing, name in ((path, "SolutionPath"), (found, "LeaveOneOut")):
        with pytest.raises(ImportError, match=f"{name}.to_frame needs pandas"):
            thing.to_frame()
