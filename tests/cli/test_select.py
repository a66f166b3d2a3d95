"""``weightpath select``: its files agree with ``PathSearchCV`` called directly."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

import weightpath as wp
from cli.command_line import (
    drops,
    features,
    invoke,
    invoke_json,
    line_of_error,
    read_csv,
)
from weightpath.cli import load_model


@pytest.fixture(scope="module", autouse=True)
def no_pictures():
    """Pictures take most of the time; they have tests of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weightpath.cli.commands.select_run.draw_pictures", lambda *results: [])
        yield


def as_table(curve):
    """Rows of a file: intervals, and isolated points before those that begin there."""
    ends = zip(curve.edges[:-1], curve.edges[1:], strict=True)
    rows = [[*end, *row] for end, row in zip(ends, curve.coefficients, strict=True)]
    others = [0.0] * curve.degree
    rows += [
        [theta, theta, value, *others]
        for theta, value in zip(curve.point_theta, curve.point_values, strict=True)
    ]
    return np.array(sorted(rows, key=lambda row: row[:2]))


def assert_same_search(out, found, search):
    curve = np.array([[float(v) for v in row.values()] for row in read_csv(out / "curve.csv")])
    assert np.array_equal(curve, as_table(search.curve_))
    folds = np.array([[float(v) for v in r.values()] for r in read_csv(out / "fold_curves.csv")])
    for k, fold in enumerate(search.fold_curves_, start=1):
        assert np.array_equal(folds[folds[:, 0] == k, 1:], as_table(fold))
    assert found["chosen"]["theta"] == search.best_theta_
    assert found["chosen"]["value"] == search.best_score_
    path = wp.load(out / "path.npz")
    assert np.array_equal(path.theta, search.path_.theta)
    model = path.model_at(found["chosen"]["theta"])
    assert np.array_equal(model["model"].dual_coef_, search.best_estimator_.dual_coef_)
    saved = load_model(out)["model"]
    assert np.array_equal(saved.dual_coef_, search.best_estimator_.dual_coef_)
    weights = [float(row["chosen"]) for row in read_csv(out / "weights.csv")]
    assert np.array_equal(weights, search.best_weights_)


def test_grid_around_paths(columns, file, tmp_path):
    found = invoke_json(
        *("select", file, "--target", "value", "--task", "regression", "--end", "new"),
        *("--grid-C", "0.5,5", "--grid-gamma", "scale", "--grid-gamma", "0.1", "--cv", "3"),
        *("--out", tmp_path, *drops("value", "new")),
    )
    grid = {"C": [0.5, 5.0], "gamma": ["scale", 0.1]}
    search = wp.PathSearchCV(wp.SVR(), "squared", cv=3, param_grid=grid)
    search.fit(features(columns), columns["value"], start=np.ones(60), end=columns["new"])
    assert_same_search(tmp_path, found, search)
    assert found["search"]["grid_points"] == 4
    assert found["search"]["best_params"] == search.best_params_
    rows = read_csv(tmp_path / "grid.csv")
    assert [row["gamma"] for row in rows] == ["scale", "0.1", "scale", "0.1"]
    assert [float(row["best_value"]) for row in rows] == search.results_["best_value"].tolist()
    weights = read_csv(tmp_path / "weights.csv")
    assert [float(row["end"]) for row in weights] == columns["new"].tolist()


