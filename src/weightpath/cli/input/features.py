"""What each column is as a feature: a number, a date, a text, or nothing to learn from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from weightpath.cli.input.date_text import PARTS, ambiguous, date_format, dates, part_of
from weightpath.cli.input.files import FileTable
from weightpath.cli.input.number_text import feature_texts, is_text, read_numbers

__all__ = [
    "DATE",
    "NUMBER",
    "TEXT",
    "Feature",
    "FeaturePlan",
    "plan_features",
]

NUMBER, DATE, TEXT = "number", "date", "text"

# Texts count as numbers if at least this share of them are; so many others are taken for marks of
# missing values.
MOST_NUMBERS = 0.95
FEW_WORDS = 5

# Texts that differ in more than half of the rows, and are more than so many, name the rows.
DISTINCT = 10

# Names of whole numbers that only count or name the rows, if all of them differ.
_ROW_NAMES = re.compile(
    r"(^|.*[\W_])(id|ids|idx|index|key|uuid|guid|rownames|row)$|.*[a-z](Id|ID)$"
)

# Names that a message lists.
SHOWN = 6


@dataclass(frozen=True)
class Feature:
    """A column that the model learns from.

    Parameters
    ----------
    name : str
        The column.
    kind : {"number", "date", "text"}
        What it holds.
    how : str, optional
        The format of dates that are texts.
    parts : tuple of str
        The parts of dates that vary, as numbers.
    """

    name: str
    kind: str
    how: str | None = None
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class FeaturePlan:
    """The features of a table, which columns are left out and why, and what a user should know."""

    features: tuple[Feature, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    decimal: str = "."

    @property
    def names(self) -> list[str]:
        """The columns that are features."""
        return [feature.name for feature in self.features]

    def with_left_out(self, more: dict[str, str]) -> FeaturePlan:
        """Return the same with more columns left out."""
        return replace(self, left_out={**more, **self.left_out})

    def of_kind(self, kind: str) -> list[Feature]:
        """Return the features of one kind."""
        return [feature for feature in self.features if feature.kind == kind]

    @property
    def notes(self) -> list[str]:
        """What a user should know, in lines."""
        lines = []
        if self.left_out:
            listed = [f"{name!r} ({why})" for name, why in self.left_out.items()]
            more = f" and {len(listed) - 3 * SHOWN} more" if listed[3 * SHOWN :] else ""
            lines.append(f"Left out: {', '.join(listed[: 3 * SHOWN])}{more}. --keep takes one in.")
        return [*lines, *self.remarks]


def plan_features(table: FileTable, names: Iterable[str], keep: Iterable[str] = ()) -> FeaturePlan:
    """Decide what columns are as features.

    Parameters
    ----------
    table : FileTable
        The training table.
    names : iterable of str
        Its columns that may be features.
    keep : iterable of str
        Columns that are not left out even if there seems to be nothing to learn from them.
    """
    kept = set(keep)
    features, left_out, remarks = [], {}, []
    for name in names:
        column = table.frame[name]
        try:
            feature, more = _feature(column, name, table.decimal, name in kept)
        except _NothingToLearnError as reason:
            left_out[name] = str(reason)
            continue
        features.append(feature)
        remarks += more
    return FeaturePlan(tuple(features), left_out, tuple(remarks), table.decimal)


class _NothingToLearnError(Exception):
    """A column is left out, with the reason."""


def _feature(column: Any, name: str, decimal: str, kept: bool) -> tuple[Feature, list[str]]:
    missing = column.isna().to_numpy()
    if missing.all():
        raise _NothingToLearnError("empty")
    if column.dtype.kind == "M" or hasattr(column.dtype, "tz"):
        return _date_feature(column, name, None, kept), []
    if not is_text(column) and column.dtype.kind not in "bO" and str(column.dtype) != "boolean":
        return _number_feature(column, name, decimal, kept), []
    words = feature_texts(column)
    missing = np.array([word is None for word in words], dtype=bool)
    if missing.all():
        raise _NothingToLearnError("empty")
    given = words[~missing]
    values, bad = read_numbers(column, decimal)
    some = np.isfinite(values)
    if some.any() and column.dtype.kind != "b" and str(column.dtype) != "boolean":
        others = set(words[bad].tolist())
        if some.sum() >= MOST_NUMBERS * (some.sum() + bad.sum()) and len(others) <= FEW_WORDS:
            feature = _number_feature(column, name, decimal, kept)
            listed = ", ".join(repr(word[:20]) for word in sorted(others))
            note = f"Column {name!r}: {int(bad.sum())} of {len(words)} values are no numbers"
            return feature, [f"{note} ({listed}), and count as missing."] if others else []
    how = date_format(given)
    if how is not None:
        other = ambiguous(given, how)
        notes = []
        if other is not None:
            notes = [f"Column {name!r}: {given[0]!r} is read as day and month, in this order."]
        return _date_feature(column, name, how, kept), notes
    distinct = len(set(given.tolist()))
    if not kept:
        if distinct == 1 and not missing.any():
            raise _NothingToLearnError("the same everywhere")
        if distinct > DISTINCT and distinct > len(given) / 2:
            raise _NothingToLearnError(f"{distinct:,} different texts in {len(given):,} rows")
    return Feature(name, TEXT), []


def _number_feature(column: Any, name: str, decimal: str, kept: bool) -> Feature:
    values = read_numbers(column, decimal)[0]
    some = values[~np.isnan(values)]
    if some.size == 0:
        raise _NothingToLearnError("empty")
    if not kept:
        if (some == some[0]).all() and some.size == values.size:
            raise _NothingToLearnError("the same everywhere")
        whole = bool((some == np.round(some)).all())
        if _ROW_NAMES.match(name) and whole and np.unique(some).size == values.size > DISTINCT:
            raise _NothingToLearnError("a number for each row")
    return Feature(name, NUMBER)


def _date_feature(column: Any, name: str, how: str | None, kept: bool) -> Feature:
    found = dates(column, how)
    parts = []
    for part in PARTS:
        values = part_of(found, part)
        values = values[~np.isnan(values)]
        if values.size and (values != values[0]).any():
            parts.append(part)
    if not parts:
        if not kept:
            raise _NothingToLearnError("the same everywhere")
        parts = ["day"]
    return Feature(name, DATE, how, tuple(parts))
