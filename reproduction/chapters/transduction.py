"""The chapter on transduction, the paper's section 5.3."""

from __future__ import annotations

import numpy as np

from reproduction.cells import Finished
from reproduction.chapters.chapter import Chapter, Measured, Table
from reproduction.chapters.drawing import cost_picture
from reproduction.chapters.words import (
    amount,
    contest_reading,
    count,
    growth_reading,
    parameters,
    ratio_of,
    times,
)
from reproduction.contest import Timing

__all__ = ["build"]

OURS = [
    "C* = C; the weights of the unlabelled mails begin at 1e-5 of it. The paper does not say what "
    "it takes.",
    "By its step 4 the paper's algorithm ends as soon as the weights have reached C*, before it "
    "trains at these. Here one more round of training and switching is made, at C* itself, by the "
    "path and by the rivals.",
    "Of the path the whole algorithm is timed, the first model and the search for pairs included. "
    "The rivals solve the same sequence of problems of the first choice of labelled mails, once, "
    "from the first model on, and search for nothing.",
    "SMO has the whole kernel matrix given, the path computes its columns. It is stopped after "
    "{cap:g} s.",
    "scikit-learn, from scratch, is a second rival: fitted to {refits} of the problems, evenly "
    "among all, and scaled up to all of them.",
    "The paper has no errors. Ours are those on the unlabelled mails; besides the weights that are "
    "doubled, as Joachims does it, weights that grow continuously (*annealed*, {annealed} run).",
]
COST_NOTE = """\
Seconds of the processor, one thread; the path in the mean over {repetitions} random choice(s) of
the labelled mails (standard deviation in brackets), the rivals for the first choice, and compared
on it. *retrainings*: changes of weights and switches of labels, mean. *off*: largest difference of
decision values at {judged} retrainings from those of `weightpath.SVC` fitted from scratch. "> s":
stopped."""
ERROR_NOTE = """\
Misclassification of the unlabelled mails, mean (standard deviation) over {repetitions} choice(s) of
the labelled ones: by the model of these alone, and by transduction."""
ANNEALED_NOTE = "Weights that grow continuously, first choice of the labelled mails only."


def build(measured: Measured) -> Chapter:
    from reproduction import transduction as experiment

    settings, cells = measured.settings, measured.part("cost")
    ours = [line.format(refits=experiment.N_REFITS, **settings) for line in OURS]
    chapter = Chapter("Transduction: spambase", ours, [])
    if cells:
        note = COST_NOTE.format(judged=experiment.N_JUDGED, **settings)
        _add_costs(chapter, cells, note)
        rows = [_error_row(one) for one in cells]
        note = ERROR_NOTE.format(**settings)
        chapter.tables.append(Table("transduction-errors", "Errors", rows, note))
        chapter.readings.append(_error_reading(cells))
    annealed = measured.part("annealed")
    if annealed:
        rows = [_annealed_row(one) for one in annealed]
        chapter.tables.append(
            Table("transduction-annealed", "Annealed weights", rows, ANNEALED_NOTE)
        )
    return chapter


def _timings(result: dict) -> dict[str, Timing]:
    return {
        "path": Timing.of(result["path"]),
        "warm SMO": Timing.of(result["SMO"]),
        "scikit-learn": Timing.of(result["scikit-learn"]),
    }


def _add_costs(chapter: Chapter, cells: list[Finished], note: str) -> None:
    costs = [(one.cell, _timings(one.result)) for one in cells]
    rows = [_cost_row(one) for one in cells]
    chapter.tables.append(
        Table("transduction-cost", "Figure 19 in numbers: seconds for the algorithm", rows, note)
    )
    caption = "Figure 19: seconds for Joachims' algorithm. Arrows: stopped."
    chapter.pictures.append(cost_picture("transduction-cost", caption, costs, "seconds"))
    for rival in ("warm SMO", "scikit-learn"):
        ratios = [(cell, ratio_of(timings[rival], timings["path"])) for cell, timings in costs]
        chapter.readings.append(contest_reading(rival, ratios))
    chapter.readings.append(growth_reading(costs, {"path": "the path", "warm SMO": "warm SMO"}))


def _cost_row(one: Finished) -> dict[str, str]:
    result, timings = one.result, _timings(one.result)
    path, smo, refits = timings["path"], timings["warm SMO"], timings["scikit-learn"]
    return {
        **parameters(one.cell),
        "retrainings": amount(float(np.mean(result["retrainings"]))),
        "switches": amount(float(np.mean(result["switches"]))),
        "events": amount(result["events"]),
        "path s": f"{times(path)} ({amount(float(np.std(path.seconds)))})",
        "SMO s": times(smo),
        "SMO / path": str(ratio_of(smo, path)),
        "kernel matrix s": amount(result["kernel matrix"]),
        "scikit-learn s": times(refits),
        "scikit-learn / path": str(ratio_of(refits, path)),
        "off": amount(result["off"]),
    }


def _error_row(one: Finished) -> dict[str, str]:
    errors = one.result["errors"]
    return {
        **parameters(one.cell),
        **{name: f"{np.mean(v):.4f} ({np.std(v):.4f})" for name, v in errors.items()},
    }


def _annealed_row(one: Finished) -> dict[str, str]:
    return {
        **parameters(one.cell),
        "error": f"{np.mean(one.result['errors']):.4f}",
        "switches": amount(float(np.mean(one.result["switches"]))),
        "s": amount(float(np.mean(one.result["seconds"]))),
    }


def _error_reading(cells: list[Finished]) -> str:
    errors = [one.result["errors"] for one in cells]
    better = sum(np.mean(e["transduction"]) < np.mean(e["labelled only"]) for e in errors)
    best = {name: min(np.mean(e[name]) for e in errors) for name in errors[0]}
    return (
        f"Transduction lowered the mean error in {count(int(better), len(cells), 'cell')}; the "
        f"lowest of all cells is {best['transduction']:.4f}, against {best['labelled only']:.4f} "
        "by the labelled mails alone."
    )
