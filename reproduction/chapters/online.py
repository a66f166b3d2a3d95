"""The chapter on online learning, the paper's section 4.2."""

from __future__ import annotations

import numpy as np

from reproduction.cells import Finished
from reproduction.chapters.chapter import Chapter, Measured, Picture, Table
from reproduction.chapters.drawing import BLUE, ORANGE, cost_picture
from reproduction.chapters.words import (
    amount,
    contest_reading,
    count,
    growth_reading,
    parameters,
    ratio_of,
    times,
)
from reproduction.contest import REPEAT_SECONDS, Timing
from weightpath.plotting.theme import line_styles, tidy
from weightpath.weights import forgetting

__all__ = ["build"]

OURS = [
    "The years that the paper names have fewer trading days than its n = 2515: the window ends, "
    "with the days that arrive, at 2009-12-31 and reaches back before 2001.",
    "Ours computes the kernel columns that it needs in every change, and SMO is charged those of "
    "its support vectors by the same code. Besides, both are measured with values *kept*: both "
    "have the whole matrix for nothing. To take in arrivals SMO has to copy the given matrix "
    "once, in the first slide; that copy is made beforehand and not charged to it.",
    "scikit-learn, fitted from scratch at every change, is a second rival. Both rivals solve to "
    "1e-3. One that has not finished after {cap:g} s in a cell is stopped; it is repeated as long "
    "as all its runs take less than {repeat:g} s.",
    "The paper has no errors. Ours are those of the two years that follow, predicted five days at "
    "a time and learnt when their targets are known, with and without forgetting.",
]
COST_NOTE = """\
Seconds of the processor, one thread, for all {slides} changes of a window of {n} days together,
five days at a time. *path*: mean of {repetitions} run(s); *runs*: of the rival. "> s": stopped
after s seconds without an end. {extra}"""
ACCURACY_NOTE = """\
Largest difference of decision values on the window from those of `weightpath.SVC` fitted from
scratch at the same weights: of the path over all changes, of the rivals at the last one."""
ERROR_NOTE = """\
Share of days misclassified among the {tested} after the first {n}, up to {end}; *always up* says so
every day. Events and milliseconds (by the clock) are means for one change."""


def build(measured: Measured) -> Chapter:
    settings, costs = measured.settings, measured.part("cost")
    ours = [line.format(cap=settings["cap"], repeat=REPEAT_SECONDS) for line in OURS]
    chapter = Chapter("Online learning: the NASDAQ composite index", ours, [])
    if costs:
        _add_costs(chapter, costs, settings)
    errors = measured.part("error")
    if errors:
        note = ERROR_NOTE.format(**settings)
        rows = [_error_row(one) for one in errors]
        chapter.tables.append(
            Table("online-errors", "Errors with and without forgetting", rows, note)
        )
        chapter.readings.append(_error_reading(errors))
    chapter.pictures.insert(0, _weights_picture(settings["n"]))
    return chapter


def _timings(result: dict) -> dict[str, Timing]:
    smo = Timing.of(result["SMO"])
    return {
        "path": Timing.of(result["path"]),
        "warm SMO": smo.with_columns(),
        "scikit-learn": Timing.of(result["scikit-learn"]),
        "path, values kept": Timing.of(result["kept"]),
        "warm SMO, values kept": smo,
    }


