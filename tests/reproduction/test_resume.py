"""A run goes on where it stopped, however it stopped."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from reproduction import experiment
from reproduction.cells import CellStore
from reproduction.experiment import Options, Plan, module_of, run, store_of


class Counting:
    """An experiment of six cells that counts what it is asked to do."""

    def __init__(self):
        self.prepared, self.measured, self.fail_at = 0, [], None

    def plan(self, options):
        settings = options.settings(quick_repetitions=2)
        return Plan(settings, [{"C0": float(k)} for k in range(6)])

    def prepare(self, settings, data, folder):
        self.prepared += 1
        return settings

    def measure(self, settings, cell):
        if cell["C0"] == self.fail_at:
            raise KeyboardInterrupt
        self.measured.append(cell["C0"])
        return {"square": cell["C0"] ** 2, "repetitions": settings["repetitions"]}


@pytest.fixture
def counting(monkeypatch):
    fake = Counting()
    monkeypatch.setattr(experiment, "module_of", lambda name: fake)
    return fake


def test_a_second_run_measures_nothing(counting, tmp_path):
    assert run("any", Options(tmp_path)) == 6
    assert run("any", Options(tmp_path)) == 0
    assert counting.measured == [0, 1, 2, 3, 4, 5]
    assert counting.prepared == 1  # not even the data are loaded


def test_an_interrupted_run_goes_on_where_it_stopped(counting, tmp_path):
    counting.fail_at = 3.0
    with pytest.raises(KeyboardInterrupt):
        run("any", Options(tmp_path))
    counting.fail_at = None
    assert run("any", Options(tmp_path)) == 3
    assert counting.measured == [0, 1, 2, 3, 4, 5]
    assert [one.result["square"] for one in store_of("any", tmp_path)] == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("other", [{"quick": True}, {"repetitions": 3}, {"cap": 1.0}])
def test_other_settings_are_measured_for_themselves(counting, tmp_path, other):
    run("any", Options(tmp_path))
    assert run("any", Options(tmp_path, **other)) == 6
    assert run("any", Options(tmp_path)) == run("any", Options(tmp_path, **other)) == 0
    assert len(store_of("any", tmp_path)) == 12


def test_progress_tells_of_every_cell(counting, tmp_path):
    counting.fail_at = 2.0
    told = []
    with pytest.raises(KeyboardInterrupt):
        run("any", Options(tmp_path), lambda *now: told.append(now))
    assert told == [(0, 6, None), (0, 6, {"C0": 0.0}), (1, 6, {"C0": 1.0}), (2, 6, {"C0": 2.0})]
    counting.fail_at, told = None, []
    run("any", Options(tmp_path), lambda *now: told.append(now))
    assert told[0] == (2, 6, None) and told[-1] == (6, 6, None)


KILLED = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from reproduction import experiment
from reproduction.experiment import Options, Plan, run

def measure(context, cell):
    if cell["C0"] == 3.0:
        time.sleep(600)
    return {"long": list(range(20_000))}

experiment.module_of = lambda name: SimpleNamespace(
    plan=lambda options: Plan({"n": 1}, [{"C0": float(k)} for k in range(4)]),
    prepare=lambda *_: None,
    measure=measure,
)
run("any", Options(Path(sys.argv[1])), lambda done, *_: print(done, flush=True))
"""


def test_a_killed_run_leaves_all_that_it_had_finished(tmp_path):
    program = [sys.executable, "-c", KILLED, str(tmp_path)]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as process:
        for line in process.stdout:
            if line.strip() == "3":
                break
        time.sleep(0.05)
        process.kill()
    store = store_of("any", tmp_path)
    assert [one.cell["C0"] for one in store] == [0.0, 1.0, 2.0]
    assert all(len(one.result["long"]) == 20_000 for one in store)


@pytest.mark.usefixtures("rivals")
@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", experiment.NAMES)
def test_plans_have_every_cell_once(name, quick, tmp_path):
    plan = module_of(name).plan(Options(tmp_path, quick=quick))
    cells = [tuple(sorted(cell.items())) for cell in plan.cells]
    assert len(set(cells)) == len(cells) > 1
    store = CellStore(tmp_path / "cells.jsonl")
    store.put(plan.settings, plan.cells[-1], {})
    assert CellStore(store.file).get(plan.settings, plan.cells[-1]) == {}


@pytest.mark.usefixtures("rivals")
def test_full_plans_are_the_papers_grids(tmp_path):
    def sizes(name):
        cells = module_of(name).plan(Options(tmp_path)).cells
        return {part: sum(c.get("part") == part for c in cells) for part in _parts(cells)}

    assert sizes("table1") == {None: 4 * 10}
    assert sizes("online") == {"cost": 15, "error": 15}
    assert sizes("covariate-shift") == {"cost": 15, "error": 15}
    assert sizes("heteroscedastic") == {None: 15}
    assert sizes("ranking") == {"path": 75, "rival": 75, "growth": 5}
    assert sizes("transduction") == {"cost": 15, "annealed": 15}
    grid = {(c["gamma"], c["C0"]) for c in module_of("online").plan(Options(tmp_path)).cells}
    assert grid == {(g, 10.0**k) for g in (10, 1, 0.1) for k in range(5)}


def _parts(cells):
    return {cell.get("part") for cell in cells}
