"""Progress of a command on the screen: one line that names its phases in turn."""

from __future__ import annotations

import sys

from weightpath.progress import Progress

__all__ = ["LiveProgress"]


class LiveProgress:
    """One line on standard error: what is done now, and how far it is.

    Nothing is shown if standard error is not a terminal, or if ``quiet`` is set.

    Parameters
    ----------
    quiet : bool, default=False
        Whether to show nothing at all.
    """

    def __init__(self, quiet: bool = False):
        shown = not quiet and sys.stderr.isatty()
        self._bar = Progress(None, "Reading", verbose=int(shown), transient=True)

    def __enter__(self) -> LiveProgress:
        self._bar.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.__exit__()

    def begin(self, what: str, total: float | None = None) -> None:
        """Say what is done from now on; ``total`` is None if the number of tasks is unknown."""
        self._bar.begin(what, total)

    def path(self, theta: float, n_events: int, margin_size: int) -> None:
        """Show where a path is."""
        detail = f"theta {theta:.4f}, {n_events:,} events, {margin_size:,} on the margin"
        self._bar.at(theta, detail)

    def tasks(self, done: int, total: int) -> None:
        """Show how many tasks are done."""
        self._bar.total = total
        self._bar.at(done, f"{done} of {total}")
