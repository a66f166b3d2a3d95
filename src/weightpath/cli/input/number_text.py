"""Texts that are numbers: decimal commas, separators of thousands, signs of currency."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "feature_texts",
    "is_text",
    "looks_decimal_comma",
    "looks_thousands",
    "read_numbers",
    "texts",
]

# What stands in a field that has no value, in small letters.
MISSING = ("", "na", "n/a", "n.a.", "nan", "<na>", "null", "none", "?", "-", "--", ".", "missing")
_EXCEL = ("#n/a", "#na", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!")
ALL_MISSING = frozenset((*MISSING, *_EXCEL))

_AROUND = re.compile(r"^[\s$€£¥]+|[\s$€£¥%]+$")
# Blanks of all widths and the Swiss apostrophe stand between groups of three digits.
_GROUP_MARKS = re.compile("(?<=\\d)[\\s\u00a0\u202f\u2009'\u2019](?=\\d{3}(?!\\d))")
_COMMA_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_DOT_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?")
_WHOLE = re.compile(r"([+-]?\d+)\.0")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)?,\d+([eE][+-]?\d+)?")


def is_text(column: Any) -> bool:
    """Whether a column holds texts, or objects of several types."""
    import pandas

    kind = column.dtype
    return bool(pandas.api.types.is_object_dtype(kind) or pandas.api.types.is_string_dtype(kind))


def texts(column: Any) -> NDArray[Any]:
    """Return a column as an array of texts without blanks at their ends; None where missing.

    Whole numbers are written without a fraction, as a column of them is read with one where some
    fields are missing.
    """
    missing = column.isna().to_numpy()
    values = column.tolist()
    if column.dtype.kind == "f":
        values = [int(value) if value.is_integer() else value for value in _finite(values, missing)]
    found = [
        None if gap else str(value).strip() for value, gap in zip(values, missing, strict=True)
    ]
    return np.array(found, dtype=object)


def _finite(values: list[float], missing: NDArray[np.bool_]) -> list[float]:
    return [0.5 if gap or not np.isfinite(v) else v for v, gap in zip(values, missing, strict=True)]


def feature_texts(column: Any) -> NDArray[Any]:
    """Return a column as texts, None where missing; words such as NA count as missing.

    Codes such as 1.0, which other programs write for 1 where a field is missing, are 1.
    """
    found = texts(column)
    for k, word in enumerate(found):
        if word is not None and (match := _WHOLE.fullmatch(word)):
            found[k] = match[1]
    absent = [word is not None and word.lower() in ALL_MISSING for word in found]
    found[np.array(absent, dtype=bool)] = None
    return found


def read_numbers(column: Any, decimal: str = ".") -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return a column as numbers, NaN where missing, and which of its values are no numbers.

    Parameters
    ----------
    column : pandas.Series
        Of any type.
    decimal : {".", ","}, default="."
        The decimal mark of texts; the other one may separate thousands.
    """
    import pandas

    if column.dtype.kind == "M":
        values = np.full(len(column), np.nan)
        return values, column.notna().to_numpy()
    if column.dtype.kind == "m":
        return column.dt.total_seconds().to_numpy(np.float64), np.zeros(len(column), bool)
    if not is_text(column) and pandas.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return values, np.zeros(len(values), bool)
    words = texts(column)
    known, places = np.unique([word or "" for word in words], return_inverse=True)
    plain = [_plain(word, decimal) for word in known]
    numbers = pandas.to_numeric(pandas.Series(plain, dtype=object), errors="coerce")
    found = np.array(numbers, dtype=np.float64)
    absent = np.array([word.lower() in ALL_MISSING for word in known], dtype=bool)
    found[absent] = np.nan
    return found[places], (np.isnan(found) & ~absent)[places]


def _plain(word: str, decimal: str) -> str:
    """Return a number as Python writes it; other words may come back changed."""
    word = _AROUND.sub("", word.replace("\u2212", "-"))
    word = _GROUP_MARKS.sub("", word)
    if decimal == ",":
        if "," in word or _DOT_GROUPS.fullmatch(word):
            word = word.replace(".", "")
        return word.replace(",", ".")
    if _COMMA_GROUPS.fullmatch(word):
        return word.replace(",", "")
    # More than one dot can only separate thousands.
    return word.replace(".", "") if word.count(".") > 1 and _DOT_GROUPS.fullmatch(word) else word


def _commas(column: Any) -> list[str]:
    """Return the numbers of a column that have a comma; nothing if it holds other texts, too."""
    if not is_text(column):
        return []
    words = {_GROUP_MARKS.sub("", _AROUND.sub("", word)) for word in set(texts(column)) if word}
    words = {word for word in words if word.lower() not in ALL_MISSING}
    shapes = (_DECIMAL_COMMA, _COMMA_GROUPS, _DOT_GROUPS, re.compile(r"[+-]?\d+"))
    if not all(any(shape.fullmatch(word) for shape in shapes) for word in words):
        return []
    return [word for word in words if "," in word]


def looks_decimal_comma(column: Any) -> bool:
    """Whether a column holds numbers with commas that cannot separate thousands."""
    return any(not _COMMA_GROUPS.fullmatch(word) for word in _commas(column))


def looks_thousands(column: Any) -> bool:
    """Whether a column holds numbers whose commas may all separate thousands."""
    words = _commas(column)
    return bool(words) and all(_COMMA_GROUPS.fullmatch(word) for word in words)
