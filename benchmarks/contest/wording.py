"""Numbers and statuses in words, the same on the screen and in the files."""

from __future__ import annotations

from benchmarks.contest.entry import FINISHED, MORE_THAN, Entry
from benchmarks.contest.growth import Growth

NOTHING = "-"


def duration(seconds: float | None, lower_bound: bool = False) -> str:
    """Seconds, with a sensible unit.

    Examples
    --------
    >>> from benchmarks.contest.wording import duration
    >>> duration(0.01234), duration(7250.0), duration(75.0, lower_bound=True)
    ('12.3 ms', '121 min', 'more than 75 s')
    """
    if seconds is None:
        return NOTHING
    if seconds >= 1000:
        text = f"{seconds / 60:,.0f} min"
    elif seconds >= 1:
        text = f"{seconds:.3g} s"
    else:
        text = f"{1e3 * seconds:.3g} ms"
    return f"more than {text}" if lower_bound else text


def start_of(entry: Entry) -> str:
    """Time to the first solution."""
    stopped = entry.is_lower_bound and entry.path_s is None
    return duration(entry.start_s, stopped)


def path_of(entry: Entry) -> str:
    """Time of the whole path, or why there is none."""
    if entry.status in (FINISHED, MORE_THAN):
        return duration(entry.path_s, entry.is_lower_bound)
    return entry.status


def ratio_of(entry: Entry) -> str:
    """How many times weightpath's time."""
    if entry.ratio is None:
        return NOTHING
    text = f"{entry.ratio:,.0f}" if entry.ratio >= 100 else f"{entry.ratio:.2g}"
    return f"more than {text}" if entry.is_lower_bound else text


def error(value: float | None) -> str:
    """A violation or an excess; what rounding may do to a zero is a zero."""
    if value is None:
        return NOTHING
    return f"{value:.0e}" if value >= 1e-16 else "0"


def exponent(law: Growth | None) -> str:
    """The growth with n."""
    return NOTHING if law is None else f"n^{law.exponent:.1f}"
