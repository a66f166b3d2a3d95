"""Two pictures: how times grow with the number of rows, and accuracy beside time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.contest.entry import Entry
from benchmarks.contest.growth import Growth, growths
from benchmarks.contest.results import by_problem
from benchmarks.contest.solvers import OURS, RIVALS
from weightpath.plotting.theme import line_styles, require_matplotlib, tidy

GROWTH = "growth.png"
ACCURACY = "accuracy.png"
INK = "#222222"
QUIET = "#777777"
# Where a label may stand beside its point, in points; the first that is free is taken.
ASIDE = ((0, 11), (0, -11), (34, 0), (-34, 0), (0, 21), (0, -21))
MOVABLE = "movable"
# Below this a violation is rounding; the axis ends here.
ROUNDING = 1e-16
SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.edgecolor": QUIET,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
}
STYLES = dict(zip((one.name for one in RIVALS), line_styles(len(RIVALS)), strict=True))
STYLES[OURS.name] = (INK, "-")
SHORT = {
    "weightpath": "weightpath",
    "scikit-learn": "scikit-learn",
    "intelex": "intelex",
    "smo": "seeded SMO",
    "qpoases": "qpOASES",
    "daqp": "DAQP",
    "piqp": "PIQP",
    "svmpath": "svmpath",
    "lars": "lars_path",
    "celer": "celer",
}


def draw(out: Path, entries: list[Entry]) -> list[Path]:
    """Draw what there is to draw into ``out``; return the files."""
    require_matplotlib()
    files = []
    laws = growths(entries)
    families = [family for family, _, _ in by_problem(entries)]
    growing = [one for one in dict.fromkeys(families) if families.count(one) > 1]
    if growing:
        files.append(_draw_panels(out / GROWTH, growing, entries, laws, _draw_growth))
    everybody = list(dict.fromkeys(families))
    files.append(_draw_panels(out / ACCURACY, everybody, entries, laws, _draw_accuracy))
    return files


def _draw_panels(file: Path, families, entries, laws, draw_panel) -> Path:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        columns = min(2, len(families)) if len(families) != 3 else 3
        rows = -(-len(families) // columns)
        size = (4.9 * columns if columns < 3 else 13.5, 4.1 * rows)
        figure = Figure(figsize=size, layout="constrained")
        axes = np.ravel(figure.subplots(rows, columns, squeeze=False))
        for ax, family in zip(axes, families, strict=False):
            draw_panel(ax, family, [one for one in entries if one.family == family.name], laws)
            tidy(ax)
        for ax in axes[len(families) :]:
            ax.set_visible(False)
        figure.draw_without_rendering()
        for ax in axes[: len(families)]:
            _part_labels(ax)
        figure.savefig(file, dpi=120, facecolor="white")
    return file


def _draw_growth(ax, family, entries: list[Entry], laws: dict[tuple[str, str], Growth]) -> None:
    """Times over n, fitted lines, and a label with the exponent at the end of each."""
    labels = []
    sizes = sorted({one.n for one in entries})
    for solver in dict.fromkeys(one.solver for one in entries):
        known = [one for one in entries if one.solver == solver and one.path_s]
        if not known:
            continue
        colour, dash = STYLES[solver]
        ours = solver == OURS.name
        for one in known:
            mark, size = ("^", 6) if one.is_lower_bound else ("o", 4)
            ax.plot(one.n, one.path_s, mark, ms=size, color=colour)
        law = laws.get((family.name, solver))
        end = known[-1].path_s
        if law is not None:
            line = np.array([sizes[0], sizes[-1]])
            ax.plot(line, law.seconds(line), dash, color=colour, lw=2.4 if ours else 1.2)
            end = float(law.seconds(sizes[-1]))
        text = SHORT[solver] + (f"  $n^{{{law.exponent:.1f}}}$" if law is not None else "")
        labels.append((end, text, colour, ours))
    ax.set(xscale="log", yscale="log", xlabel="rows, n", ylabel="whole path")
    _show_durations(ax.yaxis)
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.minorticks_off()
    ax.set_title(family.title)
    _explain_bounds(ax, entries)
    _label_ends(ax, sizes, labels)


def _label_ends(ax, sizes, labels) -> None:
    """Write the labels beside the right end, moved apart where they would overlap."""
    ax.set_xlim(sizes[0] * 0.85, sizes[-1] * (sizes[-1] / sizes[0]) ** 0.6)
    low, high = np.log(ax.get_ylim())
    gap = 0.056 * (high - low)
    position = low
    for end, text, colour, ours in sorted(labels):
        position = max(np.log(end), position + gap)
        ax.annotate(
            text,
            (sizes[-1] * 1.08, np.exp(position)),
            color=colour,
            va="center",
            fontsize=8.5,
            fontweight="bold" if ours else "normal",
        )


def _draw_accuracy(ax, family, entries: list[Entry], laws) -> None:
    """The worst violation over the time of the whole path, at the largest size."""
    largest = max(one.n for one in entries)
    shown = [one for one in entries if one.n == largest and one.path_s and one.places]
    for one in shown:
        colour, _ = STYLES[one.solver]
        x, y = one.path_s, max(one.violation or 0.0, ROUNDING)
        ax.plot(x, y, ">" if one.is_lower_bound else "o", color=colour, ms=7)
        label = ax.annotate(
            SHORT[one.solver],
            (x, y),
            xytext=ASIDE[0],
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8.5,
            color=colour,
            fontweight="bold" if one.solver == OURS.name else "normal",
        )
        label.set_gid(MOVABLE)
    ax.set(xscale="log", yscale="log", xlabel="whole path", ylabel="largest KKT violation")
    ax.margins(0.18)
    _show_durations(ax.xaxis)
    ax.set_title(f"{family.title}, n = {largest:,}")
    _explain_bounds(ax, shown)


def _part_labels(ax) -> None:
    """Give each movable label the first position at which it covers no other."""
    labels = [text for text in ax.texts if text.get_gid() == MOVABLE]
    taken: list = []
    for label in labels:
        for position in ASIDE:
            label.set_position(position)
            box = label.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)


def _show_durations(axis) -> None:
    """Ticks as people read times: at powers of ten, and between them on a short axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0,) if high / low > 30.0 else (1.0, 2.0, 5.0)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda seconds, _: duration_tick(seconds)))


def duration_tick(seconds: float) -> str:
    """A round time.

    Examples
    --------
    >>> from benchmarks.contest.pictures import duration_tick
    >>> duration_tick(1e-3), duration_tick(0.2), duration_tick(1000.0)
    ('1 ms', '200 ms', '1,000 s')
    """
    return f"{seconds:,.0f} s" if seconds >= 0.999 else f"{1e3 * seconds:g} ms"


def _explain_bounds(ax, entries: list[Entry]) -> None:
    if any(one.is_lower_bound and one.path_s for one in entries):
        where = {"xycoords": "axes fraction", "ha": "right", "va": "bottom", "fontsize": 8}
        ax.annotate("triangle: stopped, takes more", (0.99, 0.01), color=QUIET, **where)
