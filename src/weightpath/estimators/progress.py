"""One line on the screen while a long path is followed."""

from __future__ import annotations

import sys
import time

__all__ = ["PathProgress"]

# Seconds between two updates.
PAUSE = 0.3


class PathProgress:
    """Show how far a path is; silent unless ``verbose``.

    Parameters
    ----------
    what : str
        What is going on.
    verbose : int
        Nothing is shown if zero.

    Examples
    --------
    >>> from weightpath.estimators.progress import PathProgress
    >>> with PathProgress("fit", verbose=0) as progress:
    ...     progress(0.5, 100, 3)
    """

    def __init__(self, what: str, verbose: int):
        self._what, self._verbose = what, verbose
        self._shown, self._begin = -PAUSE, time.perf_counter()

    def __enter__(self):
        return self

    def __call__(self, part: float, n_events: int, margin_size: int) -> None:
        """Tell where the path is."""
        now = time.perf_counter() - self._begin
        if not self._verbose or now - self._shown < PAUSE:
            return
        self._shown = now
        text = (
            f"{self._what}: {part:6.1%}, {n_events:,} events, margin {margin_size:,}, {now:.0f} s"
        )
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text:<72}", end=end, file=sys.stderr, flush=True)

    def __exit__(self, *exception):
        if self._verbose and self._shown >= 0 and sys.stderr.isatty():
            print(file=sys.stderr)
