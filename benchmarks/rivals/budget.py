"""Compiled loops in slices, so that the processor's time can be watched between them."""

from __future__ import annotations

from time import process_time

# A slice of a loop shall take about this long: a cap is overrun by little more.
SLICE_SECONDS = 0.02
FIRST_SLICE = 64


def run_in_slices(advance, max_seconds: float | None) -> tuple[int, bool]:
    """Call ``advance(n)``, which does up to n steps, until it does fewer or the time is over.

    Parameters
    ----------
    advance : callable
        Takes the number of steps it may do and returns how many it did; fewer means: done.
    max_seconds : float or None
        Seconds of the processor; ``None`` is no limit.

    Returns
    -------
    steps : int
        All steps done.
    capped : bool
        Whether the time was over first.
    """
    begin = process_time()
    steps, size = 0, FIRST_SLICE
    while True:
        before = process_time()
        done = advance(size)
        now = process_time()
        steps += done
        if done < size:
            return steps, False
        if max_seconds is not None and now - begin >= max_seconds:
            return steps, True
        pace = max(now - before, 1e-6) / size
        size = int(min(max(SLICE_SECONDS / pace, 1), 8 * size))
