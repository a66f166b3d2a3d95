"""The chapter on the paper's Table 1."""

from __future__ import annotations

from statistics import median

import numpy as np

from reproduction.chapters.chapter import Chapter, Measured, Picture, Table
from reproduction.chapters.drawing import BLUE, GREEN, ORANGE
from reproduction.chapters.words import (
    Ratio,
    amount,
    contest_reading,
    ratio_of,
    spread,
)
from reproduction.contest import Timing
from reproduction.paper import TABLE1
from weightpath.plotting.theme import tidy

__all__ = ["build"]

OURS = [
    "Processors have become faster since: compare the ratios, the events and the margins with the "
    "paper's, not the seconds.",
    "SMO, compiled as the path is, has the whole kernel matrix given; the path has the kernel "
    "columns that fitting left behind (*path*) or computes all it needs (*cold cache*). The first "
    "solution is given to both, as in the paper.",
    "No ridge is added to the kernel matrix; the paper added 1e-6.",
    "scikit-learn, which cannot go on from a solution, is fitted at {refits} breakpoints evenly "
    "among all, and its time is scaled up to all of them.",
]
COMPARED = """\
Mean and, in brackets, standard deviation over the data sets, of which {sets} were run. Seconds of
the processor, one thread; of each path the median of {runs} runs."""
MORE = """\
Means over the data sets. *Violation*: largest violation of an optimality condition at {judged}
places along each path, computed from the data."""


def build(measured: Measured) -> Chapter:
    from reproduction import table1

    groups: dict[int, list[dict]] = {}
    for one in measured.finished:
        groups.setdefault(one.cell["n"], []).append(one.result)
    sizes = sorted(groups)
    sets = ", ".join(f"{len(groups[n])} of n = {n}" for n in sizes)
    return Chapter(
        "Table 1: paths on artificial data",
        [line.format(refits=table1.N_REFITS) for line in OURS],
        _readings(groups),
        [
            Table(
                "table1",
                "Table 1, ours beside the paper's",
                [_compared(n, groups[n]) for n in sizes],
                COMPARED.format(sets=sets, **measured.settings),
            ),
            Table(
                "table1-more",
                "What the paper does not have",
                [_more(n, groups[n]) for n in sizes],
                MORE.format(judged=table1.N_JUDGED),
            ),
        ],
        [_picture(groups)],
    )


def _path(result: dict) -> float:
    return median(result["path"]["seconds"])


def _smo(result: dict) -> Timing:
    return Timing.of(result["SMO"])


def _ratio(results: list[dict]) -> Ratio:
    timings = [_smo(result) for result in results]
    total = sum(timing.mean for timing in timings)
    capped = any(timing.capped for timing in timings)
    return Ratio(total / sum(map(_path, results)), capped)


def _compared(n: int, results: list[dict]) -> dict[str, str]:
    paper = TABLE1.get(n)
    seconds = [_path(result) for result in results]
    stopped = "> " if any(_smo(result).capped for result in results) else ""
    theirs = {name: str(paper[name]) if paper else "—" for name in TABLE1[400]}
    ratio = f"{paper['SMO'].mean / paper['path'].mean:.0f}" if paper else "—"
    return {
        "n": str(n),
        "path s, paper": theirs["path"],
        "path s, ours": spread(seconds, 4),
        "SMO s, paper": theirs["SMO"],
        "SMO s, ours": stopped + spread([_smo(result).mean for result in results], 2),
        "SMO / path, paper": ratio,
        "SMO / path, ours": str(_ratio(results)),
        "events, paper": theirs["events"],
        "events, ours": spread([result["events"] for result in results], 1),
        "mean margin, paper": theirs["margin"],
        "mean margin, ours": spread([result["mean margin"] for result in results], 2),
    }


def _refits(result: dict) -> float:
    return result["scikit-learn fit"] * result["breakpoints"]


def _more(n: int, results: list[dict]) -> dict[str, str]:
    cold = [median(result["cold"]["seconds"]) for result in results]
    path = float(np.mean([_path(result) for result in results]))
    refits = float(np.mean([_refits(result) for result in results]))
    return {
        "n": str(n),
        "path s": amount(path),
        "path s, cold cache": amount(float(np.mean(cold))),
        "one fit of scikit-learn s": amount(_mean(results, "scikit-learn fit")),
        "scikit-learn at every breakpoint s": amount(refits),
        "scikit-learn / path": amount(refits / path),
        "violation": amount(max(result["violation"] for result in results)),
    }


