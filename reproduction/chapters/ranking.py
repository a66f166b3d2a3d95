"""The chapter on ranking, the paper's section 5.2."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.cells import Finished
from reproduction.chapters.chapter import Chapter, Measured, Picture, Table
from reproduction.chapters.drawing import BLUE, ORANGE, cost_picture, panels, width
from reproduction.chapters.ranking_growth import growth_picture, growth_table
from reproduction.chapters.words import (
    amount,
    contest_reading,
    count,
    growth_reading,
    parameters,
    place,
    ratio_of,
    times,
)
from reproduction.contest import Timing
from reproduction.paper import LARGEST_MARGIN, PAIRS
from weightpath.plotting.theme import line_styles, tidy

__all__ = ["build"]

# The paper's example of an NDCG path.
EXAMPLE = {"fold": 1, "gamma": 0.1, "C0": 1e-2}
ENDS = ("uniform", "relevance")
# Parts of a path of which the margin is drawn: it changes tens of thousands of times.
BINS = 200

OURS = [
    "SMO changes one pair a step, always the most violating one, as the paper's does, but it is "
    "compiled, has the kernel matrix of the documents given, finds that pair with bounds that "
    "spare most of the search, and its coefficients at a bound follow it when weights change. It "
    "solves to 1e-3 at ten places; the path is exact everywhere. It is stopped after {cap:g} s.",
    "Pairs are never formed by the path; the first solution is found by `RankingSVM.fit` (*fit*).",
    "NDCG@10 is the paper's: gain 2^y - 1, divided by log(j) from the second position on. The "
    "paper does not give the base of the logarithm: here it is 2, so that the first two positions "
    "are not discounted. Nor does it say what ties and queries without a relevant document count: "
    "here documents of equal score count as the mean over all their orders, and such a query "
    "counts as zero in the mean over the queries. NDCG@10 is traced exactly on the validation part "
    "of each fold; the paper's numbers are not in its text.",
]
COST_NOTE = """\
Seconds of the processor, one thread, means over the folds that were run. *violation*: largest
violation of an optimality condition at {places} places along each path. The ratio is over the folds
that both ran. "> s": stopped in one fold at least."""
PAIRS_NOTE = "Documents and pairs of documents in the training part of each fold."
FEW_NOTE = " Of ours only the first {} queries: this was a quick run."
NDCG_NOTE = """\
NDCG@10 on the validation part, means over the folds: at both ends of the path and at its best
place. That is chosen on the same queries: it is what choosing can gain at most."""


def build(measured: Measured) -> Chapter:
    from reproduction.ranking import PLACES

    paths, rivals = measured.part("path"), measured.part("rival")
    chapter = Chapter("Ranking: OHSUMED", [line.format(**measured.settings) for line in OURS], [])
    if not paths:
        return chapter
    settings = _by_setting(paths, rivals)
    cells = [cell for cell, _, _ in settings]
    costs = [(cell, _timings(own, other)) for cell, own, other in settings]
    few = measured.settings["queries"]
    note = PAIRS_NOTE + (FEW_NOTE.format(few) if few else "")
    chapter.tables.extend(
        [
            Table("ranking-pairs", "The folds, ours beside the paper's", _pair_rows(paths), note),
            Table(
                "ranking-cost",
                "Figure 16 in numbers",
                [_cost_row(*setting) for setting in settings],
                COST_NOTE.format(places=PLACES),
            ),
            Table(
                "ranking-ndcg",
                "NDCG@10 on the validation part",
                [_ndcg_row(cell, own) for cell, own, _ in settings],
                NDCG_NOTE,
            ),
        ]
    )
    growth = measured.part("growth")
    if growth:
        chapter.tables.append(growth_table(growth))
    folder = measured.folder / "quick" if measured.is_quick else measured.folder
    caption = "Figure 16: seconds for the path, and for SMO at ten places, means over the folds."
    chapter.pictures.append(cost_picture("ranking-cost", caption, costs, "seconds"))
    chapter.pictures.extend(_path_pictures(folder, cells))
    if growth:
        chapter.pictures.append(growth_picture(growth, paths))
    chapter.readings.extend(_readings(settings, costs, paths))
    return chapter


def _by_setting(paths: list[Finished], rivals: list[Finished]):
    """Return, for every gamma and C0, the results of paths and of the rival by fold."""
    groups: dict[tuple[float, float], tuple[dict, dict]] = {}
    for kind, cells in enumerate((paths, rivals)):
        for one in cells:
            key = one.cell["gamma"], one.cell["C0"]
            groups.setdefault(key, ({}, {}))[kind][one.cell["fold"]] = one.result
    ordered = sorted(groups.items(), key=lambda item: (-item[0][0], item[0][1]))
    return [
        ({"gamma": gamma, "C0": C0}, own, other) for (gamma, C0), (own, other) in ordered if own
    ]


def _timings(own: dict, other: dict) -> dict[str, Timing]:
    timings = {"path": Timing([result["path s"] for result in own.values()])}
    if other:
        capped = any(result["capped"] for result in other.values())
        timings["SMO at 10 places"] = Timing([r["SMO s"] for r in other.values()], capped)
    return timings


def _ratio(own: dict, other: dict):
    """Compare on the folds that both ran."""
    both = [fold for fold in own if fold in other]
    if not both:
        return None
    timings = _timings({f: own[f] for f in both}, {f: other[f] for f in both})
    return ratio_of(timings["SMO at 10 places"], timings["path"])


def _mean(own: dict, name: str) -> float:
    return float(np.mean([result[name] for result in own.values()]))


def _most(own: dict, name: str) -> float:
    return max(result[name] for result in own.values())


def _cost_row(cell: dict, own: dict, other: dict) -> dict[str, str]:
    timings, ratio = _timings(own, other), _ratio(own, other)
    smo = timings.get("SMO at 10 places")
    return {
        **parameters(cell),
        "folds": str(len(own)),
        "fit s": amount(_mean(own, "fit s")),
        "path s": times(timings["path"]),
        "longest path s": amount(_most(own, "path s")),
        "SMO s": times(smo) if smo else "not run",
        "SMO / path": str(ratio) if ratio else "—",
        "SMO folds": str(len(other)),
        "events": amount(_mean(own, "events")),
        "mean margin": amount(_mean(own, "mean margin")),
        "largest margin": str(_most(own, "largest margin")),
        "violation": amount(_most(own, "KKT violation")),
        "NDCG curve s": amount(_mean(own, "NDCG curve s")),
    }


def _pair_rows(paths: list[Finished]) -> list[dict[str, str]]:
    folds = {one.cell["fold"]: one.result for one in paths}
    return [
        {
            "fold": str(fold),
            "documents": f"{folds[fold]['documents']:,}",
            "pairs, paper": f"{PAIRS[fold]:,}",
            "pairs, ours": f"{folds[fold]['pairs']:,}",
        }
        for fold in sorted(folds)
    ]


def _ndcg_row(cell: dict, own: dict) -> dict[str, str]:
    return {
        **parameters(cell),
        "folds": str(len(own)),
        "uniform": f"{_mean(own, 'NDCG at uniform'):.4f}",
        "relevance": f"{_mean(own, 'NDCG at relevance'):.4f}",
        "best": f"{_mean(own, 'best NDCG'):.4f}",
        "best θ": f"{_mean(own, 'best theta'):.2f}",
    }


def _readings(settings, costs, paths: list[Finished]) -> list[str]:
    ratios = [(cell, _ratio(own, other)) for cell, own, other in settings]
    decided = [(cell, ratio) for cell, ratio in ratios if ratio]
    lines = []
    if decided:
        lines.append(contest_reading("SMO at 10 places", decided, "setting"))
    both = {"path": "the path", "SMO at 10 places": "SMO at 10 places"}
    lines.append(growth_reading(costs, both))
    largest = max(paths, key=lambda one: one.result["largest margin"])
    above = [own for _, own, _ in settings if _most(own, "largest margin") > LARGEST_MARGIN]
    lines.append(
        f"At most {largest.result['largest margin']} pairs were on the margin "
        f"({place(largest.cell)}); more than the paper's hundred in "
        f"{count(len(above), len(settings), 'setting')}."
    )
    ends = [[_mean(own, f"NDCG at {end}") for end in ENDS] for _, own, _ in settings]
    better = sum(relevance > uniform for uniform, relevance in ends)
    lines.append(
        "Relevance weights gave a higher mean NDCG@10 than uniform ones in "
        f"{count(better, len(settings), 'setting')}."
    )
    return lines


def _path_pictures(folder: Path, cells: list[dict]) -> list[Picture]:
    """The pictures of single paths, of the first fold; those whose files are there."""
    from reproduction.ranking import path_file

    there = [cell for cell in cells if path_file(folder, {"fold": 1, **cell}).exists()]
    pictures = []
    if there:
        pictures.append(_margin_picture(folder, there))
    if path_file(folder, EXAMPLE).exists():
        pictures.append(_ndcg_picture(path_file(folder, EXAMPLE)))
    return pictures


def _margin_picture(folder: Path, cells: list[dict]) -> Picture:
    from reproduction.ranking import path_file

    weights = sorted({cell["C0"] for cell in cells})
    colours = {C0: style[0] for C0, style in zip(weights, line_styles(len(weights)), strict=True)}

    def draw(figure) -> None:
        axes = panels(figure, cells)
        for cell in sorted(cells, key=lambda one: one["C0"]):
            with np.load(path_file(folder, {"fold": 1, **cell})) as data:
                margin = Binned.of(data["theta"], data["margin"])
            margin.draw(axes[cell["gamma"]], colours[cell["C0"]], f"$C_0$ = {cell['C0']:g}")
        for ax in axes.values():
            ax.set_xscale("linear")
            ax.set_xlim(0, 1)
            ax.set_yscale("symlog", linthresh=10)
            ax.set_ylim(bottom=0)
            ax.set_xlabel("θ: uniform (0) to relevance weights (1)")
        first = next(iter(axes.values()))
        first.set_ylabel("pairs on the margin")
        labelled = [ax.get_legend_handles_labels() for ax in axes.values()]
        handles = {t: h for own in labelled for h, t in zip(*own, strict=True)}
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, frameon=False)

    caption = (
        "Figure 17: pairs on the margin along the paths of the first fold: mean (line), least and "
        f"most (shaded) in each of {BINS} parts of the path."
    )
    return Picture("ranking-margin", caption, (width(cells), 4.2), draw)


@dataclass(frozen=True)
class Binned:
    """A step function in equal parts of [0, 1]: its mean, least and greatest value in each."""

    middle: np.ndarray
    mean: np.ndarray
    least: np.ndarray
    most: np.ndarray

    @classmethod
    def of(cls, edges: np.ndarray, values: np.ndarray) -> Binned:
        grid = np.linspace(edges[0], edges[-1], BINS + 1)
        integral = np.concatenate([[0.0], np.cumsum(values * np.diff(edges))])
        mean = np.diff(np.interp(grid, edges, integral)) / np.diff(grid)
        first = np.searchsorted(edges, grid[:-1], side="right") - 1
        end = np.searchsorted(edges, grid[1:], side="left")
        parts = [values[a:b] for a, b in zip(first, end, strict=True)]
        least, most = (np.array([choose(part) for part in parts]) for choose in (min, max))
        return cls((grid[1:] + grid[:-1]) / 2, mean, least, most)

    def draw(self, ax, colour: str, label: str | None = None) -> None:
        ax.plot(self.middle, self.mean, color=colour, lw=1.1, label=label)
        ax.fill_between(self.middle, self.least, self.most, color=colour, alpha=0.25, lw=0)


def _ndcg_picture(file: Path) -> Picture:
    def draw(figure) -> None:
        top, bottom = figure.subplots(2, 1, sharex=True)
        with np.load(file) as data:
            top.stairs(data["values"], data["edges"], baseline=None, color=BLUE)
            Binned.of(data["theta"], data["margin"]).draw(bottom, ORANGE)
        top.set_ylabel("NDCG@10, validation")
        bottom.set_ylabel("pairs on the margin")
        bottom.set_xlabel("θ: uniform (0) to relevance weights (1)")
        for ax in (top, bottom):
            tidy(ax)

    caption = (
        "Figure 18: NDCG@10 on the validation part along the path, fold 1, gamma = 0.1, C0 = 0.01; "
        f"below it the pairs on the margin, mean, least and most in each of {BINS} parts."
    )
    return Picture("ranking-ndcg", caption, (8.0, 5.0), draw)
