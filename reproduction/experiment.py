"""One experiment: a plan of cells, measured one after the other, and resumed where it stopped.

The module of an experiment has

- ``DATA``: the folder of the real data that it needs, or None;
- ``plan(options) -> Plan``: the settings and the cells;
- ``prepare(settings, data, folder)``: load the data and compile the rivals, once;
- ``measure(context, cell) -> dict``: measure one cell; the result is numbers, texts, lists and
  dicts, from which all tables and figures can be made again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from threadpoolctl import threadpool_limits

from benchmarks.machine import facts
from reproduction.cells import CellStore
from weightpath import __version__

__all__ = ["NAMES", "Options", "Plan", "Progress", "module_of", "run", "run_alone", "store_of"]

# In the order of the paper.
NAMES = (
    "schematic",
    "table1",
    "toy",
    "online",
    "covariate-shift",
    "heteroscedastic",
    "ranking",
    "transduction",
)
REPETITIONS = 10
CAP_SECONDS = 600.0

# Is told how many cells are done, of how many, and the one that is measured now.
Progress = Callable[[int, int, dict | None], None]


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    Parameters
    ----------
    out : Path
        Folder for the results; each experiment has a folder of its own in it.
    data : Path, optional
        Folder of the real data; else ``WEIGHTPATH_DATA`` and the usual places.
    quick : bool
        A small part of everything, in minutes.
    repetitions : int, optional
        How often ours is run; else ten times, or less if quick.
    cap : float, optional
        Seconds after which a rival is stopped in a cell; else ten minutes, or less if quick.
    parts : tuple of str, optional
        Of experiments whose cells have parts, only these; else all.
    """

    out: Path
    data: Path | None = None
    quick: bool = False
    repetitions: int | None = None
    cap: float | None = None
    parts: tuple[str, ...] = ()

    def settings(self, *, quick_repetitions: int, quick_cap: float = 5.0) -> dict:
        """Return what all experiments have in common."""
        repetitions, cap = (
            (quick_repetitions, quick_cap) if self.quick else (REPETITIONS, CAP_SECONDS)
        )
        return {
            "quick": self.quick,
            "repetitions": repetitions if self.repetitions is None else self.repetitions,
            "cap": float(cap if self.cap is None else self.cap),
        }

    def wants(self, cell: dict) -> bool:
        """Return whether a cell is to be measured."""
        return not self.parts or cell.get("part") in (None, *self.parts)


@dataclass(frozen=True)
class Plan:
    """What is to be measured: settings that all cells share, and the cells."""

    settings: dict
    cells: list[dict]


def module_of(name: str) -> ModuleType:
    return import_module(f"reproduction.{name.replace('-', '_')}")


def store_of(name: str, out: Path) -> CellStore:
    return CellStore(out / name / "cells.jsonl")


def run(name: str, options: Options, progress: Progress = lambda *_: None) -> int:
    """Measure the cells that are missing; return how many that were."""
    module, folder = module_of(name), options.out / name
    plan, store = module.plan(options), store_of(name, options.out)
    cells = [cell for cell in plan.cells if options.wants(cell)]
    missing = [cell for cell in cells if store.get(plan.settings, cell) is None]
    total = len(cells)
    progress(total - len(missing), total, None)
    if not missing:
        return 0
    with threadpool_limits(1):
        made = {"weightpath": __version__, "processor": facts()["processor"]}
        context = module.prepare(plan.settings, options.data, folder)
        folder.mkdir(parents=True, exist_ok=True)
        for number, cell in enumerate(missing):
            progress(total - len(missing) + number, total, cell)
            store.put(plan.settings, cell, module.measure(context, cell), made)
    progress(total, total, None)
    return len(missing)


def wording(cell: dict) -> str:
    """Return a cell in words."""
    return ", ".join(
        str(value) if name == "part" else f"{name} = {value:g}" for name, value in cell.items()
    )


def run_alone(name: str, given=None) -> None:
    """Run one experiment from ``python -m``, with plain lines for progress."""
    module = module_of(name)
    parser = argparse.ArgumentParser(
        prog=f"python -m {module.__name__}", description=module.__doc__
    )
    parser.add_argument("--data", type=Path, help="folder of the real data sets")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="a small part, to see that all works")
    parser.add_argument("--repetitions", type=int)
    parser.add_argument("--cap", type=float, help="seconds after which a rival is stopped")
    parser.add_argument("--part", action="append", dest="parts", default=[], help="only this part")
    chosen = vars(parser.parse_args(given))
    options = Options(**{**chosen, "parts": tuple(chosen["parts"])})

    def tell(done: int, total: int, cell: dict | None) -> None:
        now = f": {wording(cell)}" if cell else ""
        print(f"{name}, {done} of {total}{now}", file=sys.stderr, flush=True)

    run(name, options, tell)
