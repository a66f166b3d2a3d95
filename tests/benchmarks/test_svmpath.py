"""R's svmpath is called as a program: here by one that plays back a path, in its format."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.contest.entry import FAILED, FINISHED, MORE_THAN, NOT_INSTALLED
from benchmarks.contest.judge import Judge
from benchmarks.contest.places import choose_places
from benchmarks.contest.plan import Plan
from benchmarks.contest.problems import toy_cost
from benchmarks.contest.run import run_contest
from benchmarks.contest.solvers import OURS
from benchmarks.contest.solvers.svmpath import SCRIPT, SvmPath

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for Rscript is a script")

PLAN = Plan(sizes=(40,), families=("cost",), solvers=("svmpath",), n_steps=8, cap=60.0)

PLAYER = """\
#!{python}
import shutil, sys, time
from pathlib import Path

arguments = sys.argv[1:]
if arguments[:2] == ["--vanilla", "-e"]:
    sys.exit({has_no_package})
assert arguments[:2] == ["--vanilla", {script!r}], arguments
folder, gamma, smallest = Path(arguments[2]), float(arguments[3]), float(arguments[4])
assert gamma == 0.5 and abs(smallest - 0.1) < 1e-12
assert len((folder / "x.csv").read_text().splitlines()) == 40
assert set((folder / "y.csv").read_text().split()) == {{"1", "-1"}}
{trouble}
for file in Path({record!r}).iterdir():
    shutil.copy(file, folder)
"""


@pytest.fixture
def rscript(tmp_path, monkeypatch):
    """Put a stand-in on the PATH; it plays back what ``keep`` leaves of a path of our own."""

    def install(keep=lambda C: C >= 0.0, trouble="", has_no_package=0):
        record, folder = tmp_path / "record", tmp_path / "bin"
        record.mkdir()
        folder.mkdir()
        write_record(record, keep)
        program = folder / "Rscript"
        program.write_text(
            PLAYER.format(
                python=sys.executable,
                script=str(SCRIPT),
                record=str(record),
                trouble=trouble,
                has_no_package=has_no_package,
            )
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(folder))

    return install


def write_record(folder, keep) -> None:
    """A path of our own as svmpath would give it: 1/C falling, coefficients from 0 to 1."""
    problem = toy_cost(40)
    ours = OURS()
    ours.start(problem, 60.0)
    ours.trace(np.empty(0))
    # It starts at the first event.
    theta = ours.path.theta[1:]
    C = np.array([problem.weights(place)[0] for place in theta])
    theta, C = theta[keep(C)], C[keep(C)]
    found = [ours.solution_at(float(place)) for place in theta]
    columns = {
        "lambda": 1.0 / C,
        "alpha0": np.array([one.bias for one in found]) / C,
        "alpha": np.column_stack([np.abs(one.coef) for one in found]) / C,
        "seconds": np.array([0.125]),
        "ridge": np.array([0.0]),
    }
    for name, values in columns.items():
        np.savetxt(folder / f"{name}.csv", values, fmt="%.17g", delimiter=",")


def entry_of_svmpath(plan=PLAN):
    ((_, entry),) = run_contest(plan)
    return entry


def test_its_path_is_read_and_judged_between_its_steps_too(rscript):
    rscript()
    entry = entry_of_svmpath()
    assert entry.status == FINISHED and entry.note == ""
    # Its own clock counts, not that of its process.
    assert entry.path_s == 0.125 and entry.start_s is None
    assert entry.places == 1 + len(choose_places(entry.breakpoints, PLAN.n_steps).visited)
    assert entry.violation < 1e-12 and entry.excess < 1e-12


def test_answers_between_steps_are_straight_in_lambda(rscript):
    rscript()
    problem = toy_cost(40)
    solver = SvmPath()
    solver.start(problem, 60.0)
    solver.trace(np.empty(0))
    judge = Judge(problem)
    for theta in (0.0, 0.005, 0.11, 0.5, 0.77, 1.0):
        assert judge.verdict(theta, solver.solution_at(theta)).violation < 1e-11


def test_a_path_that_stops_early_is_judged_as_far_as_it_goes(rscript):
    rscript(keep=lambda C: C < 4.0)
    entry = entry_of_svmpath()
    assert entry.status == FINISHED and "stops at theta = 0.3" in entry.note
    assert 1 < entry.places < len(choose_places(entry.breakpoints, PLAN.n_steps).visited)
    assert entry.violation < 1e-12


def test_failure_and_lack_of_time_are_results(rscript):
    rscript(trouble="sys.exit('Error in solve.default: singular')")
    entry = entry_of_svmpath()
    assert entry.status == FAILED and "singular" in entry.note and entry.path_s is None


def test_lack_of_time(rscript):
    rscript(trouble="time.sleep(30)")
    entry = entry_of_svmpath(replace(PLAN, cap=0.7))
    assert entry.status == MORE_THAN and entry.path_s == 0.7


def test_r_without_the_package_says_how_to_get_it(rscript):
    rscript(has_no_package=1)
    entry = entry_of_svmpath()
    assert entry.status == NOT_INSTALLED and 'install.packages("svmpath")' in entry.note


def test_no_r_at_all(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    entry = entry_of_svmpath()
    assert entry.status == NOT_INSTALLED and "Rscript is not on the PATH" in entry.note
