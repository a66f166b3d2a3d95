"""Prices, features and target against the formulas of the paper, day by day."""

import sys
from datetime import date, timedelta
from types import ModuleType

import numpy as np
import pytest

from weightpath.datasets import load_nasdaq, nasdaq_features

from .conftest import write

PRICES = 100 * np.exp(np.cumsum(np.random.default_rng(0).normal(0, 0.02, 120)))
DAYS = [date(2008, 1, 1) + timedelta(days=i) for i in range(120)]


def average(prices, span):
    """Return the exponential moving average of the last price."""
    value = prices[0]
    for price in prices[1:]:
        value = value * (1 - 2 / (span + 1)) + price * 2 / (span + 1)
    return value


def save(home, days=DAYS, prices=PRICES, form="{0.month}/{0.day}/{0.year}"):
    rows = [
        f"{form.format(day)},1,1,1,{price!r},1,9"
        for day, price in zip(days, map(float, prices), strict=True)
    ]
    header = "Date,Open,High,Low,Close,Adj Close,Volume"
    return write(home / "nasdaq" / "nasdaq.csv.gz", "\n".join([header, *rows, ""]))


def test_every_day_by_its_formulas():
    made = nasdaq_features(PRICES, clip=None)
    assert made.days.tolist() == list(range(20, 115))
    for row, i in enumerate(made.days):
        expected = [PRICES[i] - average(PRICES[: i + 1], 15)]
        expected += [(PRICES[i] - PRICES[i - k]) / PRICES[i - k] * 100 for k in (5, 10, 15, 20)]
        assert made.data[row] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        now, then = average(PRICES[: i + 1], 3), average(PRICES[: i + 6], 3)
        assert made.rdp_plus_5[row] == pytest.approx((then - now) / now * 100, rel=1e-9)
        assert made.target[row] == (1 if then > now else -1)


def test_outliers_are_moved_to_two_standard_deviations():
    raw, clipped = nasdaq_features(PRICES, clip=None), nasdaq_features(PRICES)
    assert np.array_equal(raw.data[:, 0], clipped.data[:, 0])
    for column in range(1, 5):
        values = raw.data[:, column]
        low, high = values.mean() - 2 * values.std(), values.mean() + 2 * values.std()
        assert clipped.data[:, column].min() >= low - 1e-12
        assert clipped.data[:, column].max() <= high + 1e-12
        within = (values >= low) & (values <= high)
        assert 0 < (~within).sum() < 20
        assert np.array_equal(clipped.data[within, column], values[within])
    assert np.array_equal(raw.target, clipped.target)


def test_the_future_changes_nothing_but_the_target():
    day = 80
    changed = PRICES.copy()
    changed[day + 1 :] *= np.linspace(2, 3, 120 - day - 1)
    before, after = (nasdaq_features(prices, n_reference=50) for prices in (PRICES, changed))
    known = before.days <= day
    assert np.array_equal(before.data[known], after.data[known])
    settled = before.days + 5 <= day
    assert np.array_equal(before.target[settled], after.target[settled])
    assert not np.array_equal(before.data[~known], after.data[~known])


def test_flat_prices_do_not_rise():
    made = nasdaq_features(np.full(30, 7.0))
    assert made.data.tolist() == [[0] * 5] * 5
    assert made.target.tolist() == [-1] * 5


@pytest.mark.parametrize("form", ["{0.month}/{0.day}/{0.year}", "{0:%Y-%m-%d}"])
def test_instances_end_with_the_day_asked_for(home, form):
    save(home, form=form)
    nasdaq = load_nasdaq(home, end="2008-04-01", n_train=40, n_arriving=6)
    whole = nasdaq_features(PRICES, clip=None)
    assert nasdaq.data.shape == (46, 5) and nasdaq.n_train == 40
    assert (
        nasdaq.dates[-1] == np.datetime64("2008-04-01")
        and (np.diff(nasdaq.dates) == np.timedelta64(1, "D")).all()
    )
    last = DAYS.index(date(2008, 4, 1))
    assert nasdaq.close.tolist() == PRICES[last - 45 : last + 1].tolist()
    rows = slice(last - 45 - 20, last + 1 - 20)
    assert np.array_equal(nasdaq.target, whole.target[rows])
    train = whole.data[rows][:40]
    low, high = (train.mean(axis=0) + sign * 2 * train.std(axis=0) for sign in (-1, 1))
    expected = np.clip(whole.data[rows], low, high)[:, 1:]
    assert np.array_equal(nasdaq.data[:, 1:], expected)
    assert np.array_equal(nasdaq.all_close, PRICES) and nasdaq.all_dates.size == 120


