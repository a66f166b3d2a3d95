"""The segments of a path as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.problems.kind import SET_NAMES
from weightpath.small_tables import pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.path.solution_path import SolutionPath

__all__ = ["margin_sizes", "segment_table"]


def margin_sizes(path: SolutionPath) -> NDArray[np.int64]:
    """Return the size of the margin, of all subproblems, on each segment."""
    sizes = np.zeros(len(path), dtype=np.int64)
    for part in path.parts:
        segment = np.searchsorted(part.theta, path.theta[:-1], side="right") - 1
        sizes += np.diff(part.record.offset)[segment]
    return sizes


def segment_table(path: SolutionPath) -> DataFrame:
    """Return the segments of a path; see :meth:`weightpath.SolutionPath.to_frame`."""
    pd = pandas_for("SolutionPath.to_frame")
    left, events = path.theta[:-1], path.events
    table = {
        "left": left,
        "right": path.theta[1:],
        "events": np.diff(np.searchsorted(events["theta"], path.theta, side="left")),
    }
    done = np.searchsorted(events["theta"], left, side="right")
    for name in SET_NAMES.tolist():
        first = sum(
            int((part.reading.words(part.record.initial_position) == name).sum())
            for part in path.parts
        )
        change = (events["to"] == name).astype(np.int64) - (events["from"] == name)
        table[name] = first + np.append(0, np.cumsum(change))[done]
    return pd.DataFrame(table, index=pd.RangeIndex(len(left), name="segment"))
