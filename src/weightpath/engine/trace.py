"""Options of a path, and its result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from weightpath.frozen import quick_init
from weightpath.record.record import Record
from weightpath.record.state import State
from weightpath.record.status import Status

__all__ = ["MENDED", "Counts", "Options", "Trace", "add_counts"]

# How often something happened, by its name.
Counts = defaultdict[str, int]

# Counts that a path has only where a leg was repaired, restarted beyond ties or followed again: the
# record may then not tell how free the bias is at its end.
MENDED = frozenset({"repairs", "ties", "followed again"})


def add_counts(total: Counts, more: Mapping[str, int]) -> None:
    """Add counts to others."""
    if not total:
        total.update(more)
        return
    for name, count in more.items():
        total[name] += count


@quick_init
@dataclass(frozen=True)
class Options:
    """How a path is followed.

    Parameters
    ----------
    ridge : float, default=0.0
        Added to the diagonal of the kernel matrix (the paper used 1e-6); not needed here.
    max_events : int, default=1_000_000
        Stop after this many events: paths can be exponentially long.
    tie_limit : int or None, default=None
        Zero-length steps at one theta before the path is restarted beyond the tie;
        ``None`` means ``50 + 5 n``.
    callback : callable or None, default=None
        Called now and then as ``callback(theta, n_events, margin_size)``, to show progress.
    sleep : bool or None, default=None
        Whether rows of a kernel matrix that cannot be met soon are left alone; ``None`` means where
        it pays. ``False``, to compare, looks at all of them at every event.
    """

    ridge: float = 0.0
    max_events: int = 1_000_000
    tie_limit: int | None = None
    callback: Callable[[float, int, int], object] | None = None
    sleep: bool | None = None


@quick_init
@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A path: its record, the state at its end, its status and some counts."""

    record: Record
    state: State
    status: Status
    counts: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Trace: {self.status}, {self.record!r}>"
