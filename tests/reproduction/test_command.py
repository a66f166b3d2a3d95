"""``python -m reproduction``: what it says, how it ends, what it leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")

from reproduction import command as module
from reproduction.experiment import NAMES, store_of

CHECKOUT = Path(__file__).parents[2]

NEEDS_DATA = ("online", "covariate-shift", "heteroscedastic", "ranking", "transduction")


def test_help_names_all_experiments_and_exit_codes(bare_command):
    answer = bare_command("--help")
    assert answer.exit_code == 0
    for words in (*NAMES, "all", "report", "--data", "--quick", "130", "Examples"):
        assert words in answer.output


def test_experiments_of_the_help_are_those_there_are():
    assert tuple(module.EXPERIMENTS) == NAMES


def test_help_loads_neither_numba_nor_matplotlib():
    program = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from reproduction.command import reproduce\n"
        "assert CliRunner().invoke(reproduce, ['--help']).exit_code == 0\n"
        "print([name for name in ('numba', 'matplotlib', 'jinja2') if name in sys.modules])"
    )
    words = [sys.executable, "-c", program]
    answer = subprocess.run(words, capture_output=True, text=True, cwd=CHECKOUT)
    assert answer.stdout.strip() == "[]", answer.stderr


def test_all_without_data_does_what_it_can(without_data):
    out, answer = without_data
    assert answer.exit_code == 3, answer.output
    for name in NEEDS_DATA:
        assert f"{name} is left out" in answer.output.replace("\n", " ")
    assert f"Left out: {', '.join(NEEDS_DATA)}" in answer.output
    assert "Traceback" not in answer.output
    page = (out / "report.html").read_text("utf-8")
    assert "Table 1, ours beside the paper" in page and "326.70 (7.17)" in page
    assert "WEIGHTPATH_DATA" in page  # why the others are missing
    assert not (out / "online").exists()


def test_table1_has_the_papers_events(without_data):
    """One data set of each size: events within a tenth or so of the paper's ten."""
    out, _ = without_data
    events = {one.cell["n"]: one.result["events"] for one in store_of("table1", out)}
    assert events[400] == pytest.approx(326.70, rel=0.15)
    assert events[800] == pytest.approx(635.30, rel=0.15)
    results = [one.result for one in store_of("table1", out)]
    assert all(result["violation"] < 1e-9 for result in results)
    assert all(3.0 < result["mean margin"] < 3.6 for result in results)


def test_toy_has_its_lowest_error_where_its_curve_is_lowest(without_data):
    out, _ = without_data
    sample = next(one.result for one in store_of("toy", out) if one.cell["part"] == "sample")
    assert sample["best"]["value"] == min(sample["values"])
    assert sample["violation"] < 1e-9
    assert (out / "toy" / "path.npz").exists()


@pytest.mark.usefixtures("no_drawing")
def test_report_alone_measures_nothing(without_data, command, monkeypatch):
    out, _ = without_data
    for name in ("table1", "toy"):
        monkeypatch.setattr(f"reproduction.{name}.measure", None)
    before = (out / "table1" / "cells.jsonl").read_bytes()
    (out / "report.html").unlink()
    answer = command("report", "--out", out)
    assert answer.exit_code == 0, answer.output
    assert (out / "report.html").exists()
    assert (out / "table1" / "cells.jsonl").read_bytes() == before


@pytest.mark.parametrize("name", ["online", "ranking", "covariate-shift"])
def test_missing_data_is_one_line_that_says_what_to_do(name, command, tmp_path):
    answer = command(name, "--quick", "--data", tmp_path, "--out", tmp_path / "out")
    assert answer.exit_code == 2
    said = [line for line in answer.output.splitlines() if line.startswith("Error")]
    assert len(said) == 1 and answer.output.splitlines()[-1] == said[0]
    for words in (name, str(tmp_path), "--data", "WEIGHTPATH_DATA", "weightpath.datasets.load_"):
        assert words in said[0]
    assert not (tmp_path / "out").exists()


