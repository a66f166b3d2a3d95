"""Weights by age, of dates in every form and of numbers."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from weightpath.weights import half_life

DAYS = ["2026-01-01", "2026-01-11", "2026-01-31"]
EXPECTED = [0.125, 0.25, 1.0]


def forms():
    moments = [datetime.fromisoformat(day) for day in DAYS]
    yield "texts", DAYS
    yield "texts with times", [day + "T00:00:00" for day in DAYS]
    yield "array of texts", np.array(DAYS)
    yield "datetime64[D]", np.array(DAYS, dtype="datetime64[D]")
    yield "datetime64[ns]", np.array(DAYS, dtype="datetime64[ns]")
    yield "datetime", moments
    yield "date", [moment.date() for moment in moments]
    east = timezone(timedelta(hours=5))
    yield "aware", [moment.replace(tzinfo=UTC).astimezone(east) for moment in moments]
    yield "aware texts", [day + "T05:00:00+05:00" for day in DAYS]


LIST = list(forms())


@pytest.mark.parametrize("given", [form for _, form in LIST], ids=[name for name, _ in LIST])
@pytest.mark.parametrize(
    "length", ["10D", "240h", "10 days", timedelta(days=10), np.timedelta64(10, "D")]
)
def test_dates_in_every_form(given, length):
    np.testing.assert_allclose(half_life(given, length), EXPECTED, rtol=1e-12)


def test_pandas():
    pd = pytest.importorskip("pandas")
    index = pd.DatetimeIndex(DAYS)
    for given in (index, pd.Series(index), index.tz_localize("Europe/Berlin"), list(index)):
        np.testing.assert_allclose(half_life(given, pd.Timedelta("10D")), EXPECTED, rtol=1e-12)
    zoned = pd.Series(index).dt.tz_localize("UTC")
    np.testing.assert_allclose(half_life(zoned, "10D"), EXPECTED, rtol=1e-12)


def test_numbers_in_their_own_unit():
    np.testing.assert_allclose(half_life([0, 10, 30], 10), EXPECTED)
    np.testing.assert_allclose(half_life(np.array([30.0, 10.0, 0.0]), 10), EXPECTED[::-1])
    np.testing.assert_allclose(half_life(np.array([0, 10, 30], dtype=object), 10), EXPECTED)
    np.testing.assert_allclose(half_life([0, 10, 30], 10, now=40), np.array(EXPECTED) / 2)
    assert half_life([], 1.0).shape == (0,)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1W", 604800), ("2 weeks", 1209600), ("D", 86400), ("0.5d", 43200), ("12h", 43200),
     ("90min", 5400), ("45s", 45), ("30 seconds", 30), ("250ms", 0.25)],
)  # fmt: skip
def test_units_of_texts(text, seconds):
    start = np.datetime64("2026-01-01T00:00:00", "us")
    then = start + np.timedelta64(int(seconds * 1e6), "us")
    np.testing.assert_allclose(half_life(np.array([start, then]), text), [0.5, 1.0], rtol=1e-9)


def test_now_may_be_later_but_not_earlier():
    weights = half_life(DAYS, "10D", now="2026-02-10")
    np.testing.assert_allclose(weights, np.array(EXPECTED) / 2)
    np.testing.assert_allclose(half_life(DAYS, "10D", now=date(2026, 2, 10)), weights)
    with pytest.raises(ValueError, match="index 2 has the later timestamp 2026-01-31"):
        half_life(DAYS, "10D", now="2026-01-20")
    with pytest.raises(ValueError, match="now must be a date"):
        half_life(DAYS, "10D", now=3.0)


@pytest.mark.parametrize(
    ("given", "length", "words"),
    [
        (DAYS, 10, "dates: as half_life give a timedelta"),
        (DAYS, "10M", "months differ"),
        (DAYS, "soon", "no length of time"),
        (DAYS, "-3D", "no length of time"),
        (DAYS, timedelta(0), "must be positive"),
        ([1.0, 2.0], "10D", "numbers: half_life must be one too"),
        ([1.0, 2.0], 0.0, "must be positive"),
        ([1.0, 2.0], np.inf, "must be positive"),
        ([1.0, np.nan], 1.0, "index 1 is nan"),
        (np.array(["2026-01-01", "NaT"], dtype="datetime64[D]"), "1D", "index 1 is NaT"),
        (["2026-01-01", "yesterday"], "1D", "index 1 is 'yesterday'"),
        (["2026-01-01", None], "1D", "index 1 is None"),
        ([[1.0, 2.0]], 1.0, "shape"),
    ],
)
def test_what_is_no_time_is_refused(given, length, words):
    with pytest.raises(ValueError, match=words):
        half_life(given, length)


def test_great_ages_round_to_zero_without_a_warning():
    assert half_life([0.0, 1e9], 1.0).tolist() == [0.0, 1.0]
