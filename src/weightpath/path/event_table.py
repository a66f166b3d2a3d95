"""The events of a path as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.kind import SET_NAMES

if TYPE_CHECKING:
    from weightpath.path.solution_path import SolutionPath

__all__ = ["event_table"]


def event_table(path: SolutionPath) -> NDArray[np.void]:
    """Return every set change; see :attr:`weightpath.SolutionPath.events`."""
    word = SET_NAMES.dtype.str
    names = [("theta", "f8"), ("index", "i8"), ("from", word), ("to", word)]
    tables = []
    for number, part in enumerate(path.parts):
        record = part.record
        table = np.zeros(record.n_events, dtype=[*names, ("part", "i8")])
        table["theta"] = record.event_theta
        table["index"] = part.train_rows[record.event_index]
        table["from"] = part.reading.words(record.event_from, record.event_index)
        table["to"] = part.reading.words(record.event_to, record.event_index)
        table["part"] = number
        tables.append(table[table["theta"] <= path.theta[-1]])
    table = np.concatenate(tables)
    table = table[np.argsort(table["theta"], kind="stable")]
    if path.is_single:
        single = np.zeros(table.size, dtype=names)
        for name, _ in names:
            single[name] = table[name]
        table = single
    table.setflags(write=False)
    return table