def test_a_data_folder_that_is_none_is_refused(command, tmp_path):
    answer = command("online", "--data", tmp_path / "nowhere", "--out", tmp_path)
    assert answer.exit_code == 2 and "nowhere" in answer.output


@pytest.mark.parametrize(
    "bad", [["nothing"], [], ["toy", "--cap", "0"], ["toy", "--repetitions", "0"]]
)
def test_wrong_usage(bad, bare_command, tmp_path):
    assert bare_command(*bad, "--out", tmp_path).exit_code == 2


def test_report_of_nothing(command, tmp_path):
    answer = command("report", "--out", tmp_path)
    assert answer.exit_code == 2 and "run an experiment first" in answer.output


@pytest.mark.parametrize("name", ["numba", "matplotlib", "jinja2"])
def test_missing_extra_is_named(name, bare_command, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_is_installed", lambda other: other != name)
    answer = bare_command("toy", "--out", tmp_path)
    assert answer.exit_code == 2
    assert f"needs {name}" in answer.output and "pip install 'weightpath[" in answer.output


@pytest.mark.usefixtures("no_drawing")
def test_interrupt_keeps_and_reports_what_is_finished(command, tmp_path, monkeypatch):
    from reproduction import toy

    measure, asked = toy.measure, []

    def interrupted(context, cell):
        asked.append(cell)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return measure(context, cell)

    monkeypatch.setattr(toy, "measure", interrupted)
    answer = command("toy", "--out", tmp_path)
    assert answer.exit_code == 130
    assert "same command goes on" in answer.output
    assert len(store_of("toy", tmp_path)) == 1
    assert "1 of 2 cells" in (tmp_path / "report.md").read_text("utf-8")
    assert command("toy", "--out", tmp_path).exit_code == 0
    assert len(asked) == 3 and len(store_of("toy", tmp_path)) == 2


def test_interrupt_before_anything_is_finished(command, tmp_path, monkeypatch):
    def interrupted(context, cell):
        raise KeyboardInterrupt

    monkeypatch.setattr("reproduction.toy.measure", interrupted)
    assert command("toy", "--out", tmp_path).exit_code == 130


def test_a_failure_is_no_missing_data(command, tmp_path, monkeypatch):
    def broken(context, cell):
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("reproduction.toy.measure", broken)
    answer = command("toy", "--out", tmp_path)
    assert answer.exit_code == 1
    assert "toy failed: ZeroDivisionError: a defect" in answer.output


def test_a_broken_store_is_named(command, tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "cells.jsonl").write_text("nonsense\n")
    answer = command("toy", "--out", tmp_path)
    assert answer.exit_code == 2 and "Line 1 of" in answer.output


@pytest.mark.data("bci", "boston", "nasdaq", "ohsumed", "spambase")
def test_quick_run_of_all_with_data_and_again(command, data_home, tmp_path, monkeypatch):
    """The whole of it on real data; the second run measures nothing."""
    from reproduction import experiment

    answer = command("all", "--quick", "--data", data_home, "--out", tmp_path)
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "report.md").read_text("utf-8")
    assert "It was not run" not in page
    for figure in (4, 5, 6, 7, 10, 11, 13, 14, 16, 17, 18, 19):
        assert f"*Figure {figure}" in page or f"Figure {figure}:" in page
    for name in ("online", "transduction"):
        off = [one.result["off"] for one in store_of(name, tmp_path) if "off" in one.result]
        assert all((o["path"] if isinstance(o, dict) else o) < 1e-6 for o in off)
    for name in NAMES:
        monkeypatch.setattr(experiment.module_of(name), "measure", None)
    monkeypatch.setattr("reproduction.pictures.render", lambda *_, **__: b"")
    again = command("all", "--quick", "--data", data_home, "--out", tmp_path)
    assert again.exit_code == 0, again.output
