"""Columns of a table: found by name or number, and read as numbers, labels or queries."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.files import FileTable
from weightpath.cli.input.number_text import read_numbers, texts

__all__ = ["find_column", "ids", "labels", "numbers", "queries"]

# Names listed where one is wrong.
SHOWN = 12


def find_column(table: FileTable, wanted: str, option: str) -> str:
    """Return the name of the column that an option asks for, by its name or its number.

    Names come first. Numbers count from 1, the first column, or from -1, the last, backwards.
    """
    if wanted in table.names:
        return wanted
    try:
        number = int(wanted)
    except ValueError:
        raise InputError(f"{_no_column(table, wanted, option)} {_known(table, wanted)}") from None
    if number == 0 or abs(number) > len(table.names):
        raise InputError(
            f"{_no_column(table, wanted, option)} Columns are numbered from 1 to "
            f"{len(table.names)}, or from -1, the last, backwards."
        )
    return table.names[number - 1 if number > 0 else number]


def numbers(table: FileTable, name: str, advice: str) -> NDArray[Any]:
    """Return a column as finite numbers; ``advice`` says what to do if it is not."""
    column = table.frame[name]
    if column.dtype.kind == "M":
        raise InputError(f"{table.file}: column {name!r} holds dates, not numbers. {advice}")
    values = read_numbers(column, table.decimal)[0]
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(f"{table.file}: {_broken(column, name, int(bad[0]))} {advice}")
    return values


def labels(table: FileTable, name: str, as_text: bool | None = None) -> NDArray[Any]:
    """Return a column of class labels: whole numbers where all are, else texts.

    ``as_text`` says how, for labels that are compared with those of another file.
    """
    import pandas

    column = table.frame[name]
    _refuse_missing(table, column, name, "Every row needs its label.")
    kind = column.dtype
    if table.decimal == "," and not as_text:
        # All columns of such a table are texts.
        values, bad = read_numbers(column, table.decimal)
        if not bad.any() and not np.isnan(values).any():
            column, kind = pandas.Series(values), values.dtype
    if pandas.api.types.is_bool_dtype(kind):
        return column.to_numpy(dtype=bool) if not as_text else _texts(column)
    if pandas.api.types.is_numeric_dtype(kind) and not as_text:
        values = np.asarray(column.to_numpy(dtype=np.float64))
        odd = ~np.isfinite(values) | (values != np.round(values))
        if odd.any():
            raise InputError(
                f"{table.file}: the target {name!r} has values such as {values[odd][0]:g}, a "
                "quantity and not a class. Use --task regression."
            )
        return values.astype(np.int64)
    return _texts(column)


def queries(table: FileTable, name: str) -> NDArray[Any]:
    """Return a column that names the query of each row."""
    return ids(table, name, "query")


def ids(table: FileTable, name: str, kind: str) -> NDArray[np.intp]:
    """Return a column that names what rows share, such as their group, as numbers."""
    column = table.frame[name]
    _refuse_missing(table, column, name, f"Every row needs its {kind}.")
    return np.unique(_texts(column), return_inverse=True)[1]


def _texts(column: Any) -> NDArray[Any]:
    return np.array(texts(column).tolist())


def _refuse_missing(table: FileTable, column: Any, name: str, advice: str) -> None:
    missing = np.flatnonzero(column.isna().to_numpy())
    if missing.size:
        raise InputError(
            f"{table.file}: column {name!r} is empty in row {missing[0] + 1}. {advice}"
        )


def _broken(column: Any, name: str, row: int) -> str:
    """Say what is wrong with a field; rows count from 1, without the header."""
    value = column.iloc[row]
    if column.isna().iloc[row]:
        return f"column {name!r} has a missing value in row {row + 1}."
    if isinstance(value, str):
        return f"column {name!r} has {value[:40]!r} in row {row + 1}, which is not a number."
    return f"column {name!r} has {value} in row {row + 1}, which is not finite."


def _no_column(table: FileTable, wanted: str, option: str) -> str:
    return f"{option}: {table.file} has no column {wanted!r}."


def _known(table: FileTable, wanted: str) -> str:
    names = table.names
    if not table.has_header:
        return (
            f"It has no header: columns are numbered from 1 to {len(names)}, or from -1, the last."
        )
    close = get_close_matches(wanted, names, n=1)
    if close:
        return f"Is it {close[0]!r}?"
    shown = ", ".join(names[:SHOWN]) + (f", ... ({len(names)} in all)" if names[SHOWN:] else "")
    return f"It has: {shown}."
