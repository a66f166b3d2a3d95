"""Weights of dated instances: each half-life halves them."""

from __future__ import annotations

import math
import numbers
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["half_life"]

# Seconds of the units that a text may have.
_SECONDS = {
    "w": 604800.0,
    "week": 604800.0,
    "d": 86400.0,
    "day": 86400.0,
    "h": 3600.0,
    "hour": 3600.0,
    "min": 60.0,
    "minute": 60.0,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "ms": 1e-3,
}
_TEXT = re.compile(r"\s*(\d+\.?\d*|\.\d+)?\s*([A-Za-z]+)\s*")

_HOW = 'give a timedelta, or a text such as "30D", "2W", "12h", "45min" or "10s"'


def half_life(
    timestamps: ArrayLike, half_life: float | str | timedelta | np.timedelta64, *, now: Any = None
) -> NDArray[np.float64]:
    r"""Weights that halve with every half-life of age.

    .. math:: w_i = 2^{-(\text{now} - t_i) / h}

    Parameters
    ----------
    timestamps : array-like of shape (n,)
        When the instances were observed, in any order: dates (``datetime64``, ``datetime``, a
        column or index of pandas, texts such as "2026-01-31" or "2026-01-31T12:00") or numbers.
        Dates with a time zone are compared in universal time; the others count as such.
    half_life : timedelta, str or float
        The age at which a weight is one half: for dates a timedelta (Python's, NumPy's or pandas')
        or a text such as "30D", "2W", "12h", "45min", "10s"; for numbers a number in their unit.
    now : date or number, optional
        When the weight is one; the newest timestamp if not given. It must not be before that.

    Returns
    -------
    ndarray of shape (n,)
        Weights above 0 and at most 1 (those of a great age may round to 0).

    Examples
    --------
    >>> from weightpath.weights import half_life
    >>> half_life(["2026-01-01", "2026-01-31", "2026-03-02"], "30D")
    array([0.25, 0.5 , 1.  ])
    >>> half_life([0.0, 5.0, 10.0], 5.0, now=15.0)
    array([0.125, 0.25 , 0.5  ])
    """
    when = _moments(timestamps)
    if when.size == 0:
        return np.empty(0)
    newest = when.max() if now is None else _moments([now])[0]
    if (newest.dtype.kind == "M") != (when.dtype.kind == "M"):
        raise ValueError("now must be a date where the timestamps are dates, else a number.")
    age = newest - when
    length = _length(half_life, dated=when.dtype.kind == "M")
    if when.dtype.kind == "M":
        age = age / np.timedelta64(1, "s")
    if age.min() < 0:
        raise ValueError(
            f"now is {newest}, but index {int(age.argmin())} has the later timestamp "
            f"{when[age.argmin()]}."
        )
    weights: NDArray[np.float64] = np.exp2(-np.asarray(age, dtype=np.float64) / length)
    return weights


def _moments(timestamps: Any) -> NDArray[Any]:
    """Return timestamps as an array of ``datetime64`` or of numbers, all of them known."""
    array = np.asarray(timestamps)
    if array.ndim != 1:
        raise ValueError(f"timestamps has shape {array.shape}, expected one for each instance.")
    if array.dtype.kind in "OUS" and array.size:
        array = _dated(array)
    if array.dtype.kind not in "Miuf":
        raise ValueError(f"timestamps must be dates or numbers, got {array.dtype}.")
    unknown = np.isnat(array) if array.dtype.kind == "M" else ~np.isfinite(array)
    if unknown.any():
        index = int(np.flatnonzero(unknown)[0])
        raise ValueError(f"timestamps must all be known, but index {index} is {array[index]}.")
    return array if array.dtype.kind == "M" else array.astype(np.float64)


def _dated(array: NDArray[Any]) -> NDArray[Any]:
    """Return texts or objects as dates or, if they are numbers, as numbers."""
    values = array.tolist()
    if all(isinstance(value, numbers.Real) for value in values):
        return np.array(values, dtype=np.float64)
    moments = []
    for index, value in enumerate(values):
        try:
            moments.append(_date(value))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"timestamps must be dates, such as 2026-01-31 or 2026-01-31T12:00, or numbers; "
                f"index {index} is {value!r}."
            ) from error
    return np.array(moments, dtype="datetime64[us]")


def _date(value: Any) -> np.datetime64:
    """Return one date; with a time zone, in universal time."""
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        value = datetime.fromisoformat(value.strip())
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
    elif not isinstance(value, (date, np.datetime64)):
        raise TypeError(f"{value!r} is no date")
    return np.datetime64(value, "us")


def _length(half_life: Any, dated: bool) -> float:
    """Return a half-life in seconds, or in the unit of timestamps that are numbers."""
    if not dated:
        if isinstance(half_life, bool) or not isinstance(half_life, numbers.Real):
            raise ValueError(
                f"The timestamps are numbers: half_life must be one too, got {half_life!r}."
            )
        return _positive(float(half_life), half_life)
    if isinstance(half_life, str):
        return _positive(_seconds(half_life), half_life)
    if isinstance(half_life, np.timedelta64):
        return _positive(float(half_life / np.timedelta64(1, "s")), half_life)
    if isinstance(half_life, timedelta):
        return _positive(half_life.total_seconds(), half_life)
    raise ValueError(f"The timestamps are dates: as half_life {_HOW}; got {half_life!r}.")


def _seconds(text: str) -> float:
    found = _TEXT.fullmatch(text)
    unit = found[2].lower() if found else ""
    seconds = _SECONDS.get(unit) or _SECONDS.get(unit.removesuffix("s"))
    if found is None or seconds is None or found[2] == "M":
        raise ValueError(f"half_life={text!r} is no length of time: {_HOW} (months differ).")
    return float(found[1] or 1) * seconds


def _positive(length: float, given: object) -> float:
    if not (math.isfinite(length) and length > 0):
        raise ValueError(f"half_life must be positive, got {given!r}.")
    return length
