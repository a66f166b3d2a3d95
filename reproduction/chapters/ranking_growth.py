"""How the cost of ranking grows with documents, pairs and margin."""

from __future__ import annotations

import numpy as np

from reproduction.cells import Finished
from reproduction.chapters.chapter import Picture, Table
from reproduction.chapters.drawing import BLUE, ORANGE
from reproduction.chapters.words import amount
from weightpath.plotting.theme import tidy

__all__ = ["growth_picture", "growth_table"]

# Paths with fewer events say little about the cost of one.
FEWEST_EVENTS = 100
NOTE = """\
The first queries of the training part of fold {fold}, gamma = {gamma:g}, C0 = {C0:g}, each number
in a process of its own. *peak*: memory beyond that of the data; the kernel matrix of the documents,
which is kept while `cache_size` allows, is most of it."""


def growth_table(cells: list[Finished]) -> Table:
    from reproduction.ranking_growth import C0, FOLD, GAMMA

    rows = [
        {
            "queries": str(one.cell["queries"]),
            "documents": f"{one.result['documents']:,}",
            "pairs": f"{one.result['pairs']:,}",
            "fit s": amount(one.result["fit s"]),
            "path s": amount(one.result["path s"]),
            "events": f"{one.result['events']:,}",
            "mean margin": amount(one.result["mean margin"]),
            "peak MB": f"{one.result['peak MB']:,.0f}",
        }
        for one in cells
    ]
    note = NOTE.format(fold=FOLD, gamma=GAMMA, C0=C0)
    return Table("ranking-growth", "How cost grows with the number of queries", rows, note)


def growth_picture(cells: list[Finished], paths: list[Finished]) -> Picture:
    """Draw times and memory against documents, and the cost of an event against its work."""
    from reproduction.ranking_growth import GAMMA

    growth = [one.result for one in cells]
    all_paths = [one.result for one in [*cells, *paths]]
    long = [result for result in all_paths if result["events"] >= FEWEST_EVENTS]

    def draw(figure) -> None:
        time, event, memory = figure.subplots(1, 3)
        documents = [result["documents"] for result in growth]
        time.loglog(documents, [r["path s"] for r in growth], "o-", color=BLUE, label="path")
        time.loglog(documents, [r["fit s"] for r in growth], "s-", color=ORANGE, label="fit")
        time.set(xlabel="documents", ylabel="seconds")
        time.legend(frameon=False)
        work = [result["documents"] * (1.0 + result["mean margin"]) for result in long]
        cost = [1e6 * result["path s"] / result["events"] for result in long]
        event.loglog(work, cost, ".", color=BLUE)
        event.set(xlabel="documents times (1 + mean margin)", ylabel="microseconds for an event")
        memory.loglog(documents, [r["peak MB"] for r in growth], "o-", color=BLUE, label="peak")
        matrix = 8e-6 * np.square(np.array(documents, dtype=float))
        memory.loglog(documents, matrix, ":", color=ORANGE, label="the kernel matrix")
        memory.set(xlabel="documents", ylabel="MB")
        memory.legend(frameon=False)
        for ax in (time, event, memory):
            tidy(ax)

    caption = (
        f"How cost grows. Left and right: the first queries of a fold, gamma = {GAMMA:g}. Middle: "
        "all paths of this chapter, time of an event against documents times margin."
    )
    return Picture("ranking-growth", caption, (11.1, 3.4), draw)
