"""The chapter on the artificial example, the paper's section 4.1."""

from __future__ import annotations

import numpy as np

import weightpath
from benchmarks.curves import LARGEST
from reproduction.cells import Finished
from reproduction.chapters import toy_pictures
from reproduction.chapters.chapter import Chapter, Measured, Table
from reproduction.chapters.words import amount
from reproduction.paper import BEST_C1

__all__ = ["build"]

OURS = [
    "The paper's sample is not known: the pictures are of one of ours (seed 0, the first, not "
    "chosen), the table of ten.",
    "The coefficients that are drawn are chosen by a rule, which their caption gives, to show what "
    "the paper's figure shows.",
    "The classifier at three weights is ours; the paper draws data only.",
]
NOTE = """\
{n} training rows, {validation} validation rows, error weighted by cost, exact for every C1 from 0
to 10. *best C1 from … to*: the interval that has the lowest error; *within 2 %*: where the error is
at most 2 % higher than the lowest."""


def build(measured: Measured) -> Chapter:
    chapter = Chapter("The artificial example", OURS, [])
    drawn, table = (measured.part(name) for name in ("sample", "samples"))
    if table:
        rows = table[0].result["rows"]
        chapter.tables.append(
            Table(
                "toy-samples",
                "The lowest validation error of ten samples",
                [{name: amount(value) for name, value in row.items()} for row in rows],
                NOTE.format(**measured.settings),
            )
        )
        chapter.readings.append(_table_reading(rows))
    file = measured.folder / "path.npz"
    if drawn and file.exists():
        from reproduction.toy import samples

        train, new = samples(measured.settings["n"], measured.settings["validation"])
        example = toy_pictures.Example(train, new, weightpath.load(file), drawn[0].result)
        chapter.pictures.extend(toy_pictures.pictures(example))
        chapter.readings.append(_sample_reading(drawn[0]))
    return chapter


def _table_reading(rows: list[dict]) -> str:
    best = np.array([(row["best C1 from"] + row["to"]) / 2 for row in rows])
    low, middle, high = np.quantile(best, (0, 0.5, 1))
    holds = sum(row["within 2 % of it from"] <= BEST_C1 <= row["up to"] for row in rows)
    inner = sum(
        row["lowest error"] < min(row["error at C1 = 0"], row["error at C1 = 10"]) for row in rows
    )
    return (
        f"The lowest error was at C1 from {low:.1f} to {high:.1f}, in the median at {middle:.1f} "
        f"(the paper's sample: around {BEST_C1:g}); around {BEST_C1:g} the error is within 2 % of "
        f"the lowest in {holds} of {len(rows)} samples. It was lower in between than at both ends "
        f"in {inner} of {len(rows)}."
    )


def _sample_reading(one: Finished) -> str:
    best = one.result["best"]
    left, right = (LARGEST * end for end in best["interval"])
    return (
        f"The path of the sample that is drawn has {one.result['events']} events, and its exact "
        f"error {len(one.result['values'])} steps; the lowest, {best['value']:.4f}, holds for C1 "
        f"from {left:.6f} to {right:.6f}. Largest violation of an optimality condition over the "
        f"whole path: {amount(one.result['violation'])}."
    )
