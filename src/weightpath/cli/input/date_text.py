"""Texts that are dates: the format of a column, and dates as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PARTS", "ambiguous", "date_format", "dates", "part_of"]

# The day first, then the month, where both orders are possible; ISO 8601 has names of its own.
DAYS = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%b %d %Y",
)
TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
CLOCKS = ("%H:%M", "%H:%M:%S")
ISO = "ISO8601"

# Values looked at before a whole column is read in a format.
GLANCE = 200

# Share of the values that must be dates of one format; others are missing.
MOST = 0.95

PARTS = ("day", "month", "weekday", "hour")


def dates(column: Any, how: str | None) -> Any:
    """Return a column as times without a zone (that of UTC, where they have one); NaT if missing.

    Parameters
    ----------
    column : pandas.Series
        Texts, or times already.
    how : str or None
        The format of texts.
    """
    import pandas

    if column.dtype.kind == "M" or isinstance(column.dtype, pandas.DatetimeTZDtype):
        found = column
    elif column.dtype.kind not in "OTU" and not pandas.api.types.is_string_dtype(column.dtype):
        return pandas.Series(pandas.NaT, index=column.index)
    else:
        words = column.astype(object).where(column.notna(), None)
        words = words.map(lambda word: word.strip() if isinstance(word, str) else word)
        try:
            found = pandas.to_datetime(words, format=how or "mixed", errors="coerce", utc=True)
        except (ValueError, TypeError, OverflowError):
            return pandas.Series(pandas.NaT, index=column.index)
    if found.dt.tz is not None:
        found = found.dt.tz_convert(None)
    return found


def date_format(words: NDArray[Any]) -> str | None:
    """Return the format in which nearly all of some texts are dates; None if there is none."""
    import pandas

    given = pandas.Series([word for word in words if word], dtype=object)
    if given.empty or not _may_be_dates(given.iloc[:GLANCE].tolist()):
        return None
    formats = [ISO, *(day + time for time in TIMES for day in DAYS), *CLOCKS]
    best = None
    for how in formats:
        if _share(given.iloc[:GLANCE], how) >= MOST and _share(given, how) >= MOST:
            if best is None or _share(given, how) > _share(given, best):
                best = how
            if _share(given, best) == 1.0:
                return best
    return best


def _may_be_dates(words: list[str]) -> bool:
    """Whether texts have digits and something between them, as dates do; saves trying formats."""
    digits = sum(any(c.isdigit() for c in word) and not word.isdigit() for word in words)
    return digits >= MOST * len(words) and max(map(len, words)) <= 40


def _share(given: Any, how: str) -> float:
    found = dates(given, how)
    return float(found.notna().mean())


def ambiguous(words: NDArray[Any], how: str) -> str | None:
    """Return the format with day and month exchanged if all texts are dates in it as well."""
    other = how.translate(str.maketrans("dm", "md"))
    if other == how or "%b" in how or "%B" in how or how == ISO:
        return None
    import pandas

    given = pandas.Series([word for word in words if word], dtype=object)
    return other if other.split(" ")[0] in DAYS and _share(given, other) == 1.0 else None


def part_of(times: Any, part: str) -> NDArray[np.float64]:
    """Return a part of times as numbers: ``day`` counts from 1970, with its fraction."""
    import pandas

    if part == "day":
        since = (times - pandas.Timestamp("1970-01-01")) / pandas.Timedelta(days=1)
        return np.asarray(since.to_numpy(dtype=np.float64, na_value=np.nan))
    found = getattr(times.dt, "day_of_week" if part == "weekday" else part)
    return np.asarray(found.to_numpy(dtype=np.float64, na_value=np.nan))
