"""Columns of a table as a model takes them: found by name, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from weightpath.cli.errors import InputError
from weightpath.cli.input.date_text import dates
from weightpath.cli.input.features import DATE, MOST_NUMBERS, NUMBER, Feature
from weightpath.cli.input.files import FileTable
from weightpath.cli.input.number_text import feature_texts, read_numbers

__all__ = ["rows_of_features", "unknown_texts"]

# Names that a message lists.
SHOWN = 5


def rows_of_features(
    table: FileTable, features: Sequence[Feature], of: str
) -> tuple[Any, list[str]]:
    """Return the columns of features as a frame, and what the user should know.

    Parameters
    ----------
    table : FileTable
        Where the rows are from.
    features : sequence of Feature
        What is wanted of it; other columns do not matter.
    of : str
        Whose features they are, for messages.
    """
    import pandas

    _refuse_missing_columns(table, features, of)
    columns, notes = {}, []
    for feature in features:
        column = table.frame[feature.name]
        if feature.kind == NUMBER:
            values, bad = read_numbers(column, table.decimal)
            notes += _not_numbers(table, feature.name, column, bad, of)
            _refuse_infinite(table, feature.name, column, values)
            columns[feature.name] = values
        elif feature.kind == DATE:
            _refuse_other_dates(table, feature, column, of)
            columns[feature.name] = column
        else:
            columns[feature.name] = pandas.Series(feature_texts(column), dtype=object)
    return pandas.DataFrame(columns), notes


def unknown_texts(frame: Any, known: Mapping[str, set[str]]) -> list[str]:
    """Return lines about texts that a model has not been trained with."""
    notes = []
    for name, texts_known in known.items():
        given = frame[name].dropna()
        new = given[~given.isin(texts_known)]
        if len(new):
            listed = ", ".join(repr(word[:30]) for word in new.drop_duplicates().iloc[:SHOWN])
            notes.append(
                f"Column {name!r}: {len(new):,} of {len(frame):,} rows have a text that the "
                f"training table had nowhere ({listed}). They count as none of its texts."
            )
    return notes


def _refuse_missing_columns(table: FileTable, features: Sequence[Feature], of: str) -> None:
    missing = [feature.name for feature in features if feature.name not in table.names]
    if not missing:
        return
    close = get_close_matches(missing[0], table.names, n=1)
    if not table.has_header:
        advice = "It has no header; --header says that its first line has names."
    elif close:
        advice = f"Is {close[0]!r} meant? Columns must have the same names."
    else:
        advice = "Columns must have the same names in all files."
    more = f" and {len(missing) - 1} more" if missing[1:] else ""
    raise InputError(f"{table.file} lacks the feature {missing[0]!r}{more} of {of}. {advice}")


def _not_numbers(table: FileTable, name: str, column: Any, bad: Any, of: str) -> list[str]:
    if not bad.any():
        return []
    row = int(np.flatnonzero(bad)[0])
    if bad.sum() > (1 - MOST_NUMBERS) * max(int(column.notna().sum()), 1):
        raise InputError(
            f"{table.file}: column {name!r} has {str(column.iloc[row])[:40]!r} in row {row + 1}, "
            f"which is not a number, as those of {of} are."
        )
    return [
        f"{table.file}: column {name!r} has {int(bad.sum())} values that are no numbers, the first "
        f"{str(column.iloc[row])[:20]!r}; they count as missing."
    ]


def _refuse_infinite(table: FileTable, name: str, column: Any, values: Any) -> None:
    bad = np.flatnonzero(np.isinf(values))
    if bad.size:
        raise InputError(
            f"{table.file}: column {name!r} has {column.iloc[bad[0]]} in row {bad[0] + 1}, which "
            "is not finite. Mend the file; an empty field is a missing value."
        )


def _refuse_other_dates(table: FileTable, feature: Feature, column: Any, of: str) -> None:
    found = dates(column, feature.how)
    bad = np.flatnonzero((found.isna() & column.notna()).to_numpy())
    if len(bad) > (1 - MOST_NUMBERS) * max(int(column.notna().sum()), 1):
        raise InputError(
            f"{table.file}: column {feature.name!r} has {str(column.iloc[bad[0]])[:40]!r} in row "
            f"{bad[0] + 1}, which is no date written as those of {of} are."
        )
