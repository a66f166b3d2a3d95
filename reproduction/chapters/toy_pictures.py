"""The pictures of the artificial example: data, classifier, coefficients, errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils import Bunch

from benchmarks.curves import LARGEST
from reproduction.chapters.chapter import Picture
from reproduction.chapters.drawing import BLUE, GREEN, ORANGE
from weightpath.path import SolutionPath
from weightpath.plotting.theme import tidy

__all__ = ["Example", "pictures"]

C1 = "$C_1$, the weight of the rows of cost 1"
GRID = 120  # points of the decision function along each side of a panel


@dataclass(frozen=True, eq=False)
class Example:
    """One sample with its validation rows, its path and what was measured on it."""

    train: Bunch
    new: Bunch
    path: SolutionPath
    found: dict


def pictures(example: Example) -> list[Picture]:
    return [
        Picture(
            "toy-data",
            "Figure 4: the data. Left, rows of cost 1; middle, rows of cost 2; right, all.",
            (10.0, 3.7),
            lambda figure: _draw_data(figure, example),
        ),
        Picture(
            "toy-classifiers",
            "The classifier at three weights C1: boundary, margins (dashed), and rows as large as "
            "their weight.",
            (10.0, 3.7),
            lambda figure: _draw_classifiers(figure, example),
        ),
        Picture(
            "toy-coefficients",
            "Figure 5: coefficients along the path. Left, weight moves: of those that end at zero "
            "the ones that had come highest (solid) and to the median height, and the first that "
            "stays at its weight. Right, weight stays: the one that moves most (solid), and the "
            "two that rise most of those whose falls add up to no more than a tenth of their rise.",
            (9.5, 3.8),
            lambda figure: _draw_coefficients(figure, example),
        ),
        Picture(
            "toy-three",
            "Figure 6, with three rows of ours: above, y f(x) of three validation rows; below, "
            "the share of the three that is misclassified. It changes where a line crosses zero.",
            (8.0, 4.6),
            lambda figure: _draw_three(figure, example),
        ),
        Picture(
            "toy-error",
            "Figure 7: the exact validation error against C1, and its lowest place.",
            (8.0, 3.8),
            lambda figure: _draw_error(figure, example),
        ),
    ]


def _scatter(ax, train: Bunch, rows) -> None:
    for label, marker, colour, name in ((1, "o", BLUE, "positive"), (-1, "x", ORANGE, "negative")):
        own = rows & (train.y == label)
        face = {"facecolor": "none", "edgecolor": colour} if marker == "o" else {"color": colour}
        ax.scatter(*train.X[own].T, s=16, marker=marker, lw=0.9, label=name, **face)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")


def _draw_data(figure, example: Example) -> None:
    train = example.train
    titles = ("cost 1", "cost 2", "both")
    choices = (train.cost == 1, train.cost == 2, train.cost > 0)
    for ax, title, rows in zip(figure.subplots(1, 3), titles, choices, strict=True):
        _scatter(ax, train, rows)
        ax.set_title(title)
        tidy(ax)
    ax.legend(loc="lower left", fontsize=8)


def _draw_classifiers(figure, example: Example) -> None:
    from matplotlib import rcParams

    ink = rcParams["text.color"]
    train, best = example.train, example.found["best"]
    side = np.linspace(-0.03, 1.03, GRID)
    points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    for ax, theta in zip(figure.subplots(1, 3), (0.0, best["theta"], 1.0), strict=True):
        value = example.path.decision_function(points, theta).reshape(GRID, GRID)
        ax.contourf(side, side, value, [-1e9, 0, 1e9], colors=[ORANGE, BLUE], alpha=0.13)
        ax.contour(side, side, value, [0], colors=ink, linewidths=1.6)
        ax.contour(side, side, value, [-1, 1], colors=ink, linewidths=0.8, linestyles="dashed")
        weight = example.path.at(theta).weights / train.C
        for label, colour in ((1, BLUE), (-1, ORANGE)):
            rows = train.y == label
            ax.scatter(*train.X[rows].T, s=2 + 14 * weight[rows], color=colour, lw=0, alpha=0.8)
        ax.set_title(f"$C_1$ = {LARGEST * theta:.3g}")
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")


def chosen_rows(example: Example, sizes: np.ndarray) -> tuple[list[int], list[int]]:
    """Choose three rows of each cost by their coefficients, a row of ``sizes`` for each place."""
    cost, weight = example.train.cost, LARGEST * example.path.theta
    top, end = sizes.max(axis=0), sizes[-1]
    moving = np.flatnonzero(cost == 1)
    fallen = moving[(end[moving] == 0) & (top[moving] > 0)]
    fallen = fallen[np.argsort(-top[fallen], kind="stable")]
    fallen = fallen[[0, len(fallen) // 2]] if len(fallen) > 1 else fallen
    stays = moving[np.all(np.abs(sizes[:, moving] - weight[:, None]) < 1e-9, axis=0)][:1]
    resting = np.flatnonzero(cost == 2)
    change = np.diff(sizes[:, resting], axis=0)
    moved = np.abs(change).sum(axis=0)
    rise, fall = end[resting] - sizes[0, resting], -np.minimum(change, 0).sum(axis=0)
    calm = resting[fall <= 0.1 * np.maximum(rise, 0)]
    calm = calm[np.argsort(sizes[0, calm] - end[calm], kind="stable")][:2]
    return [*fallen, *stays], [int(resting[moved.argmax()]), *calm]


def _draw_coefficients(figure, example: Example) -> None:
    theta = example.path.theta
    sizes = np.abs([example.path.at(place).dual_coef for place in theta])
    left, right = figure.subplots(1, 2, sharey=True)
    styles = ((BLUE, "-"), (ORANGE, "-."), (GREEN, "--"))
    both = (left, right), ("weight moves, cost 1", "weight stays, cost 2")
    for ax, title, rows in zip(*both, chosen_rows(example, sizes), strict=True):
        for row, (colour, dashes) in zip(rows, styles, strict=False):
            ax.plot(LARGEST * theta, sizes[:, row], color=colour, ls=dashes, label=f"row {row}")
        ax.set_title(title)
        ax.set_xlabel("$C_1$")
        ax.legend(frameon=False, fontsize=8)
        tidy(ax)
    left.set_ylabel(r"$\alpha_i$")


def crossing_rows(example: Example) -> list[int]:
    """Return three validation rows that change sides, once if there are such, early to late."""
    changes = np.diff(np.sign(_margins(example)), axis=0) != 0
    counts = changes.sum(axis=0)
    first = np.where(counts > 0, example.path.theta[1:][changes.argmax(axis=0)], 2.0)
    rows: list[int] = []
    for wanted in (0.2, 0.5, 0.8):
        order = np.lexsort((np.abs(first - wanted), counts != 1))
        rows.append(next(int(row) for row in order if row not in rows))
    return rows


def _margins(example: Example) -> np.ndarray:
    """Return y f(x) of all validation rows, at the breakpoints, between which it is linear."""
    values = example.path.decision_function(example.new.X, example.path.theta)
    return values * example.new.y


def _draw_three(figure, example: Example) -> None:
    from matplotlib import rcParams

    theta, margin = example.path.theta, _margins(example)
    rows = crossing_rows(example)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for row, (colour, dashes) in zip(
        rows, ((BLUE, "-"), (ORANGE, "--"), (GREEN, "-.")), strict=True
    ):
        upper.plot(LARGEST * theta, margin[:, row], color=colour, ls=dashes, label=f"row {row}")
    upper.axhline(0, color=rcParams["text.color"], lw=0.8)
    upper.set_ylabel("y f(x)")
    upper.legend(frameon=False, fontsize=8)
    three = example.path.curve(example.new.X[rows], example.new.y[rows], "zero_one")
    lower.stairs(three.values, LARGEST * three.edges, baseline=None, color=BLUE)
    lower.set_ylim(-0.05, 1.05)
    lower.set_yticks([0, 1 / 3, 2 / 3, 1], ["0", "1/3", "2/3", "1"])
    lower.set_ylabel("error")
    lower.set_xlabel(C1)
    for ax in (upper, lower):
        tidy(ax)


def _draw_error(figure, example: Example) -> None:
    found, ax = example.found, figure.subplots()
    edges, best = LARGEST * np.array(found["edges"]), found["best"]
    ax.stairs(found["values"], edges, baseline=None, color=BLUE)
    left, right = (LARGEST * end for end in best["interval"])
    label = f"lowest: {best['value']:.4f}, $C_1$ from {left:.6f} to {right:.6f}"
    ax.plot(LARGEST * best["theta"], best["value"], "o", color=ORANGE, ms=6, label=label)
    ax.set_xlabel(C1)
    ax.set_ylabel("validation error")
    ax.legend(frameon=False, fontsize=9)
    tidy(ax)
