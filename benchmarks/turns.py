"""Contenders in turns: a busy moment of the machine hits all of them, and medians forget it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import process_time
from typing import Any

__all__ = ["medians_ms", "timed"]


def timed(call: Callable[[], Any], clock: Callable[[], float] = process_time) -> tuple[float, Any]:
    """Return the seconds of a call, and what it returned."""
    begin = clock()
    found = call()
    return clock() - begin, found


def medians_ms(
    contenders: Mapping[str, Callable[[], float]],
    repetitions: int,
    often: Mapping[str, int] | None = None,
) -> dict[str, float]:
    """Return the median time of each contender in milliseconds.

    A contender prepares itself, runs once and returns its seconds. ``often`` says how many times
    it runs in each turn, if not once: for what takes microseconds beside what takes a second.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repetitions):
        for name, run in contenders.items():
            seconds[name] += [run() for _ in range((often or {}).get(name, 1))]
    return {name: 1e3 * median(runs) for name, runs in seconds.items()}
