"""``weightpath trace``: its files agree with the library called directly."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("pandas")

from pandas import DataFrame

import weightpath as wp
from cli.command_line import (
    assert_same_curve,
    assert_same_path,
    drops,
    features,
    invoke,
    read_csv,
    sample,
)

pytestmark = pytest.mark.usefixtures("no_pictures_of_traces")


@pytest.fixture(scope="module")
def direct(columns):
    X = features(columns)
    model = wp.SVC(C=5.0, gamma=0.3).fit(X, columns["label"], sample_weight=columns["old"])
    return model.reweight(columns["new"])


@pytest.fixture(scope="module")
def traced(file, validation, tmp_path_factory):
    out = tmp_path_factory.mktemp("trace") / "new" / "folder"
    answer = invoke(
        *("trace", file, "--target", "label", "--task", "classification", "--C", "5"),
        *("--gamma", "0.3", "--start", "old", "--end", "new", "--out", out),
        *("--validation", validation, *drops("label", "old", "new")),
    )
    assert answer.exit_code == 0, answer.output
    return out, answer


def test_path(traced, direct):
    assert_same_path(traced[0] / "path.npz", direct)


def test_model_of_the_file_predicts_texts(traced, direct, columns):
    model = wp.load(traced[0] / "path.npz").model_at(0.5)
    expected = direct.model_at(0.5).predict(features(columns))
    assert model.predict(DataFrame(columns)).tolist() == expected.tolist()
    assert set(expected) == {"spam", "ham"}


def test_events(traced, direct):
    rows = read_csv(traced[0] / "events.csv")
    assert [float(row["theta"]) for row in rows] == direct.events["theta"].tolist()
    assert [int(row["index"]) for row in rows] == direct.events["index"].tolist()
    assert [row["from"] for row in rows] == direct.events["from"].tolist()


def test_curve(traced, direct):
    other = sample(90, seed=1)
    curve = direct.curve(features(other), other["label"], "zero_one")
    assert_same_curve(traced[0] / "curve.csv", curve)


def test_summaries(traced, direct):
    out, answer = traced
    found = json.loads((out / "summary.json").read_text())
    assert found["command"] == "trace" and found["status"] == "complete"
    assert found["exit_code"] == 0
    assert found["data"]["feature_names"] == ["a", "b", "c"]
    assert found["data"]["rows"] == 60 and found["data"]["classes"].keys() == {"ham", "spam"}
    assert found["path"]["events"] == direct.n_events
    assert found["path"]["breakpoints"] == len(direct.theta)
    assert found["certificate"]["kkt_violation"] == direct.kkt_violation() < 1e-10
    assert found["certificate"]["places"] is None
    page = (out / "summary.md").read_text()
    for words in ("largest KKT violation", "best theta", "wp.load(", f"{direct.n_events}"):
        assert words in answer.stdout and words in page


def test_next_steps_run(traced):
    page = (traced[0] / "summary.md").read_text()
    program = page.split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(program, names)
    assert names["model"]["model"].kkt_violation() < 1e-10


def test_nothing_else_is_left(traced):
    out, _ = traced
    found = json.loads((out / "summary.json").read_text())
    assert sorted(p.name for p in out.iterdir()) == sorted(found["files"])


def test_help_is_in_sections():
    page = invoke("trace", "--help").output
    places = [page.index(f"─ {heading} ─") for heading in ("Data", "Weights", "Model", "Judging")]
    assert places == sorted(places)
    for words in ("Exit codes", "130", "forgetting:A", "--validation", "Examples", "spam=5"):
        assert words in page
