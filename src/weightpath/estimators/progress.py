"""How far a long path is, on the screen: what it says of itself, shown as all progress is."""

from __future__ import annotations

from typing import Self

from weightpath.progress import Progress

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
        self._words = (steps, size)
        self._bar = Progress(1, what, verbose) if verbose else None
        self._shown, self._entered = -PAUSE, False

    def __enter__(self) -> Self:
        return self

    def __call__(self, fraction: float, n_steps: int, size: float) -> None:
        """Tell where the work is."""
        if self._bar is None:
            return
        if not self._entered:
            # Where it was handed over as a plain function, nothing else enters it.
            self._bar.__enter__()
            self._entered = True
        if self._bar.elapsed - self._shown < PAUSE and fraction < 1.0:
            return
        self._shown = self._bar.elapsed
        steps, name = self._words
        self._bar.at(min(fraction, 1.0), f"{n_steps:,} {steps}, {name} {size:,.3g}")

    def close(self) -> None:
        """End the display, if there is one."""
        if self._bar is not None and self._entered:
            self._bar.__exit__()
        self._bar = None

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        # Where it was handed over as a plain function, nothing else does.
        self.close()
