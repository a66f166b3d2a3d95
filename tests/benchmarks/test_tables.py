"""The tables about the library: how they are judged, chosen and put into the documentation."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from benchmarks import bars, ordinary, report, tables
from benchmarks.limits import LIMITS, Limit
from benchmarks.ordinary_data import FURTHER, ORDINARY, OrdinaryCase, california_like
from benchmarks.page import PAGE as DOCUMENT
from benchmarks.page import renewed, slug
from benchmarks.small_changes import one_weight_each
from benchmarks.turns import medians_ms, timed
from weightpath.datasets import DataNotFoundError


def test_every_table_has_a_text():
    assert set(report.NOTES) == {*tables.table_makers(quick=True), "bars"}


def test_every_limit_is_of_a_table():
    assert {limit.table for limit in LIMITS} <= set(tables.table_makers(quick=True))
    assert set(bars.FUNCTIONS) <= set(tables.table_makers(quick=True))


@pytest.mark.parametrize(
    ("at_least", "found", "verdict"),
    [(False, 2.0, "pass"), (False, 2.1, "FAIL"), (True, 2.0, "pass"), (True, 1.9, "FAIL")],
)
def test_limit_judges_a_row(at_least, found, verdict):
    limit = Limit("some", "times", "n = {n}: times", {400: 2.0}, at_least=at_least)
    bar = limit.judge({"n": 400, "times": found})
    assert bar["bar"] == "n = 400: times"
    assert bar["asked"] == f"at {'least' if at_least else 'most'} 2"
    assert bar["verdict"] == verdict


def test_limit_leaves_other_sizes_alone():
    assert Limit("some", "times", "times", {400: 2.0}).judge({"n": 40, "times": 3.0}) is None


def test_bars_are_those_of_the_tables_measured():
    row = {"n": 6400, "path / SVC fit": 1.2, "violation of the path": 1e-12}
    assert [bar["verdict"] for bar in bars.judge({"c-path": [row]})] == ["FAIL", "pass"]
    assert bars.judge({"example": [{"data set": 0}]}) == []


def test_caches_are_judged_by_their_worst():
    rows = [
        {"n": n, "path / best smaller": path, "both / best smaller": 1.0}
        for n, path in ((400, 1.0), (400, 1.2), (400, 0.9), (1600, 1.05))
    ]
    found = bars.judge({"caches": rows})
    assert [bar["measured"] for bar in found] == ["1.20", "1.00", "1.05", "1.00"]
    assert [bar["verdict"] for bar in found] == ["FAIL", "pass", "pass", "pass"]


def test_tables_may_be_chosen(monkeypatch, tmp_path):
    row = {"n": 400, "path / SVC fit": 1.2, "violation of the path": 1e-12}

    def makers(quick):
        assert quick
        return {"speed": lambda: pytest.fail("not asked for"), "c-path": lambda: [row]}

    monkeypatch.setattr(tables, "table_makers", makers)
    found = tables.run_tables(tmp_path, True, ["c-path"])
    assert list(found) == ["c-path", "bars"]
    assert "## c-path" in (tmp_path / "results.md").read_text("utf-8")
    with pytest.raises(SystemExit):
        tables.main(["--out", str(tmp_path), "--tables", "nothing"])


def test_interrupt_keeps_finished_tables(monkeypatch, tmp_path):
    def interrupted():
        raise KeyboardInterrupt

    makers = {"example": lambda: [{"data set": 0}], "c-path": interrupted}
    monkeypatch.setattr(tables, "table_makers", lambda quick: makers)
    with pytest.raises(KeyboardInterrupt):
        tables.run_tables(tmp_path, quick=True)
    assert "## example" in (tmp_path / "results.md").read_text("utf-8")


def test_medians_are_of_runs_in_turns():
    order = []
    numbers = count(1)

    def often() -> float:
        order.append("often")
        return 1e-3 * next(numbers)

    def once() -> float:
        order.append("once")
        return 0.5

    ms = medians_ms({"often": often, "once": once}, 2, often={"often": 2})
    assert order == ["often", "often", "once"] * 2
    assert ms == pytest.approx({"often": 2.5, "once": 500.0})


def test_timed_returns_seconds_and_result():
    ticks = iter([3.0, 5.0])
    assert timed(lambda: "done", lambda: next(ticks)) == (2.0, "done")


def test_absent_data_are_a_line(capsys):
    def absent(n):
        raise DataNotFoundError("nowhere")

    here = OrdinaryCase("Friedman", ORDINARY[2].load, "SVR", {"C": 1.0})
    rows = ordinary.table((1, 40), (here, OrdinaryCase("spam", absent, "SVC")))
    assert rows[0]["n"] == 40 and rows[0]["violation of the path"] < 1e-9
    assert rows[1].keys() == rows[0].keys()
    assert "skipped" in rows[1]["data"] and rows[1]["path ms"] == "-"
    assert "spam: skipped" in capsys.readouterr().err


def test_cases_are_those_that_were_promised():
    assert [case.asked for case in ORDINARY] == [0.4, 0.8, 0.4, 0.8, 0.8]
    assert [case.settings for case in ORDINARY][3] == "SVR(C=10, epsilon=1)"
    assert all(case.asked is None for case in FURTHER)


def test_california_like_data_are_skewed_and_heavy_tailed():
    X, y = california_like(2000)
    assert X.shape == (2000, 8)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
    skewness = np.mean(X**3, axis=0)
    assert (skewness[:5] > 0.5).all()
    assert y.min() >= 0.15 and y.max() == 5.0


def test_batch_changes_one_weight_on_each_path():
    changes = one_weight_each(40, 100)
    assert changes.shape == (100, 40)
    assert (np.diff(changes.indptr) == 1).all() and (abs(changes.data) <= 1.0).all()


PAGE = """# Benchmarks

