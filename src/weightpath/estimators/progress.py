"""One line on the screen while a long path is followed."""

from __future__ import annotations

import sys
import time
from typing import Self

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
    steps, size : str
        What the two numbers besides the fraction are.

    Examples
    --------
    >>> from weightpath.estimators.progress import PathProgress
    >>> with PathProgress("fit", verbose=0) as progress:
    ...     progress(0.5, 100, 3)
    """

    def __init__(
        self, what: str, verbose: int, steps: str = "events", size: str = "margin"
    ) -> None:
        self._what, self._verbose, self._words = what, verbose, (steps, size)
        self._shown, self._begin = -PAUSE, time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __call__(self, fraction: float, n_steps: int, size: float) -> None:
        """Tell where the work is."""
        now = time.perf_counter() - self._begin
        if not self._verbose or now - self._shown < PAUSE:
            return
        self._shown = now
        text = (
            f"{self._what}: {fraction:6.1%}, {n_steps:,} {self._words[0]}, "
            f"{self._words[1]} {size:,.3g}, {now:.0f} s"
        )
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text:<72}", end=end, file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the line, if there is one."""
        if self._verbose and self._shown >= 0 and sys.stderr.isatty():
            print(file=sys.stderr)
        self._verbose = 0

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Where it was handed over as a plain function, nothing else does.
        self.close()