def test_costs_and_one_standard_error(columns, file, tmp_path):
    found = invoke_json(
        *("select", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--cost", "old", "--choice", "one_standard_error", "--towards", "end", "--cv", "4"),
        *("--out", tmp_path, *drops("label", "new", "old")),
    )
    search = wp.PathSearchCV(wp.SVC(), cv=4, choice="one_standard_error", towards="end")
    search.fit(
        *(features(columns), columns["label"]),
        start=np.ones(60),
        end=columns["new"],
        validation_weight=columns["old"],
    )
    assert_same_search(tmp_path, found, search)
    assert not (tmp_path / "grid.csv").exists()


@pytest.mark.parametrize("shuffle", [None, 5])
def test_ranking_in_whole_queries(columns, file, tmp_path, shuffle):
    from sklearn.model_selection import GroupKFold

    found = invoke_json(
        *("select", file, "--target", "grade", "--task", "ranking", "--qid", "query"),
        *("--end", "relevance", "--metric", "ndcg", "--k", "4", "--C", "0.1", "--cv", "3"),
        *("--out", tmp_path, *drops("grade", "query")),
        *(() if shuffle is None else ("--shuffle", shuffle)),
    )
    cv = 3 if shuffle is None else GroupKFold(3, shuffle=True, random_state=shuffle)
    search = wp.PathSearchCV(wp.RankingSVM(C=0.1), "ndcg", cv=cv, metric_params={"k": 4})
    # Numbers in the order of the names, as folds of whole queries depend on it.
    qid = np.unique(columns["query"], return_inverse=True)[1]
    search.fit(
        *(features(columns), columns["grade"]),
        start="uniform",
        end="relevance",
        qid=qid,
        groups=None if shuffle is None else qid,
    )
    assert_same_search(tmp_path, found, search)
    rows = read_csv(tmp_path / "weights.csv")
    pairs = [[int(row["more_relevant"]), int(row["less_relevant"])] for row in rows]
    assert pairs == search.best_estimator_.pairs_.tolist()


@pytest.mark.slow
def test_processes_give_the_same_bits(file, tmp_path):
    common = ("select", file, "--target", "label", "--task", "classification", "--end", "new")
    common = (*common, "--cv", "3", *drops("label", "new"))
    invoke_json(*common, "--out", tmp_path / "one")
    invoke_json(*common, "--jobs", "2", "--out", tmp_path / "two")
    for name in ("curve.csv", "fold_curves.csv", "weights.csv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_summary_on_the_screen(file, tmp_path):
    answer = invoke(
        *("select", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--grid-C", "1,10", "--cv", "3", "--out", tmp_path, *drops("label", "new")),
    )
    assert answer.exit_code == 0, answer.output
    for words in ("Chosen: theta", "points of the grid", "largest KKT violation", "Files"):
        assert words in answer.stdout
        assert words in (tmp_path / "summary.md").read_text()


def test_event_cap_is_three_and_writes_nothing(file, tmp_path):
    answer = invoke(
        *("select", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--max-events", "2", "--out", tmp_path / "out", "--json", *drops("label", "new")),
    )
    assert answer.exit_code == 3
    assert "Raise --max-events" in json.loads(answer.stdout)["error"]
    assert answer.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("grid", [("--grid-C", "1,x"), ("--grid-C", "-1"), ("--grid-gamma", "0")])
def test_grids_that_will_not_do(file, tmp_path, grid):
    answer = invoke(
        *("select", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", *grid, *drops("label", "new")),
    )
    assert "positive number" in line_of_error(answer)


def test_gamma_of_the_linear_kernel(file, tmp_path):
    answer = invoke(
        *("select", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", "--kernel", "linear", "--grid-gamma", "1"),
        *drops("label", "new"),
    )
    assert "no gamma" in line_of_error(answer)


class TestCluster:
    common = ("--target", "label", "--task", "classification", "--end", "new", "--cv", "3")

    @pytest.mark.second_stage
    def test_runs_on_it(self, file, tmp_path):
        distributed = pytest.importorskip("distributed")
        common = ("select", file, *self.common, *drops("label", "new"))
        with distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster:
            address = cluster.scheduler_address
            if not address.startswith("inproc"):
                address = address.removeprefix("tcp://")
            invoke_json(*common, "--cluster", address, "--out", tmp_path / "dask")
        invoke_json(*common, "--out", tmp_path / "here")
        for name in ("curve.csv", "fold_curves.csv", "weights.csv"):
            both = [(tmp_path / place / name).read_bytes() for place in ("dask", "here")]
            assert both[0] == both[1]

    @pytest.mark.second_stage
    @pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense"])
    def test_nobody_there(self, file, tmp_path, address, monkeypatch):
        pytest.importorskip("distributed")
        monkeypatch.setattr("weightpath.cli.commands.cluster.PATIENCE", 1)
        answer = invoke(
            *("select", file, *self.common, *drops("label", "new")),
            *("--cluster", address, "--out", tmp_path / "out"),
        )
        assert "no Dask scheduler answers" in line_of_error(answer)
        assert not (tmp_path / "out").exists()

    @pytest.mark.second_stage
    def test_without_workers(self, file, tmp_path, monkeypatch):
        distributed = pytest.importorskip("distributed")
        monkeypatch.setattr("weightpath.cli.commands.cluster.PATIENCE", 1)
        with distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=None
        ) as cluster:
            answer = invoke(
                *("select", file, *self.common, *drops("label", "new")),
                *("--cluster", cluster.scheduler_address, "--out", tmp_path / "out"),
            )
        assert "no workers" in line_of_error(answer)

    def test_without_dask(self, file, tmp_path, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "distributed", None)
        answer = invoke(
            *("select", file, *self.common, *drops("label", "new")),
            *("--cluster", "host:8786", "--out", tmp_path / "out"),
        )
        assert "weightpath[cluster]" in line_of_error(answer)
