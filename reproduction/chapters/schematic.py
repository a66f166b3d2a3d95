"""The chapter on the paper's schematic figures."""

from __future__ import annotations

import numpy as np

from reproduction.chapters.chapter import Chapter, Measured, Picture
from reproduction.chapters.drawing import BLUE, GREEN, ORANGE
from reproduction.chapters.words import amount
from weightpath.plotting.theme import tidy

__all__ = ["build"]

OURS = [
    "The paper draws sketches; these are solutions of small problems, made up and exact.",
    "NDCG with gains 2^y - 1 and discounts log2(j + 1), so that every position counts; with the "
    "discounts that the paper uses elsewhere the first two positions are worth the same. Of "
    "random groups of three documents one is drawn whose order is reversed by three crossings that "
    "are well apart.",
]

# Two places are one if they differ by no more.
SAME = 1e-9


def build(measured: Measured) -> Chapter:
    chapter = Chapter("Schematic figures", OURS, [])
    for one in measured.part("ndcg"):
        chapter.pictures.append(_ndcg_picture(one.result))
        chapter.readings.append(_ndcg_reading(one.result))
    return chapter


def _ndcg_reading(found: dict) -> str:
    changes, crossings = found["edges"][1:-1], np.array(found["crossings"])
    at = sum(bool(np.abs(crossings - change).min() < SAME) for change in changes)
    return (
        f"The scores of the three documents cross at {len(crossings)} places on a path of "
        f"{len(found['theta']) - 1} segments; of {len(changes)} changes of their NDCG {at} are at "
        f"such places. Largest violation of an optimality condition over the whole path: "
        f"{amount(found['violation'])}."
    )


def _ndcg_picture(found: dict) -> Picture:
    def draw(figure) -> None:
        from matplotlib import rcParams

        theta, scores = np.array(found["theta"]), np.array(found["scores"])
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.7, 1))
        styles = ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-."))
        for column, (colour, dashes) in enumerate(styles):
            label = f"y = {found['relevance'][column]:g}"
            upper.plot(theta, scores[:, column], color=colour, ls=dashes, lw=1.8, label=label)
        for place in found["crossings"]:
            height = _meeting(theta, scores, place)
            upper.plot(place, height, "o", ms=6, mfc="none", color=rcParams["text.color"])
            for ax in (upper, lower):
                ax.axvline(place, color=rcParams["text.color"], lw=0.8, ls=":", zorder=0)
        lower.stairs(found["values"], found["edges"], baseline=None, color=BLUE, lw=1.8)
        upper.set_ylabel("output f(x)")
        upper.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
        lower.set_ylabel("NDCG")
        lower.set_ylim(min(found["values"]) - 0.06, 1.04)
        lower.set_xlabel("θ: equal (0) to relevance weights (1) of the pairs")
        lower.set_xlim(0, 1)
        for ax in (upper, lower):
            tidy(ax)
            ax.grid(visible=False)

    caption = (
        "Figure 15, of a computed path: above, the outputs for three documents of different "
        "relevance y; below, their NDCG. It changes only where two lines intersect."
    )
    return Picture("schematic-ndcg", caption, (8.0, 4.8), draw)


def _meeting(theta: np.ndarray, scores: np.ndarray, place: float) -> float:
    """Return the value of the two scores that are equal at a place."""
    values = np.sort([np.interp(place, theta, column) for column in scores.T])
    low = int(np.argmin(np.diff(values)))
    return float(values[low : low + 2].mean())
