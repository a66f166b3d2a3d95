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
    for one in measured.part("region"):
        chapter.pictures.append(_region_picture(one.result))
        chapter.readings.append(_region_reading(one.result))
    for one in measured.part("ndcg"):
        chapter.pictures.append(_ndcg_picture(one.result))
        chapter.readings.append(_ndcg_reading(one.result))
    return chapter


# Figure 2 --------------------------------------------------------------------------------------


def _region_reading(found: dict) -> str:
    theta, step, last = found["theta"], found["step"], found["breakpoints"]
    off = abs(theta + step - last[found["current"] + 1])
    return (
        f"The path crosses {len(found['regions'])} critical regions. From θ = {theta:.4f} its own "
        f"region lets it go by Δθ = {step:.4f}, where row {found['row']} goes from "
        f"{found['before']} to {found['after']}: the next breakpoint of the path, to {off:.0e}. "
        f"Largest violation of an optimality condition over the whole path: "
        f"{amount(found['violation'])}."
    )


def clipped(A: list[list[float]], b: list[float], window: np.ndarray) -> np.ndarray:
    """Return the polygon where ``A z <= b``, within a window of shape (2, 2): low and high."""
    (left, low), (right, high) = window
    polygon = np.array([[left, low], [right, low], [right, high], [left, high]])
    for normal, bound in zip(np.array(A), b, strict=True):
        room = bound - polygon @ normal
        corners: list[np.ndarray] = []
        for k, (here, own) in enumerate(zip(polygon, room, strict=True)):
            there, other = polygon[k - 1], room[k - 1]
            if own * other < 0:
                corners.append(there + (here - there) * (other / (other - own)))
            if own >= 0:
                corners.append(here)
        polygon = np.array(corners).reshape(-1, 2)
    return polygon


def _region_picture(found: dict) -> Picture:
    def draw(figure) -> None:
        from matplotlib import rcParams
        from matplotlib.patches import Polygon

        ink, ax = rcParams["text.color"], figure.subplots()
        old, new = np.array(found["old"]), np.array(found["new"])
        span = np.abs(new - old)
        window = np.array([np.minimum(old, new) - 0.3 * span, np.maximum(old, new) + 0.3 * span])
        window[0] = np.maximum(window[0], 0.0)
        for number, region in enumerate(found["regions"]):
            polygon = clipped(region["A"], region["b"], window)
            if len(polygon) < 3:
                continue
            is_current = number == found["current"]
            face = Polygon(polygon, facecolor=ORANGE if is_current else BLUE, lw=0)
            face.set_alpha(0.22 if is_current else (0.07, 0.14)[number % 2])
            ax.add_patch(face)
            dashes = {"ls": "--", "lw": 1.8} if is_current else {"ls": "-", "lw": 0.6}
            colour = ORANGE if is_current else BLUE
            ax.add_patch(Polygon(polygon, fill=False, edgecolor=colour, zorder=2, **dashes))
        here = old + found["theta"] * (new - old)
        border = here + found["step"] * (new - old)
        ax.plot(*np.transpose([old, new]), color=ink, lw=0.9, ls=":", zorder=3)
        arrow = {"arrowstyle": "-|>", "color": ink, "shrinkA": 0, "shrinkB": 0, "lw": 1.6}
        ax.annotate("", border, here, arrowprops=arrow, zorder=5)
        for point, name, offset in (
            (old, r"$\mathbf{c}^{(\mathrm{old})}$", (-8, 10)),
            (here, r"$\mathbf{c}(\theta)$", (0, 9)),
            (border, r"$\mathbf{c}(\theta) + \Delta\theta\,\mathbf{d}$", (10, 6)),
            (new, r"$\mathbf{c}^{(\mathrm{new})}$", (-8, -22)),
        ):
            ax.plot(*point, "o", color=ink, ms=5, zorder=6)
            ax.annotate(name, point, offset, textcoords="offset points", fontsize=12, zorder=7)
        ax.set(xlim=window[:, 0], ylim=window[:, 1])
        ax.set_xlabel("$c_1$, the weight of the rows of cost 1")
        ax.set_ylabel("$c_2$, the weight of the rows of cost 2")
        tidy(ax)
        ax.grid(visible=False)

    caption = (
        "Figure 2, of a computed path: the critical regions that it crosses, in the plane of two "
        "weights. From c(θ), in the direction d of c(new), the path reaches the border of its "
        "region (dashed) after Δθ; to go on, one row must change its set."
    )
    return Picture("schematic-region", caption, (7.5, 5.6), draw)


# Figure 15 -------------------------------------------------------------------------------------


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
