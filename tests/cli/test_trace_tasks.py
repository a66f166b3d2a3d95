"""``weightpath trace``: every task, every rule for weights, every way to judge."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import (
    assert_same_curve,
    assert_same_path,
    drops,
    features,
    invoke_json,
    read_csv,
    sample,
    write_svmlight,
)

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


@pytest.mark.parametrize("scale", ["none", "standard", "minmax"])
def test_regression_with_cross_validation_and_scaling(columns, file, tmp_path, scale):
    found = invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--epsilon", "0.2"),
        *("--end", "forgetting:3", "--cv", "4", "--metric", "absolute"),
        *("--out", tmp_path, *drops("value", scale=scale)),
    )
    # Scalers see the training rows of a fold only.
    scaler = {"none": "passthrough", "standard": StandardScaler(), "minmax": MinMaxScaler()}[scale]
    model = make_pipeline(scaler, wp.SVR(epsilon=0.2))
    search = wp.PathSearchCV(model, "absolute", cv=4)
    weight = wp.weights.forgetting(60, 3.0)
    search.fit(features(columns), columns["value"], start=np.ones(60), end=weight)
    assert found["data"]["scaling"] == scale
    assert_same_path(tmp_path / "path.npz", search.path_)
    assert_same_curve(tmp_path / "curve.csv", search.curve_)
    assert found["curve"]["best_value"] == pytest.approx(search.best_score_, rel=1e-9)
    assert found["curve"]["best_theta"] == pytest.approx(search.best_theta_, abs=1e-6)


def test_ranking_of_a_table(columns, file, validation, tmp_path):
    found = invoke_json(
        *("trace", file, "--target", "grade", "--task", "ranking", "--qid", "query"),
        *("--end", "relevance", "--validation", validation, "--k", "3", "--C", "0.1"),
        *("--convention", "paper", "--out", tmp_path, *drops("grade", "query")),
    )
    X, other = features(columns), sample(90, seed=1)
    model = wp.RankingSVM(C=0.1).fit(X, columns["grade"], qid=columns["query"])
    path = model.reweight("relevance")
    assert_same_path(tmp_path / "path.npz", path)
    curve = path.curve(
        *(features(other), other["grade"], "ndcg"), qid=other["query"], k=3, convention="paper"
    )
    assert_same_curve(tmp_path / "curve.csv", curve)
    assert found["curve"]["metric"] == "ndcg" and found["data"]["queries"] == 6
    rows = read_csv(tmp_path / "events.csv")
    documents = [[int(row["more_relevant"]), int(row["less_relevant"])] for row in rows]
    assert documents == model.pairs_[path.events["index"]].tolist()
    assert found["path"]["pairs"] == len(model.pairs_)


def test_ranking_by_svmlight_with_queries(columns, tmp_path):
    X, y = features(columns), columns["grade"]
    qid = np.repeat(np.arange(6), 10)
    data = write_svmlight(tmp_path / "S1.txt", X, y, qid)
    found = invoke_json(
        *("trace", data, "--task", "ranking", "--end", "relevance", "--cv", "3"),
        *("--metric", "precision_at_k", "--k", "2", "--out", tmp_path / "out"),
    )
    search = wp.PathSearchCV(wp.RankingSVM(), "precision_at_k", cv=3, metric_params={"k": 2})
    search.fit(X, y, start="uniform", end="relevance", qid=qid)
    assert_same_path(tmp_path / "out" / "path.npz", search.path_)
    assert found["curve"]["best_theta"] == search.best_theta_


def test_several_classes_and_labels_of_numbers(columns, file, tmp_path):
    found = invoke_json(
        *("trace", file, "--target", "colour", "--task", "classification", "--end", "new"),
        *("--out", tmp_path, *drops("colour", "new")),
    )
    path = wp.SVC().fit(features(columns), columns["colour"]).reweight(columns["new"])
    assert_same_path(tmp_path / "path.npz", path)
    assert found["path"]["parts"] == 3
    invoke_json(
        *("trace", file, "--target", "grade", "--task", "classification", "--end", "new"),
        *("--out", tmp_path, *drops("grade", "new")),
    )
    assert wp.load(tmp_path / "path.npz").classes.tolist() == [0, 1, 2]


def test_importance_weights(columns, file, validation, tmp_path):
    invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--scale", "none"),
        *("--end", f"importance:{validation}", "--quantile", "0.8", "--out", tmp_path),
        *drops("value"),
    )
    X = features(columns)
    weight = wp.weights.importance(X, features(sample(90, seed=1)))
    path = wp.QuantileSVR(quantile=0.8).fit(X, columns["value"]).reweight(weight)
    assert_same_path(tmp_path / "path.npz", path)


def test_costs_weight_the_curve(columns, file, validation, tmp_path):
    invoke_json(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--cost", "old", "--validation", validation, "--out", tmp_path),
        *drops("label", "new", "old"),
    )
    other = sample(90, seed=1)
    path = wp.SVC().fit(features(columns), columns["label"]).reweight(columns["new"])
    curve = path.curve(features(other), other["label"], "zero_one", sample_weight=other["old"])
    assert_same_curve(tmp_path / "curve.csv", curve)