def _add_costs(chapter: Chapter, cells: list[Finished], settings: dict) -> None:
    costs = [(one.cell, _timings(one.result)) for one in cells]
    fill = {"slides": settings["arriving"] // 5, **settings}
    chapter.tables.extend(
        [
            Table(
                "online-cost",
                "Figure 10 in numbers: kernel values forgotten before every change",
                [_cost_row(one) for one in cells],
                COST_NOTE.format(**fill, extra=""),
            ),
            Table(
                "online-kept",
                "The same with kernel values kept",
                [_kept_row(one) for one in cells],
                COST_NOTE.format(**fill, extra="SMO has the whole kernel matrix for nothing."),
            ),
            Table(
                "online-accuracy",
                "How far the answers are from exact ones",
                [_accuracy_row(one) for one in cells],
                ACCURACY_NOTE,
            ),
        ]
    )
    caption = (
        f"Figure 10: seconds for {fill['slides']} changes of the window; dotted, with kernel "
        "values kept. Arrows: stopped."
    )
    chapter.pictures.append(cost_picture("online-cost", caption, costs, "seconds"))
    for rival, ours in (
        ("warm SMO", "path"),
        ("scikit-learn", "path"),
        ("warm SMO, values kept", "path, values kept"),
    ):
        ratios = [(cell, ratio_of(timings[rival], timings[ours])) for cell, timings in costs]
        chapter.readings.append(contest_reading(rival, ratios))
    chapter.readings.append(growth_reading(costs, {"path": "the path", "warm SMO": "warm SMO"}))


def _cost_row(one: Finished) -> dict[str, str]:
    timings = _timings(one.result)
    path, smo, refits = timings["path"], timings["warm SMO"], timings["scikit-learn"]
    return {
        **parameters(one.cell),
        "events": amount(one.result["events"]),
        "mean margin": amount(one.result["mean margin"]),
        "path s": times(path),
        "SMO s": times(smo),
        "SMO / path": str(ratio_of(smo, path)),
        "SMO runs": str(len(smo.seconds)),
        "scikit-learn s": times(refits),
        "scikit-learn / path": str(ratio_of(refits, path)),
        "scikit-learn runs": str(len(refits.seconds)),
    }


def _kept_row(one: Finished) -> dict[str, str]:
    timings = _timings(one.result)
    path, smo = timings["path, values kept"], timings["warm SMO, values kept"]
    return {
        **parameters(one.cell),
        "path s": times(path),
        "SMO s": times(smo),
        "SMO / path": str(ratio_of(smo, path)),
    }


def _accuracy_row(one: Finished) -> dict[str, str]:
    return {
        **parameters(one.cell),
        **{name: amount(value) for name, value in one.result["off"].items()},
    }


def _error_row(one: Finished) -> dict[str, str]:
    row = parameters(one.cell)
    for name in ("forgetting", "equal weights"):
        found = one.result[name]
        row[f"error, {name}"] = f"{found['error']:.4f}"
        row[f"events, {name}"] = amount(found["events"])
        row[f"ms, {name}"] = amount(found["ms"])
    row["error, always up"] = f"{one.result['always up']:.4f}"
    return row


def _error_reading(cells: list[Finished]) -> str:
    pairs = [(r["forgetting"]["error"], r["equal weights"]["error"]) for r in _results(cells)]
    better = sum(ours < equal for ours, equal in pairs)
    worse = sum(ours > equal for ours, equal in pairs)
    beaten = sum(r["forgetting"]["error"] < r["always up"] for r in _results(cells))
    n = len(cells)
    return (
        f"Forgetting lowered the error in {count(better, n, 'cell')} and raised it in {worse}; "
        f"with it the error was below that of always saying up in {count(beaten, n, 'cell')}."
    )


def _results(cells: list[Finished]) -> list[dict]:
    return [one.result for one in cells]


def _weights_picture(n: int) -> Picture:
    """The weight functions, and how all weights change when rows arrive."""

    def draw(figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        values = (0.0, 1.0, 3.0, 10.0)
        for a, (colour, _) in zip(values, line_styles(len(values)), strict=True):
            left.plot(np.arange(1, n + 1), forgetting(n, a), color=colour, label=f"a = {a:g}")
        left.set_xlabel("row i, the newest is n")
        left.set_ylabel("$C_i / C_0$")
        left.legend(frameon=False, fontsize=9)
        # Few rows, so that a change by one is seen.
        few, weight = 12, forgetting(12, 3.0)
        right.bar(np.arange(1, few + 1) - 0.18, weight, 0.36, color=BLUE, label="before")
        right.bar(np.arange(2, few + 2) + 0.18, weight, 0.36, color=ORANGE, label="after")
        right.set_xlabel(f"row i; row {few + 1} arrives, row 1 departs")
        right.set_xticks(range(1, few + 2))
        right.legend(frameon=False, fontsize=9)
        for ax in (left, right):
            tidy(ax)

    caption = (
        "Figures 8 and 9: the forgetting weights, and how they change with an arrival: the oldest "
        "row goes to zero, the newest gets the largest weight, all others fall."
    )
    return Picture("online-weights", caption, (9.5, 3.4), draw)
