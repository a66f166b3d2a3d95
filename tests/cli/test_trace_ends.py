"""``weightpath trace``: paths that end early, and what stands in the folder afterwards."""

from __future__ import annotations

import json

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
    read_csv,
    read_curve,
)
from weightpath.cli.output.folder import write_curve, write_curves
from weightpath.curves import Curve

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


def test_event_cap_writes_the_first_part(columns, file, validation, tmp_path):
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--max-events", "4", "--validation", validation, "--out", tmp_path, "--json"),
        *drops("label", "new"),
    )
    assert answer.exit_code == 3
    found = json.loads(answer.stdout)
    assert found["status"] == "stopped at the event cap" and found["exit_code"] == 3
    assert any("--max-events 4" in note for note in found["notes"])
    path = wp.load(tmp_path / "path.npz")
    whole = wp.SVC().fit(features(columns), columns["label"]).reweight(columns["new"])
    assert path.n_events == 4 and 0 < path.theta[-1] < 1
    assert path.kkt_violation() < 1e-10
    assert path.at(0.0).dual_coef.tolist() == whole.at(0.0).dual_coef.tolist()
    assert read_curve(tmp_path / "curve.csv")[-1, 1] == path.theta[-1]


def test_failed_path_is_three_and_keeps_the_problem(file, tmp_path, monkeypatch):
    from weightpath.engine import load_problem

    def fail(self, sample_weight):
        from weightpath.engine import Options, SavedProblem

        (part,) = self.subproblems_
        saved = SavedProblem.of(part.columns, part.stair, part.stair, part.state, Options())
        advice = wp.errors.Advice("Try {ridge}.", {"ridge": 1e-8})
        raise wp.PathError("No way.", saved, advice=advice)

    monkeypatch.setattr(wp.SVC, "reweight", fail)
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", *drops("label", "new")),
    )
    assert answer.exit_code == 3
    assert answer.stderr.startswith("Error: No way. Try --ridge 1e-8. The problem is kept in")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["failed.npz"]
    load_problem(tmp_path / "out" / "failed.npz")


def test_defect_shows_itself_and_is_one(file, tmp_path, monkeypatch):
    def fail(self, sample_weight):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(wp.SVC, "reweight", fail)
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--end", "new"),
        *("--out", tmp_path / "out", "--json", *drops("label", "new")),
    )
    assert answer.exit_code == 1 and isinstance(answer.exception, ZeroDivisionError)
    assert json.loads(answer.stdout)["error"] == "ZeroDivisionError: a defect"


def test_files_of_an_earlier_command_do_not_stay(file, validation, tmp_path):
    common = ("trace", file, "--target", "value", "--task", "regression", "--end", "new")
    common = (*common, "--out", tmp_path, *drops("value", "new"))
    (tmp_path / "notes.txt").write_text("mine")
    invoke_json(*common, "--validation", validation)
    assert (tmp_path / "curve.csv").exists()
    invoke_json(*common)
    assert not (tmp_path / "curve.csv").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_foreign_files_are_left_alone(file, tmp_path):
    (tmp_path / "curve.csv").write_text("mine")
    invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--end", "new"),
        *("--out", tmp_path, *drops("value", "new")),
    )
    assert (tmp_path / "curve.csv").read_text() == "mine"


def test_large_paths_are_certified_at_stated_places(file, tmp_path, monkeypatch):
    monkeypatch.setattr("weightpath.cli.output.findings.EVERYWHERE", 10)
    found = invoke_json(
        *("trace", file, "--target", "value", "--task", "regression", "--end", "new"),
        *("--out", tmp_path, *drops("value", "new")),
    )
    assert found["certificate"]["places"] == 101
    assert found["certificate"]["kkt_violation"] < 1e-10
    assert "at 101 places" in (tmp_path / "summary.md").read_text()


def test_isolated_points_of_curves_are_written(tmp_path):
    curve = Curve([0, 0.5, 1], [[1, 2], [3, 4]], point_theta=[0.25, 0.5], point_values=[7, 8])
    write_curve(tmp_path / "curve.csv", curve)
    expected = [[0, 0.5, 1, 2], [0.25, 0.25, 7, 0], [0.5, 0.5, 8, 0], [0.5, 1, 3, 4]]
    assert read_curve(tmp_path / "curve.csv").tolist() == expected
    steps = Curve([0, 1], [[5]], point_theta=[1], point_values=[6])
    write_curves(tmp_path / "folds.csv", [steps, curve])
    rows = [[float(v) for v in row.values() if v] for row in read_csv(tmp_path / "folds.csv")]
    assert rows[:2] == [[1, 0, 1, 5], [1, 1, 1, 6]]
    assert rows[2:] == [[2, *row] for row in expected]
