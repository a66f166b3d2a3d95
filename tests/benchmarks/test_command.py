"""``python -m benchmarks``: what it prints, what it writes, and what it says when it cannot."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("click")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")

from click.testing import CliRunner

from benchmarks import command, command_run, tables
from benchmarks.contest.problems import FAMILIES
from benchmarks.contest.solvers import RIVALS
from benchmarks.contest.solvers.daqp_steps import DaqpSteps

CHECKOUT = Path(__file__).parents[2]


def invoke(*arguments):
    return CliRunner().invoke(command.bench, arguments, prog_name="python -m benchmarks")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench") / "new" / "folder"
    return out, invoke("--quick", "--out", str(out))


def test_quick_run_writes_tables_and_pictures(quick):
    out, answer = quick
    assert answer.exit_code == 0, answer.output
    found = json.loads((out / "results.json").read_text("utf-8"))
    assert {row["family"] for row in found["results"]} == {family.name for family in FAMILIES}
    assert {row["solver"] for row in found["results"]} == {
        "weightpath",
        *(rival.name for rival in RIVALS),
    }
    assert all(row["status"] in ("finished", "not installed") for row in found["results"])
    assert (out / "results.csv").exists() and (out / "results.md").exists()
    for name in ("growth.png", "accuracy.png"):
        assert (out / name).read_bytes().startswith(b"\x89PNG")


def test_quick_run_prints_the_largest_problem_of_each_family(quick):
    out, answer = quick
    for family in FAMILIES:
        assert family.title in answer.stdout
    assert "n = 80, " in answer.stdout and "n = 40, " not in answer.stdout
    assert re.search(r"violation +excess +growth", answer.stdout)
    assert f"Written to {out}: results.md" in answer.stdout
    # One line for each run, on standard error.
    assert "43 of 43: Lasso" in answer.stderr
    assert "qpOASES --" not in answer.output


def test_help_names_everything_there_is():
    answer = invoke("--help")
    assert answer.exit_code == 0
    assert list(command.PROBLEMS) == [family.name for family in FAMILIES]
    assert list(command.RIVALS) == [rival.name for rival in RIVALS]
    assert list(command.TABLES) == list(tables.table_makers(quick=True))
    for words in (
        "--only NAME,...",
        "--sizes N,...",
        "--full",
        "Rivals",
        "Examples",
        "--tables NAME,...",
        *command.RIVALS,
        *command.TABLES,
    ):
        assert words in re.sub(r" +", " ", answer.stdout)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "gurobi"], "gurobi: no such problem or solver"),
        (["--only", "lasso,scikit-learn"], "scikit-learn cannot solve lasso"),
        (["--sizes", "30"], "multiples of 4, at least 40"),
        (["--sizes", "many"], "multiples of 4"),
        (["--cap", "0"], "--cap"),
        (["--tables", "online,speeed"], "speeed: no such table"),
        (["--tables", "online", "--only", "lasso"], "--tables runs no problems"),
    ],
)
def test_bad_input_is_refused_with_advice(arguments, words, tmp_path):
    answer = invoke("--quick", "--out", str(tmp_path / "out"), *arguments)
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert not (tmp_path / "out").exists()


def test_a_rival_asked_for_by_name_has_to_be_there(monkeypatch, tmp_path):
    monkeypatch.setattr(DaqpSteps, "module", "no_such_module_anywhere")
    answer = invoke("--only", "daqp", "--out", str(tmp_path))
    assert answer.exit_code == 2
    assert answer.stderr == "Error: daqp is not installed: pip install daqp.\n"


def test_missing_extra_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = invoke("--quick", "--out", str(tmp_path))
    assert answer.exit_code == 2
    assert "weightpath[bench,plot]" in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


BAR = {"bar": "a path", "measured": "3", "asked": "at most 2", "verdict": "FAIL"}


@pytest.fixture
def asked_tables(monkeypatch):
    asked = []

    def run_tables(*arguments):
        asked.append(arguments)
        return {"bars": [BAR]}

    monkeypatch.setattr(tables, "run_tables", run_tables)
    return asked


def test_full_adds_the_other_tables(asked_tables, tmp_path):
    answer = invoke("--quick", "--full", "--only", "lasso,lars", "--out", str(tmp_path))
    assert answer.exit_code == 0, answer.output
    assert asked_tables == [(tmp_path / "tables", True, ())]


def test_tables_run_alone(asked_tables, tmp_path):
    answer = invoke("--tables", "online,ordinary", "--tables", "fits", "--out", str(tmp_path))
    assert answer.exit_code == 0, answer.output
    assert asked_tables == [(tmp_path / "tables", False, ("online", "ordinary", "fits"))]
    assert "FAIL  a path: 3 (at most 2)" in answer.stdout
    assert f"Written to {tmp_path / 'tables'}: online, ordinary, fits" in answer.stdout


def test_sizes_and_cap_reach_the_plan():
    plan = command_run.chosen_plan(False, ("weights", "scikit-learn"), (400, 80), 7.0)
    assert plan.sizes == (400, 80) and plan.cap == 7.0
    assert plan.families == ("weights",) and plan.solvers == ("scikit-learn",)
    assert [n for _, n in plan.problems()] == [80, 400]


def test_interrupt_keeps_what_is_finished(monkeypatch, tmp_path):
    run_contest = command_run.run_contest

    def interrupted(plan, announce):
        yield next(run_contest(plan, announce))
        raise KeyboardInterrupt

    monkeypatch.setattr(command_run, "run_contest", interrupted)
    answer = invoke("--quick", "--only", "lasso", "--out", str(tmp_path))
    assert answer.exit_code == 130
    assert "Interrupted" in answer.stderr
    assert (tmp_path / "results.md").exists()


def test_help_loads_no_benchmark():
    program = (
        "import sys\nfrom benchmarks.command import bench\n"
        "bench(['--help'], standalone_mode=False)\n"
        "print(sorted(name for name in sys.modules if name.startswith('benchmarks')))"
    )
    words = [sys.executable, "-c", program]
    answer = subprocess.run(words, capture_output=True, text=True, cwd=CHECKOUT)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[-1] == "['benchmarks', 'benchmarks.command']"
