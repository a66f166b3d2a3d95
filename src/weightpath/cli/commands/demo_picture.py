"""The picture of the demonstration: the classifier at three theta, and all that lies between."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weightpath.cli.commands.demo_study import ToyStudy
from weightpath.plotting.theme import ACCENT, MAIN, require_matplotlib, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_toy"]

INK = "#222222"
QUIET = "#777777"
GREEN = "#009E73"
# The colours of the classes +1 and -1, as far from white as a background may be.
PALE = ("#ACD1E7", "#F1C9AD")
C1_LABEL = "$C_1$, the weight of the cheaper half of the rows"
SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.edgecolor": QUIET,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
}
GRID = 160  # points of the decision function along each side of a panel
N_BINS = 50


def draw_toy(study: ToyStudy, file: Path) -> None:
    """Draw the picture of a study into ``file``."""
    matplotlib = require_matplotlib()
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    best = study.curve.best
    places = (("old weights", 0.0), ("best on new data", best.theta), ("new weights", 1.0))
    with matplotlib.rc_context(SETTINGS):
        layout = ConstrainedLayoutEngine(w_pad=0.07, h_pad=0.07)
        figure = Figure(figsize=(11.5, 7.8), layout=layout)
        upper, lower = np.asarray(figure.subfigures(2, 1, height_ratios=(1.2, 1), hspace=0.03))
        for ax, (name, theta) in zip(upper.subplots(1, 3), places, strict=True):
            _draw_classifier(ax, study, name, theta)
        grid = lower.add_gridspec(2, 3)
        _draw_coefficients(lower.add_subplot(grid[:, 0]), study)
        margin = lower.add_subplot(grid[0, 1])
        _draw_margin(margin, study)
        _draw_events(lower.add_subplot(grid[1, 1], sharex=margin), study)
        _draw_error(lower.add_subplot(grid[:, 2]), study)
        figure.savefig(file, dpi=110, facecolor="white", pil_kwargs={"optimize": True})


def _draw_classifier(ax: Axes, study: ToyStudy, name: str, theta: float) -> None:
    """Decision function as shading, its boundary and margins, and rows as large as their weight."""
    from matplotlib.colors import LinearSegmentedColormap

    train = study.train
    side = np.linspace(-0.03, 1.03, GRID)
    points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    value = study.path.decision_function(points, theta).reshape(GRID, GRID)
    shades = LinearSegmentedColormap.from_list("classes", [PALE[1], "white", PALE[0]])
    levels = np.linspace(-2, 2, 25)
    ax.contourf(
        side, side, value, levels, cmap=shades, vmin=-2, vmax=2, extend="both", antialiased=False
    )
    ax.contour(side, side, value, [-1, 1], colors=INK, linewidths=0.9, linestyles="dashed")
    ax.contour(side, side, value, [0], colors=INK, linewidths=1.8)
    solution = study.path.at(theta)
    weight = solution.weights / train.C
    for label, color in ((1, MAIN), (-1, ACCENT)):
        rows = train.y == label
        ax.scatter(
            train.X[rows, 0],
            train.X[rows, 1],
            s=3 + 19 * weight[rows],
            c=color,
            alpha=0.8,
            lw=0.4,
            edgecolor="white",
        )
    x, y = train.X[solution.margin].T
    ax.scatter(x, y, s=75, facecolor="none", edgecolor=INK, lw=1.3)
    error = study.curve(theta)
    ax.set_title(f"{name}: $C_1$ = {train.C * theta:.3g}", fontweight="bold", color=INK)
    ax.set_title(f"error {error:.3f}", loc="right", fontsize=9, color=QUIET)
    ax.set(xlim=(side[0], side[-1]), ylim=(side[0], side[-1]), xticks=[], yticks=[], aspect="equal")


def _draw_coefficients(ax: Axes, study: ToyStudy) -> None:
    """Every coefficient, through all breakpoints."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    C1 = study.train.C * study.path.theta
    sizes = np.abs([study.path.at(theta).dual_coef for theta in study.path.theta])
    for cost, color in ((1, GREEN), (2, QUIET)):
        rows = np.flatnonzero(study.train.cost == cost)
        lines = [np.column_stack([C1, sizes[:, row]]) for row in rows]
        ax.add_collection(LineCollection(lines, colors=color, linewidths=0.8, alpha=0.6))
    _frame(ax, study, f"all {len(study.train.y):,} coefficients, " r"$|\beta_i|$")
    ax.set_ylim(-0.2, study.train.C + 0.4)
    handles = [Line2D([], [], color=GREEN), Line2D([], [], color=QUIET)]
    ax.legend(
        handles,
        ["weight moves", "weight stays"],
        loc="upper left",
        bbox_to_anchor=(0.02, 0.9),
        frameon=True,
        edgecolor="none",
        fontsize=8,
    )
    ax.set_xlabel(C1_LABEL)


