r"""The NASDAQ composite index, the time series of the paper's section 4.2.

With p(i) the closing price of day i and EMA_k its exponential moving average over k days,

    EMA_k(i) = EMA_k(i - 1) + 2 / (k + 1) (p(i) - EMA_k(i - 1)),    EMA_k(0) = p(0),

the features of day i are (Table 2 of [1], after [2])

    EMA15    p(i) - EMA_15(i)
    RDP-k    100 (p(i) - p(i - k)) / p(i - k),    k = 5, 10, 15, 20

and the target is the sign of

    RDP+5    100 (EMA_3(i + 5) - EMA_3(i)) / EMA_3(i).

RDP values further than two standard deviations from their mean are moved to that distance.

[1] M. Karasuyama, N. Harada, M. Sugiyama, I. Takeuchi. Machine Learning 88, 2012.
[2] L. Cao, F. Tay. IEEE Transactions on Neural Networks 14, 2003.
"""

from __future__ import annotations

from datetime import date, datetime
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.signal import lfilter
from sklearn.utils import Bunch

from weightpath.datasets.locations import find_files, not_found
from weightpath.datasets.tables import number, read_rows

__all__ = ["load_nasdaq", "nasdaq_features"]

FOLDER = "nasdaq"
FILES = ("nasdaq_1999_2018.csv|nasdaq.csv",)
ADVICE = (
    "An ordinary way to get them is the package arch, which ships them: pip install arch, and this "
    "function finds them there. A file of your own is a table with the columns Date and Close."
)
DESCR = (
    "NASDAQ composite index, daily. {n} days that end with {end}, in time order: price above its "
    "15-day average and relative changes over 5, 10, 15 and 20 days; the target is the sign of the "
    "change of the 3-day average over the next 5 days."
)

LAGS = (5, 10, 15, 20)
AHEAD = 5
FEATURES = ("EMA15", *(f"RDP-{lag}" for lag in LAGS))


def load_nasdaq(
    data_home: str | PathLike[str] | None = None,
    *,
    end: str | date = "2009-12-31",
    n_train: int = 2515,
    n_arriving: int = 25,
) -> Bunch:
    """The NASDAQ composite index with the features and the target of the paper.

    Looked for are ``nasdaq/nasdaq_1999_2018.csv`` (or ``nasdaq.csv``) in ``data_home`` and,
    without it, the data that the package ``arch`` ships.

    Parameters
    ----------
    data_home : path, optional
        The folder that holds ``nasdaq``. None searches the one named by the environment variable
        ``WEIGHTPATH_DATA``, then the user's cache folder.
    end : str or date
        The last day of the instances, or the last trading day before it.
    n_train, n_arriving : int
        How many instances are there at first, and how many arrive afterwards. The paper has
        2515 and 25. Limits of outliers are taken from the first ``n_train`` only, so that
        instances that are still to arrive do not influence them.

    Returns
    -------
    Bunch
        For the n_train + n_arriving instances, oldest first: ``data`` (n, 5), ``target`` (n,) of
        +1 and -1, ``rdp_plus_5`` (n,) whose sign it is, ``dates`` and ``close`` (n,) of the day
        of each; ``feature_names``, ``n_train``, ``DESCR``; for the whole series, ``all_dates``
        and ``all_close``.

    Raises
    ------
    DataNotFoundError
        If there is no file and no package ``arch``.

    Notes
    -----
    The paper speaks of 2515 instances from January 2001 to December 2009, but those years have
    2263 trading days. Here the instances end with ``end`` and reach back as far as needed. The
    target of the last ones looks at the five days after ``end``, by its definition.

    The paper scales the inputs to [0, 1].
    """
    dates, close = read_prices(data_home)
    for name, count, least in (("n_train", n_train, 2), ("n_arriving", n_arriving, 0)):
        if count < least:
            raise ValueError(f"{name} must be at least {least}; got {count}.")
    last_day = np.datetime64(end, "D")
    whole = nasdaq_features(close, clip=None)
    until = np.searchsorted(dates[whole.days], last_day, side="right")
    n = n_train + n_arriving
    if until < n or last_day > dates[-1]:
        raise ValueError(
            f"There are {until} instances up to {last_day}, not {n}: the prices reach from "
            f"{dates[0]} to {dates[-1]}, an instance needs {LAGS[-1]} days before it and {AHEAD} "
            "after it. Choose another end, or smaller n_train and n_arriving."
        )
    rows = slice(until - n, until)
    days = whole.days[rows]
    return Bunch(
        data=clip_changes(whole.data[rows], n_train, 2.0),
        target=whole.target[rows],
        rdp_plus_5=whole.rdp_plus_5[rows],
        dates=dates[days],
        close=close[days],
        all_dates=dates,
        all_close=close,
        n_train=n_train,
        feature_names=list(FEATURES),
        DESCR=DESCR.format(n=n, end=dates[days[-1]]),
    )