Text.

- processor: old

## Speed

About speed.

| n |
|---:|
| 1 |

More.

## C path

| n |
|---:|
| 2 |

## Bars

| bar | verdict |
|---|---|
| speed | pass |
| c-path | pass |

## What one would use instead

| n |
|---:|
| 3 |
"""


def test_page_takes_the_tables_of_a_whole_run():
    results = {
        "machine": {"processor": "new"},
        "speed": [{"n": 10}],
        "c-path": [{"n": 20}],
        "bars": [{"bar": "speed", "verdict": "FAIL"}],
    }
    page, put, kept = renewed(PAGE, results)
    assert put == ["speed", "c-path", "bars"] and kept == []
    new = PAGE.replace("old", "new").replace("| 1 |", "| 10 |").replace("| 2 |", "| 20 |")
    assert page == new.replace("| speed | pass |\n| c-path | pass |", "| speed | FAIL |")


def test_page_keeps_what_a_run_has_not():
    bar = {"verdict": "FAIL"}
    results = {
        "machine": {"processor": "new"},
        "c-path": [{"n": 20}],
        "bars": [{"bar": "c-path", **bar}, {"bar": "another", **bar}],
    }
    page, put, kept = renewed(PAGE, results)
    assert put == ["c-path", "bars"] and kept == ["speed"]
    new = PAGE.replace("| 2 |", "| 20 |").replace(
        "| c-path | pass |", "| c-path | FAIL |\n| another | FAIL |"
    )
    assert page == new


def test_the_document_has_every_table():
    lines = DOCUMENT.read_text("utf-8").splitlines()
    headings = {slug(line.removeprefix("## ")) for line in lines if line.startswith("## ")}
    assert headings >= {*(name.lower() for name in tables.table_makers(quick=True)), "bars"}


def test_headings_name_tables():
    assert slug("Influence, regression") == "influence-regression"
    assert slug("qpOASES") == "qpoases"
