"""Files of results: each appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.curves import Curve
from weightpath.curves.points import interval_table
from weightpath.files import write_whole
from weightpath.path import SolutionPath

__all__ = [
    "OutputFolder",
    "check_folder",
    "write_curve",
    "write_curves",
    "write_events",
    "write_table",
    "write_weights",
]

# Every file that a command may write.
OWN_FILES = (
    "model.skops",
    "path.npz",
    "events.csv",
    "curve.csv",
    "fold_curves.csv",
    "grid.csv",
    "weights.csv",
    "failed.npz",
    "path.png",
    "curve.png",
    "path.html",
    "summary.md",
    "summary.json",
)

POWERS = ("value", "slope", "quadratic")


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written to, before anything is computed."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder} is a file. Name a folder; it is made if not there.")
    there = folder
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"--out {folder}: {there} cannot be written to. Name another folder.")


class OutputFolder:
    """A folder that fills up, file by file.

    Results of an earlier command in the same folder are replaced, and those of its files that this
    one does not write are removed by :meth:`tidy`: they would not belong together.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.files: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._is_own = _has_summary(folder / "summary.json")

    def write(self, name: str, write: Callable[[Path], Any]) -> None:
        """Let a function write a file under a temporary name, then rename it."""
        write_whole(self.folder / name, write)
        self.files[name] = str(self.folder / name)

    def text(self, name: str, text: str) -> None:
        """Write a text."""
        self.write(name, lambda file: file.write_text(text, encoding="utf-8"))

    def tidy(self) -> None:
        """Remove what an earlier command left."""
        for name in OWN_FILES:
            if self._is_own and name not in self.files:
                (self.folder / name).unlink(missing_ok=True)


def _has_summary(file: Path) -> bool:
    try:
        return "command" in json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def write_table(file: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file; numbers have all their digits."""
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def write_events(file: Path, path: SolutionPath) -> None:
    """Write the events of a path; of a ranking with both documents of the pair."""
    events = path.events
    names = list(events.dtype.names or ())
    columns = [events[name].tolist() for name in names]
    evaluation: Any = path.parts[0].evaluation
    if evaluation is not None:
        names += ["more_relevant", "less_relevant"]
        pairs = evaluation.pairs
        columns += [
            np.asarray(rows)[events["index"]].tolist() for rows in (pairs.first, pairs.second)
        ]
    write_table(file, names, zip(*columns, strict=True))


def write_curve(file: Path, curve: Curve) -> None:
    """Write the intervals and isolated points of a curve with their polynomials."""
    names = ["left", "right", *POWERS[: curve.degree + 1]]
    write_table(file, names, interval_table(curve).tolist())


def write_curves(file: Path, curves: Sequence[Curve]) -> None:
    """Write the curves of folds, one below the other; folds count from 1."""
    degree = max(curve.degree for curve in curves)
    names = ["fold", "left", "right", *POWERS[: degree + 1]]
    rows = (
        [k, *row]
        for k, curve in enumerate(curves, start=1)
        for row in interval_table(curve).tolist()
    )
    write_table(file, names, rows)


def write_weights(file: Path, columns: dict[str, NDArray[Any]]) -> None:
    """Write weights, one row for each row of the data or pair of documents."""
    write_table(file, list(columns), zip(*(c.tolist() for c in columns.values()), strict=True))
