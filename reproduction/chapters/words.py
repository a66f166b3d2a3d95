"""Numbers and sentences, made from what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reproduction.contest import Timing

__all__ = [
    "Ratio",
    "amount",
    "contest_reading",
    "count",
    "growth_reading",
    "parameters",
    "place",
    "ratio_of",
    "spread",
    "steady_reading",
    "times",
]

# A time that grows by no more than this over all C0 counts as one that does not increase.
STEADY = 1.25

# How texts name a cell's parameters.
SIGNS = {"gamma": "gamma", "C0": "C0", "n": "n", "fold": "fold"}


def amount(value: float | None) -> str:
    """Return a number with three digits that count."""
    if value is None or np.isnan(value):
        return "—"
    if value == 0:
        return "0"
    size = abs(value)
    if size < 1e-3:
        return f"{value:.1e}"
    return f"{value:,.0f}" if size >= 100 else f"{value:.3g}"


def times(timing: Timing) -> str:
    """Return the seconds of a contender in the mean, or more than which they would be."""
    return f"> {amount(timing.mean)}" if timing.capped else amount(timing.mean)


def spread(values: Sequence[float], digits: int) -> str:
    """Return mean and standard deviation."""
    deviation = np.std(values, ddof=1) if len(values) > 1 else 0.0
    return f"{np.mean(values):.{digits}f} ({deviation:.{digits}f})"


def parameters(cell: dict) -> dict[str, str]:
    """Return the first columns of a table: gamma and C0."""
    return {"gamma": f"{cell['gamma']:g}", "C0": f"{cell['C0']:g}"}


def place(cell: dict) -> str:
    """Return the parameters of a cell in words."""
    return ", ".join(f"{SIGNS[key]} = {cell[key]:g}" for key in SIGNS if key in cell)


@dataclass(frozen=True)
class Ratio:
    """How many times as long a rival took; if it was stopped, it would have been more."""

    value: float
    at_least: bool

    @property
    def is_faster(self) -> bool:
        """Whether ours certainly was faster."""
        return self.value > 1.0

    @property
    def is_open(self) -> bool:
        """Whether the rival was stopped before it had taken as long as ours."""
        return self.at_least and not self.is_faster

    def __str__(self) -> str:
        return ("> " if self.at_least else "") + amount(self.value)


def ratio_of(rival: Timing, ours: Timing) -> Ratio:
    """Compare two contenders over the repetitions that both ran."""
    own = ours.first(len(rival.seconds)) if len(rival.seconds) < len(ours.seconds) else ours
    return Ratio(rival.mean / own.mean, rival.capped)


def count(some: int, of: int, what: str) -> str:
    """Return "all 15 cells", "3 of 15 cells" or "0 of 1 cell"."""
    many = f"{of} {what}" + ("s" if of != 1 else "")
    return f"all {many}" if some == of > 1 else f"{some} of {many}"


def contest_reading(rival: str, cells: Iterable[tuple[dict, Ratio]], what: str = "cell") -> str:
    """Say in how many cells ours was faster than a rival, and by how much at least and at most."""
    cells = list(cells)
    faster = sum(ratio.is_faster for _, ratio in cells)
    unknown = sum(ratio.is_open for _, ratio in cells)
    (low_at, low), (high_at, high) = (
        choose(cells, key=lambda one: one[1].value) for choose in (min, max)
    )
    text = f"The path was faster than {rival} in {count(faster, len(cells), what)}"
    if len(cells) == 1:
        text += f": the rival took {_times(high)} as long"
    else:
        text += (
            f"; the rival took from {_times(low)} ({place(low_at)}) to {_times(high)} "
            f"({place(high_at)}) as long"
        )
    if unknown:
        text += f"; in {count(unknown, len(cells), what)} it was stopped before that was decided"
    return text + "."


def _times(ratio: Ratio) -> str:
    return ("more than " if ratio.at_least else "") + f"{amount(ratio.value)} times"


def growth_reading(costs: Iterable[tuple[dict, dict[str, Timing]]], names: dict[str, str]) -> str:
    """Say how times change from the smallest C0 to the largest, for each gamma.

    Parameters
    ----------
    costs : iterable of (dict, dict)
        Cells, and the timings of all contenders there.
    names : dict
        Contenders, and how the sentence calls them.

    Returns
    -------
    str
        Empty if there are no two C0 of one gamma.
    """
    lines: dict[tuple[str, float], list[tuple[float, Timing]]] = {}
    for cell, timings in costs:
        for name in names:
            if name in timings:
                lines.setdefault((name, cell["gamma"]), []).append((cell["C0"], timings[name]))
    found = {key: _change(sorted(line, key=lambda point: point[0])) for key, line in lines.items()}
    known = {key: change for key, change in found.items() if change}
    if not known:
        return ""
    ranges = {span for span, _ in known.values()}
    told = []
    for name, called in names.items():
        some = [
            f"{factor} (gamma = {gamma:g}{'' if len(ranges) == 1 else ', ' + span})"
            for (own, gamma), (span, factor) in sorted(known.items(), reverse=True)
            if own == name
        ]
        if some:
            told.append(f"that of {called} {', '.join(some)}")
    start = f"With {ranges.pop()}" if len(ranges) == 1 else "With C0"
    return f"{start} the time changed: {'; '.join(told)}."


def steady_reading(costs: Iterable[tuple[dict, dict[str, Timing]]]) -> str:
    """Say for which gamma the time of the path does not increase with C0, as the paper claims.

    Parameters
    ----------
    costs : iterable of (dict, dict)
        Cells, and the timings of all contenders there.

    Returns
    -------
    str
        Empty if there are no two C0 of one gamma.
    """
    lines: dict[float, dict[float, float]] = {}
    for cell, timings in costs:
        lines.setdefault(cell["gamma"], {})[cell["C0"]] = timings["path"].mean
    grows: dict[bool, list[str]] = {True: [], False: []}
    for gamma, line in sorted(lines.items(), reverse=True):
        if len(line) > 1:
            grows[line[max(line)] > STEADY * line[min(line)]].append(f"{gamma:g}")
    told = []
    if grows[True]:
        more = f"{100 * (STEADY - 1):.0f} %"
        told.append(f"fails at gamma = {_listed(grows[True])}, where it grew by more than {more}")
    if grows[False]:
        told.append(f"holds at gamma = {_listed(grows[False])}")
    claim = "The paper's claim that the time of the path does not increase with C0"
    return f"{claim} {', and '.join(told)}." if told else ""


def _listed(names: list[str]) -> str:
    """Return "10", "10 and 1" or "10, 1 and 0.1"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _change(line: list[tuple[float, Timing]]) -> tuple[str, str] | None:
    """Return between which C0 a time changed, and how; None if that is not known."""
    (low, first), (high, last) = line[0], line[-1]
    if low == high or (first.capped and last.capped):
        return None
    more = "more than " if last.capped else "less than " if first.capped else ""
    return f"C0 from {low:g} to {high:g}", f"{more}{amount(last.mean / first.mean)}-fold"