def test_a_day_without_trading_ends_with_the_day_before(home):
    kept = [day != date(2008, 3, 31) for day in DAYS]
    save(home, [day for day, keep in zip(DAYS, kept, strict=True) if keep], PRICES[kept])
    nasdaq = load_nasdaq(home, end="2008-03-31", n_train=10, n_arriving=0)
    assert nasdaq.dates[-1] == np.datetime64("2008-03-30")


@pytest.mark.parametrize(
    ("end", "n_train", "n_arriving", "message"),
    [
        ("2008-04-01", 2515, 25, "There are 72 instances"),
        ("2009-12-31", 10, 0, "the prices reach from 2008-01-01 to 2008-04-29"),
        ("2007-12-31", 10, 0, "There are 0 instances"),
        ("2008-04-01", 1, 0, "n_train must be"),
        ("2008-04-01", 10, -1, "n_arriving must be"),
    ],
)
def test_not_enough_days(home, end, n_train, n_arriving, message):
    save(home)
    with pytest.raises(ValueError, match=message):
        load_nasdaq(home, end=end, n_train=n_train, n_arriving=n_arriving)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Close,Adj", "Last,Adj", "columns Date and Close"),
        ("1/3/2008", "3.1.2008", "line 4: "),
        ("1/3/2008", "1/2/2008", "dates must increase"),
        (repr(float(PRICES[3])), "null", "line 5: 'null'"),
        (repr(float(PRICES[3])), "-1.0", "day 3 has -1.0"),
        (",9\n1/3/2008", "\n1/3/2008", "line 3: 6 fields where 7"),
    ],
)
def test_broken_files(home, old, new, message):
    text = "Date,Open,High,Low,Close,Adj Close,Volume\n" + "".join(
        f"{day.month}/{day.day}/{day.year},1,1,1,{float(price)!r},1,9\n"
        for day, price in zip(DAYS, PRICES, strict=True)
    )
    assert old in text
    write(home / "nasdaq" / "nasdaq_1999_2018.csv", text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_nasdaq(home, end="2008-04-01", n_train=10, n_arriving=0)


@pytest.mark.parametrize(
    ("close", "changes", "message"),
    [
        (PRICES[:25], {}, "more than 25"),
        (PRICES.reshape(2, -1), {}, "shape"),
        (np.append(PRICES, 0.0), {}, "day 120"),
        (np.append(PRICES, np.nan), {}, "day 120"),
        (PRICES, {"clip": 0.0}, "clip positive"),
        (PRICES, {"n_reference": 0}, "n_reference"),
        (PRICES, {"n_reference": 96}, "from 1 to 95"),
    ],
)
def test_wrong_prices(close, changes, message):
    with pytest.raises(ValueError, match=message):
        nasdaq_features(close, **changes)


def test_package_arch_where_there_is_no_file(nowhere, home, monkeypatch):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"Close": PRICES, "Adj Close": 0.0}, index=pandas.DatetimeIndex(DAYS, name="Date")
    )
    modules = [ModuleType(name) for name in ("arch", "arch.data", "arch.data.nasdaq")]
    modules[2].load = lambda: frame
    modules[1].nasdaq = modules[2]
    for module in modules:
        monkeypatch.setitem(sys.modules, module.__name__, module)
    shipped = load_nasdaq(end="2008-04-01", n_train=40, n_arriving=6)
    save(home)
    read = load_nasdaq(home, end="2008-04-01", n_train=40, n_arriving=6)
    assert np.array_equal(shipped.data, read.data) and np.array_equal(shipped.dates, read.dates)
