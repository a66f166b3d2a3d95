"""Finished cells of an experiment: written one by one, never measured twice.

A *cell* is the smallest thing that is measured for itself, such as one C0 with one gamma. What is
common to all cells of a run (sizes, repetitions, the cap) are its *settings*. A result is found
again only under the same settings, so that those of a quick run never mix with those of a full one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

__all__ = ["BrokenStoreError", "CellStore", "Finished"]


class BrokenStoreError(ValueError):
    """A file of finished cells cannot be read."""


@dataclass(frozen=True)
class Finished:
    """A cell that was measured: under which settings, what came out, when and where."""

    settings: dict
    cell: dict
    result: dict
    made: dict

    @property
    def key(self) -> str:
        return key_of(self.settings, self.cell)


def key_of(settings: dict, cell: dict) -> str:
    """Return one text for equal settings and cells, in whatever order they are given."""
    return json.dumps([settings, cell], sort_keys=True, allow_nan=False)


class CellStore:
    """The finished cells in a file, one line of JSON each.

    The file is replaced as a whole each time, so that a run that is killed leaves either the old
    or the new one, and read again before, so that two runs do not undo each other's work.

    Parameters
    ----------
    file : Path
        Where the cells are kept; need not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> store = CellStore(Path(mkdtemp()) / "cells.jsonl")
    >>> store.put({"n": 40}, {"C0": 1.0}, {"seconds": [0.1]})
    >>> store.get({"n": 40}, {"C0": 1.0})
    {'seconds': [0.1]}
    >>> store.get({"n": 400}, {"C0": 1.0}) is None
    True
    """

    def __init__(self, file: Path):
        self.file = Path(file)
        self._finished = self._read()

    def __len__(self) -> int:
        return len(self._finished)

    def __iter__(self) -> Iterator[Finished]:
        return iter(self._finished.values())

    def find(self, settings: dict, cell: dict) -> Finished | None:
        """Return a finished cell, or None if it was not measured under these settings."""
        return self._finished.get(key_of(settings, cell))

    def get(self, settings: dict, cell: dict) -> dict | None:
        """Return the result of a cell, or None if it was not measured under these settings."""
        found = self.find(settings, cell)
        return None if found is None else found.result

    def put(self, settings: dict, cell: dict, result: dict, made: dict | None = None) -> None:
        """Keep a result, on disk before this returns."""
        made = {"when": datetime.now().isoformat(timespec="seconds"), **(made or {})}
        # What will be read later, not what happens to be written now: tuples become lists.
        row = Finished(**json.loads(json.dumps(asdict(Finished(settings, cell, result, made)))))
        self._finished = {**self._read(), row.key: row}
        self._write()

    def _read(self) -> dict[str, Finished]:
        if not self.file.exists():
            return {}
        found = {}
        lines = self.file.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            try:
                row = Finished(**json.loads(line))
                found[row.key] = row
            except (ValueError, TypeError) as error:
                raise BrokenStoreError(
                    f"Line {number} of {self.file} is not a finished cell. Remove the line, and "
                    "the cell is measured again; or name another folder for the results."
                ) from error
        return found

    def _write(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(asdict(row), allow_nan=False) for row in self._finished.values()]
        replace_text(self.file, "\n".join(lines) + "\n")


def replace_text(file: Path, text: str) -> None:
    """Write a file so that it is at no time half written."""
    beside = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
