"""The path of a linear program machine in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weightpath.small_tables import html_table, pandas_for

if TYPE_CHECKING:
    from pandas import DataFrame

    from weightpath.path.programs.linear_program_path import LinearProgramPath

__all__ = ["SIGN_NAMES", "event_table", "segment_table", "summary", "summary_table"]

# By sign + 1.
SIGN_NAMES = np.array(["negative", "zero", "positive"])


def event_table(path: LinearProgramPath) -> NDArray[np.void]:
    """Return every change of a basis; see :attr:`weightpath.LinearProgramPath.events`."""
    names = [("theta", "f8"), ("index", "i8"), ("from", "U8"), ("to", "U8"), ("of", "U11")]
    tables = []
    for number, part in enumerate(path.parts):
        record = part.record
        table = np.zeros(record.n_events, dtype=[*names, ("part", "i8")])
        table["theta"], table["part"] = record.event_theta, number
        columns = record.event_is_column
        of_row, of_column = record.event_index[~columns], record.event_index[columns]
        table["index"][~columns] = part.train_rows[of_row]
        table["index"][columns] = part.train_columns[of_column]
        table["of"] = np.where(columns, "coefficient", "instance")
        for name, change in (("from", record.event_from), ("to", record.event_to)):
            table[name][~columns] = part.reading.words(change[~columns], of_row)
            table[name][columns] = SIGN_NAMES[change[columns] + 1]
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


def segment_table(path: LinearProgramPath) -> DataFrame:
    """Return the segments; see :meth:`weightpath.LinearProgramPath.to_frame`."""
    pd = pandas_for("LinearProgramPath.to_frame")
    edges, counts = path.coefficient_count()
    table = {
        "left": edges[:-1],
        "right": edges[1:],
        "events": np.diff(np.searchsorted(path.events["theta"], edges, side="left")),
        "coefficients": counts,
        # A basis has one row more than columns, for the bias.
        "margin": counts + len(path.parts),
    }
    return pd.DataFrame(table, index=pd.RangeIndex(len(counts), name="segment"))


def summary(path: LinearProgramPath) -> str:
    """Return one line about a path."""
    parts = "" if path.is_single else f"{len(path.parts)} parts, "
    end = "" if path.theta[-1] == 1.0 else f", stopped at theta={path.theta[-1]:.6g}"
    after = "" if path.preparation is None else f", after {path.preparation!r}"
    return (
        f"<LinearProgramPath: {path.n_rows} instances, {path.n_columns} coefficients, {parts}"
        f"{path.n_events} events, {len(path)} segments{end}{after}>"
    )


def summary_table(path: LinearProgramPath) -> str:
    """Return a small table about a path, for notebooks."""
    rows = [
        ("instances", path.n_rows),
        ("coefficients", path.n_columns),
        ("events", path.n_events),
        ("segments", len(path)),
        ("theta", f"0 to {path.theta[-1]:.6g}"),
        ("status", str(path.status)),
    ]
    return html_table("Linear program path", rows)