def _readings(groups: dict[int, list[dict]]) -> list[str]:
    cells = [({"n": n}, _ratio(groups[n])) for n in sorted(groups)]
    lines = [contest_reading("SMO at every breakpoint", cells, "size")]
    refits = [
        (
            {"n": n},
            ratio_of(
                Timing([_refits(result) for result in groups[n]]),
                Timing([_path(result) for result in groups[n]]),
            ),
        )
        for n in sorted(groups)
    ]
    lines.append(contest_reading("scikit-learn at every breakpoint", refits, "size"))
    both = [n for n in sorted(groups) if n in TABLE1]
    if both:
        off = {n: _mean(groups[n], "events") / TABLE1[n]["events"].mean - 1 for n in both}
        margins = [abs(_mean(groups[n], "mean margin") - TABLE1[n]["margin"].mean) for n in both]
        lines.append(
            "The mean number of events differs from the paper's by "
            + ", ".join(f"{100 * off[n]:+.0f} % (n = {n})" for n in both)
            + f"; the mean margin by at most {max(margins):.2f} instances."
        )
    several = [n for n in both if len(groups[n]) > 2]
    if several:
        factors = [_deviation(groups[n]) / TABLE1[n]["events"].deviation for n in several]
        lines.append(
            "The standard deviation of the events is "
            + ", ".join(f"{factor:.1f}" for factor in factors)
            + f" times the paper's (n = {', '.join(map(str, several))}). A standard error of the "
            "mean over ten data sets would be 3.2 times smaller than the deviation."
        )
    if len(groups) > 2:
        n = np.array(sorted(groups))
        events = [_mean(groups[size], "events") for size in n]
        slope = np.polyfit(np.log(n), np.log(events), 1)[0]
        lines.append(f"Events grow like n to the power of {slope:.2f}.")
    return lines


def _deviation(results: list[dict]) -> float:
    return float(np.std([result["events"] for result in results], ddof=1))


def _mean(results: list[dict], name: str) -> float:
    return float(np.mean([result[name] for result in results]))


def _picture(groups: dict[int, list[dict]]) -> Picture:
    sizes = sorted(groups)

    def draw(figure) -> None:
        left, right = figure.subplots(1, 2)
        ours = {
            "path": (BLUE, [np.mean([_path(r) for r in groups[n]]) for n in sizes]),
            "warm SMO": (ORANGE, [np.mean([_smo(r).mean for r in groups[n]]) for n in sizes]),
            "scikit-learn": (GREEN, [np.mean([_refits(r) for r in groups[n]]) for n in sizes]),
        }
        for name, (colour, seconds) in ours.items():
            left.plot(sizes, seconds, "o-", color=colour, ms=4.5, label=name)
        for name, colour in (("path", BLUE), ("SMO", ORANGE)):
            theirs = [TABLE1[n][name].mean for n in TABLE1]
            left.plot(
                list(TABLE1), theirs, "x:", color=colour, ms=5, lw=1.1, label=f"{name}, paper"
            )
        left.set_yscale("log")
        left.set_ylabel("seconds, the whole path or every breakpoint")
        right.errorbar(
            sizes,
            [_mean(groups[n], "events") for n in sizes],
            yerr=[np.std([r["events"] for r in groups[n]]) for n in sizes],
            color=BLUE,
            marker="o",
            ms=4.5,
            capsize=2,
            label="ours",
        )
        theirs = [TABLE1[n]["events"].mean for n in TABLE1]
        right.plot(list(TABLE1), theirs, "x:", color=ORANGE, ms=6, lw=1.1, label="paper")
        right.set_ylabel("events")
        right.set_ylim(bottom=0)
        for ax in (left, right):
            ax.set_xlabel("n")
            ax.legend(frameon=False, fontsize=8)
            tidy(ax)

    caption = "Time and number of events against the number of rows, ours and the paper's."
    return Picture("table1", caption, (9.5, 4.0), draw)
