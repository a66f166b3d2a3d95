"""Metrics and their options on the command line: what the registry holds."""

import numpy as np
import pytest

import weightpath as wp
from weightpath import metrics

from .command_line import features, invoke, invoke_json, line_of_error, sample, write_csv

DROPS = ("value", "grade", "query", "old", "new", "colour")


@pytest.fixture
def words(tmp_path):
    columns = sample()
    columns["area"] = np.where(columns["c"] > 0, "city", "land")
    file = write_csv(tmp_path / "table.csv", columns)
    dropped = [word for name in DROPS for word in ("--drop", name)]
    return (
        *("trace", file, "--target", "label", "--task", "classification", *dropped),
        *("--end", "forgetting:3", "--cv", "3", "--scale", "none", "--out", tmp_path / "out"),
    )


def searched(metric, **params):
    columns = sample()
    area = np.where(columns["c"] > 0, "city", "land")
    given = {name: area if value == "area" else value for name, value in params.items()}
    search = wp.PathSearchCV(wp.SVC(), metric, cv=3, metric_params=given)
    end = wp.weights.forgetting(60, 3)
    return search.fit(features(columns), columns["label"], start=np.ones(60), end=end).curve_


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "f1", "matthews"])
def test_scores(words, metric):
    found = invoke_json(*words, "--drop", "area", "--metric", metric)["curve"]
    assert found["greater_is_better"] and found["metric"] == metric
    assert found["best_value"] == pytest.approx(searched(metric).best.value, abs=1e-12)


def test_cost_matrix(words):
    more = ("--drop", "area", "--metric", "cost", "--cost-matrix")
    found = invoke_json(*words, *more, "0,1;5,0")["curve"]
    best = searched("cost", cost_matrix=[[0, 1], [5, 0]]).best
    assert found["best_value"] == pytest.approx(best.value, abs=1e-12)
    assert found["cost_matrix"] == [[0, 1], [5, 0]]
    assert "write rows as 0,1;5,0" in line_of_error(invoke(*words, *more, "0,x"))
    assert "shape (2, 2)" in line_of_error(invoke(*words, *more, "0,1,2"))
    assert "needs --cost-matrix, of shape" in line_of_error(invoke(*words, *more[:-1]))


def test_groups_are_a_column_and_no_feature(words):
    more = ("--groups", "area", "--metric", "demographic_parity")
    found = invoke_json(*words, *more)
    best = searched("demographic_parity", groups="area").best
    assert found["curve"]["best_value"] == pytest.approx(best.value, abs=1e-12)
    assert found["data"]["feature_names"] == ["a", "b", "c"]
    assert "needs --groups, the group" in line_of_error(invoke(*words, *more[2:], "--drop", "area"))
    assert "no column 'region'" in line_of_error(invoke(*words, "--groups", "region", *more[2:]))
    line = line_of_error(invoke(*words, *more[:2], "--metric", "f1"))
    assert "--groups is for demographic_parity, equal_opportunity; the metric is f1" in line


def test_select_says_what_is_wrong_before_it_runs(words, monkeypatch):
    monkeypatch.setattr("weightpath.PathSearchCV.fit", None)
    words = ("select", *words[1:], "--drop", "area", "--metric", "precision_at_k")
    assert "needs --k, the number of rows" in line_of_error(invoke(*words))
    assert "at least 1" in line_of_error(invoke(*words, "--k", "0"))


def test_unknown_metrics_and_files_without_one(words, tmp_path):
    line = line_of_error(invoke(*words, "--metric", "acuracy"))
    assert "'acuracy' is none of absolute, accuracy" in line
    assert "no file none.py" in line_of_error(invoke(*words, "--metric", "none.py"))
    file = tmp_path / "broken.py"
    for text, says in (
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "must have one metric, an instance of weightpath.metrics.Metric; it has 0"),
    ):
        file.write_text(text)
        assert says in line_of_error(invoke(*words, "--metric", file))


def test_a_file_brings_its_options(words, tmp_path):
    file = tmp_path / "missed.py"
    file.write_text(
        "from weightpath.metrics import ConfusionMetric, Option\n"
        "class Missed(ConfusionMetric):\n"
        "    name = 'missed'\n"
        "    options = (Option('price', 'Price of a miss.', read=float),)\n"
        "    def of(self, confusion, *, price):\n"
        "        return confusion[:, 1, 0] * price\n"
        "missed = Missed()\n"
    )
    try:
        more = ("--drop", "area", f"--metric={file}", "--price")
        found = [invoke_json(*words, *more, price)["curve"]["best_value"] for price in ("1", "7.5")]
        assert found[1] == pytest.approx(7.5 * found[0]) and found[0] > 0
    finally:
        metrics.unregister("missed")


def test_help_lists_all_metrics_and_options():
    page = " ".join(invoke("trace", "--help").output.replace("│", "").split())
    assert all(name in page for name in metrics.names())
    for option in ("--k", "--convention", "--cost-matrix", "--groups"):
        assert f" {option} " in page
    assert "For demographic_parity, equal_opportunity." in page