def nasdaq_features(
    close: ArrayLike, *, clip: float | None = 2.0, n_reference: int | None = None
) -> Bunch:
    """Features and target of the paper for any series of daily prices.

    Parameters
    ----------
    close : array of shape (n_days,)
        Positive prices, oldest first, at least 26 of them.
    clip : float or None
        Relative changes further than this many standard deviations from their mean are moved to
        that distance. None leaves them.
    n_reference : int, optional
        Mean and standard deviation are taken from this many instances, the oldest; None takes
        all, so that an instance's features depend, through the limits alone, on later ones.

    Returns
    -------
    Bunch
        ``data`` (n, 5), ``target`` (n,) of +1 (the average price rises) and -1 (it does not),
        ``rdp_plus_5`` (n,), ``days`` (n,), the position of each instance in ``close``, and
        ``feature_names``. The first 20 and the last 5 days make no instance, so n = n_days - 25.

    Examples
    --------
    >>> import numpy as np
    >>> from weightpath.datasets import nasdaq_features
    >>> waves = nasdaq_features(100 + 10 * np.sin(np.arange(200) / 8))
    >>> waves.data.shape, waves.days[0].item()
    ((175, 5), 20)
    >>> waves.feature_names
    ['EMA15', 'RDP-5', 'RDP-10', 'RDP-15', 'RDP-20']
    """
    close = np.asarray(close, dtype=float)
    if close.ndim != 1 or close.size <= LAGS[-1] + AHEAD:
        raise ValueError(
            f"close must be one series of more than {LAGS[-1] + AHEAD} prices; got shape "
            f"{close.shape}."
        )
    if not (np.isfinite(close).all() and (close > 0).all()):
        day = np.flatnonzero(~(np.isfinite(close) & (close > 0)))[0]
        raise ValueError(f"Prices must be positive and finite; day {day} has {close[day]}.")
    days = np.arange(LAGS[-1], close.size - AHEAD)
    data = np.empty((days.size, len(FEATURES)))
    data[:, 0] = (close - moving_average(close, 15))[days]
    for column, lag in enumerate(LAGS, start=1):
        data[:, column] = 100 * (close[days] - close[days - lag]) / close[days - lag]
    smooth = moving_average(close, 3)
    ahead = 100 * (smooth[days + AHEAD] - smooth[days]) / smooth[days]
    if clip is not None:
        data = clip_changes(data, days.size if n_reference is None else n_reference, clip)
    return Bunch(
        data=data,
        target=np.where(ahead > 0, 1, -1),
        rdp_plus_5=ahead,
        days=days,
        feature_names=list(FEATURES),
    )


def moving_average(price: NDArray[np.float64], span: int) -> NDArray[np.float64]:
    """Return the exponential moving average, which starts at the first price."""
    share = 2 / (span + 1)
    averaged: NDArray[np.float64]
    averaged, _ = lfilter([share], [1, share - 1], price, zi=[(1 - share) * price[0]])
    return averaged


def clip_changes(data: NDArray[np.float64], n_reference: int, clip: float) -> NDArray[np.float64]:
    """Move outliers of the relative changes to the limits that the oldest rows set."""
    if not (1 <= n_reference <= len(data) and clip > 0):
        raise ValueError(
            f"n_reference must be from 1 to {len(data)} and clip positive; got {n_reference} and "
            f"{clip}."
        )
    reference = data[:n_reference]
    middle, reach = reference.mean(axis=0), clip * reference.std(axis=0)
    clipped: NDArray[np.float64] = np.clip(data, middle - reach, middle + reach)
    clipped[:, 0] = data[:, 0]  # EMA15 is no RDP
    return clipped


def read_prices(
    data_home: str | PathLike[str] | None,
) -> tuple[NDArray[np.datetime64], NDArray[np.float64]]:
    """Return dates and closing prices from a file or from the package ``arch``."""
    paths = find_files(FOLDER, FILES, data_home)
    if paths:
        dates, close = read_price_file(paths[0])
        origin = str(paths[0])
    else:
        try:
            from arch.data import nasdaq
        except ImportError as error:
            raise not_found("NASDAQ", FOLDER, FILES, data_home, ADVICE) from error
        frame = nasdaq.load()
        dates = frame.index.to_numpy().astype("datetime64[D]")
        close, origin = frame["Close"].to_numpy(dtype=float), "arch.data.nasdaq"
    if not (np.diff(dates) > np.timedelta64(0, "D")).all():
        raise ValueError(f"{origin}: the dates must increase.")
    return dates, close


def read_price_file(
    path: str | PathLike[str],
) -> tuple[NDArray[np.datetime64], NDArray[np.float64]]:
    """Return dates and closing prices from a table with the columns Date and Close."""
    rows = read_rows(path)
    _, header = next(rows, (0, []))
    if not {"Date", "Close"} <= set(header):
        raise ValueError(f"{path}: the first line must name the columns Date and Close.")
    day_column, price_column = header.index("Date"), header.index("Close")
    dates, close = [], []
    for line, fields in rows:
        if len(fields) != len(header):
            raise ValueError(
                f"{path}, line {line}: {len(fields)} fields where {len(header)} are expected."
            )
        try:
            dates.append(read_date(fields[day_column]))
        except ValueError as error:
            raise ValueError(f"{path}, line {line}: {error}") from error
        close.append(number(fields[price_column], path, line))
    return np.array(dates, dtype="datetime64[D]"), np.array(close)


def read_date(field: str) -> date:
    """Return a date written as 2009-12-31 or, as in the file of ``arch``, as 12/31/2009."""
    return datetime.strptime(field, "%m/%d/%Y" if "/" in field else "%Y-%m-%d").date()
