"""The figures that experiments share: times and counts against C0, a panel for each gamma."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reproduction.chapters.chapter import Picture
from reproduction.contest import Timing
from weightpath.plotting.theme import COLOURS, tidy

__all__ = ["BLUE", "GREEN", "ORANGE", "VIOLET", "cost_picture", "count_picture", "panels", "width"]

BLUE, ORANGE, GREEN, VIOLET = COLOURS[:4]

# Colour, line and marker by contender; dotted where kernel values are kept.
STYLES = {
    "path": (BLUE, "-", "o"),
    "path, values kept": (BLUE, ":", "o"),
    "warm SMO": (ORANGE, "-", "s"),
    "warm SMO, values kept": (ORANGE, ":", "s"),
    "warm SMO at all breakpoints": (ORANGE, "-", "s"),
    "warm SMO at 100 places": (ORANGE, ":", "s"),
    "SMO at 10 places": (ORANGE, "-", "s"),
    "scikit-learn": (GREEN, "-", "^"),
    "scikit-learn at 100 places": (GREEN, "-", "^"),
}

# For each cell: its parameters, and the timings of all contenders by name.
Costs = list[tuple[dict, dict[str, Timing]]]


def panels(figure, rows: list[dict]) -> dict[float, Any]:
    """Return a panel for each gamma, the largest first, with a shared vertical axis."""
    gammas = sorted({row["gamma"] for row in rows}, reverse=True)
    axes = figure.subplots(1, len(gammas), sharey=True, squeeze=False)[0]
    for ax, gamma in zip(axes, gammas, strict=True):
        weights = [row["C0"] for row in rows]
        ax.set_xscale("log")
        ax.set_xlim(0.5 * min(weights), 2.0 * max(weights))
        ax.minorticks_off()
        ax.set_xlabel("$C_0$")
        ax.set_title(rf"$\gamma$ = {gamma:g}")
        tidy(ax)
    return dict(zip(gammas, axes, strict=True))


def width(cells: list[dict]) -> float:
    """Return how wide a picture with these panels should be, in inches."""
    return 1.2 + 3.3 * len({cell["gamma"] for cell in cells})


def cost_picture(name: str, caption: str, costs: Costs, what: str) -> Picture:
    """Seconds against C0; arrows where a contender was stopped, bars for standard deviations."""
    cells = [cell for cell, _ in costs]

    def draw(figure) -> None:
        axes = panels(figure, cells)
        for gamma, ax in axes.items():
            own = sorted(
                ((cell["C0"], timings) for cell, timings in costs if cell["gamma"] == gamma),
                key=lambda pair: pair[0],
            )
            for contender in dict.fromkeys(name for _, timings in own for name in timings):
                _draw_line(ax, contender, [(C0, t[contender]) for C0, t in own if contender in t])
            ax.set_yscale("log")
            ax.minorticks_off()
        first = next(iter(axes.values()))
        low, high = np.log10(first.get_ylim())
        # Whole decades: two labels at least, however narrow the range.
        first.set_ylim(10.0 ** np.floor(low), 10.0 ** np.ceil(high))
        first.set_ylabel(what)
        handles, labels = first.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9
        )

    return Picture(name, caption, (width(cells), 4.0), draw)


def _draw_line(ax, contender: str, points: list[tuple[float, Timing]]) -> None:
    colour, dashes, marker = STYLES[contender]
    x, y = [C0 for C0, _ in points], np.array([timing.mean for _, timing in points])
    spread = np.array([np.std(timing.seconds) for _, timing in points])
    # A bar that went below zero could not be drawn on a logarithmic axis.
    ax.errorbar(
        x,
        y,
        yerr=[np.minimum(spread, 0.9 * y), spread],
        color=colour,
        ls=dashes,
        marker=marker,
        ms=4.5,
        lw=1.4,
        capsize=2,
        elinewidth=0.8,
        label=contender,
    )
    stopped = [(C0, timing.mean) for C0, timing in points if timing.capped]
    if stopped:
        x, y = np.array(stopped).T
        ax.plot(x, 1.5 * y, ls="", marker=r"$\uparrow$", ms=9, color=colour)


def count_picture(
    name: str, caption: str, cells: list[dict], values: Callable[[int], list[float]], what: str
) -> Picture:
    """A count against C0: mean and standard deviation; ``values`` gives those of a cell."""

    def draw(figure) -> None:
        axes = panels(figure, cells)
        for gamma, ax in axes.items():
            own = [k for k, cell in enumerate(cells) if cell["gamma"] == gamma]
            own.sort(key=lambda k: cells[k]["C0"])
            found = [values(k) for k in own]
            ax.errorbar(
                [cells[k]["C0"] for k in own],
                [np.mean(some) for some in found],
                yerr=[np.std(some) for some in found],
                color=BLUE,
                marker="o",
                ms=4.5,
                lw=1.4,
                capsize=2,
            )
        first = next(iter(axes.values()))
        first.set_ylim(bottom=0)
        first.set_ylabel(what)

    return Picture(name, caption, (width(cells), 3.4), draw)