def _draw_margin(ax: Axes, study: ToyStudy) -> None:
    from matplotlib.ticker import MaxNLocator

    theta, sizes = study.path.margin_size()
    ax.stairs(sizes, study.train.C * theta, baseline=None, color=MAIN, lw=1)
    _frame(ax, study, "instances on the margin")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
    ax.set_ylim(0, sizes.max() + 0.7)
    ax.tick_params(labelbottom=False)


def _draw_events(ax: Axes, study: ToyStudy) -> None:
    C1 = study.train.C * study.path.events["theta"]
    ax.hist(C1, bins=N_BINS, range=(0, study.train.C), color=ACCENT, alpha=0.85)
    width = study.train.C / N_BINS
    title = f"{study.path.n_events:,} events, per {width:g} of $C_1$"
    _frame(ax, study, title)
    ax.set_xlabel(C1_LABEL)


def _draw_error(ax: Axes, study: ToyStudy) -> None:
    """The exact validation error, with its minimum under a magnifying glass."""
    curve, C = study.curve, study.train.C
    ax.stairs(curve.values, C * curve.edges, baseline=None, color=MAIN, lw=1.1)
    best = curve.best
    low, high = curve.values.min(), curve.values.max()
    ax.plot(C * best.theta, best.value, "o", color=ACCENT, ms=6, zorder=4)
    _frame(ax, study, "exact error on 1,000 new points")
    # Room for the glass below the curve.
    ax.set_yticks([tick for tick in ax.get_yticks() if low - 0.005 <= tick <= high])
    ax.set_ylim(low - 0.62 * (high - low), high + 0.08 * (high - low))
    ax.set_xlabel(C1_LABEL)
    glass = ax.inset_axes((0.04, 0.085, 0.92, 0.25))
    _draw_best(glass, study)
    ax.indicate_inset_zoom(glass, edgecolor=QUIET, lw=0.8)


def _draw_best(ax: Axes, study: ToyStudy) -> None:
    curve, C = study.curve, study.train.C
    best = curve.best
    left, right = best.interval
    reach = min(0.2, max(5 * (right - left), 1e-6))
    middle = min(max(best.theta, reach), 1 - reach)
    ax.stairs(curve.values, C * curve.edges, baseline=None, color=MAIN, lw=1.4)
    ax.plot([C * left, C * right], [best.value] * 2, color=ACCENT, lw=3.5, solid_capstyle="butt")
    near = curve(np.linspace(middle - reach, middle + reach, 400))
    span = near.max() - best.value or 0.001
    ax.set_xlim(C * (middle - reach), C * (middle + reach))
    ax.set_ylim(best.value - 0.9 * span, near.max() + 0.3 * span)
    ax.set_yticks([])
    ax.tick_params(labelsize=7, length=2)
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.locator_params(axis="x", nbins=4)
    text = f"lowest, {best.value:.4g}, for {C * left:.4f} < $C_1$ < {C * right:.4f}"
    ax.annotate(text, (0.5, 0.07), xycoords="axes fraction", ha="center", fontsize=7.5, color=INK)


def _frame(ax: Axes, study: ToyStudy, title: str) -> None:
    ax.set_title(title, fontweight="bold", color=INK)
    ax.set_xlim(0, study.train.C)
    tidy(ax)
