"""The commands on real files, one line each."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import invoke_json


@pytest.fixture(autouse=True)
def no_pictures(monkeypatch):
    for module in ("trace_run", "select_run"):
        monkeypatch.setattr(f"weightpath.cli.commands.{module}.draw_pictures", lambda *results: [])


@pytest.mark.data("boston")
def test_select_on_boston_housing(data_home, tmp_path):
    found = invoke_json(
        *("select", data_home / "boston" / "boston_housing.csv", "--target", "MEDV"),
        *("--task", "regression", "--scale", "standard", "--C", "10", "--end", "forgetting:3"),
        *("--out", tmp_path),
    )
    boston = wp.datasets.load_boston(data_home)
    assert found["data"]["feature_names"] == boston.feature_names
    model = make_pipeline(StandardScaler(), wp.SVR(C=10))
    search = wp.PathSearchCV(model, "squared").fit(
        boston.data, boston.target, start=np.ones(506), end=wp.weights.forgetting(506, 3)
    )
    assert found["chosen"]["theta"] == pytest.approx(search.best_theta_, abs=1e-9)
    assert found["chosen"]["value"] == pytest.approx(search.best_score_, rel=1e-9)
    assert found["certificate"]["kkt_violation"] < 1e-9


@pytest.mark.data("spambase")
def test_trace_on_spambase(data_home, tmp_path):
    # Some rows of both classes, so that the path takes a moment only.
    lines = (data_home / "spambase" / "spambase.csv").read_text().splitlines()
    some = tmp_path / "some.csv"
    some.write_text("\n".join([lines[0], *lines[1::6]]) + "\n")
    found = invoke_json(
        *("trace", some, "--target", "-1", "--task", "classification", "--scale", "minmax"),
        *("--C", "100", "--gamma", "1", "--end", "forgetting:3", "--out", tmp_path / "out"),
        *("--validation", data_home / "spambase" / "spambase.csv"),
    )
    spambase = wp.datasets.load_spambase(data_home)
    low, high = spambase.data[::6].min(axis=0), spambase.data[::6].max(axis=0)
    X = (spambase.data - low) / np.where(high > low, high - low, 1.0)
    model = wp.SVC(C=100, gamma=1.0).fit(X[::6], spambase.target[::6])
    path = model.reweight(wp.weights.forgetting(767, 3))
    assert found["path"]["events"] == path.n_events
    curve = path.curve(X, spambase.target, "zero_one")
    assert found["curve"]["best_value"] == pytest.approx(curve.best.value, abs=1e-12)
    assert found["certificate"]["kkt_violation"] < 1e-9
    read = wp.load(tmp_path / "out" / "path.npz")
    assert read.theta == pytest.approx(path.theta, abs=1e-9)


@pytest.mark.data("ohsumed")
def test_trace_on_a_part_of_ohsumed(data_home, tmp_path):
    with gzip.open(data_home / "ohsumed" / "S1.txt.gz", "rt") as stream:
        lines = stream.readlines()
    queries = list(dict.fromkeys(line.split()[1] for line in lines))
    parts = {"train.txt": queries[:4], "validation.txt": queries[4:8]}
    for name, chosen in parts.items():
        (tmp_path / name).write_text("".join(line for line in lines if line.split()[1] in chosen))
    found = invoke_json(
        *("trace", tmp_path / "train.txt", "--task", "ranking", "--end", "relevance"),
        *("--C", "0.01", "--gamma", "0.1", "--metric", "ndcg", "--k", "10"),
        *("--validation", tmp_path / "validation.txt", "--out", tmp_path / "out"),
    )
    X, y, qid = wp.datasets.read_svmlight(tmp_path / "train.txt", n_features=45)
    path = wp.RankingSVM(C=0.01, gamma=0.1).fit(X, y, qid=qid).reweight("relevance")
    read = wp.load(tmp_path / "out" / "path.npz")
    assert np.array_equal(read.theta, path.theta)
    X, y, qid = wp.datasets.read_svmlight(tmp_path / "validation.txt", n_features=45)
    curve = path.curve(X, y, "ndcg", qid=qid, k=10)
    assert found["curve"]["best_theta"] == curve.best.theta
    assert found["curve"]["best_value"] == curve.best.value
    assert found["certificate"]["kkt_violation"] < 1e-9
