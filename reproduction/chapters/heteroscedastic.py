"""The chapter on unequal noise, the paper's section 5.1."""

from __future__ import annotations

import numpy as np

from reproduction.cells import Finished
from reproduction.chapters.chapter import Chapter, Measured, Table
from reproduction.chapters.drawing import cost_picture, count_picture
from reproduction.chapters.words import (
    amount,
    contest_reading,
    count,
    growth_reading,
    parameters,
    ratio_of,
    times,
)
from reproduction.contest import REPEAT_SECONDS, Timing

__all__ = ["build"]

OURS = [
    "The rivals are given the weights of the exact scheme, so that all go the same way.",
    "Below a thousandth of sigma all residuals count the same; the paper does not say what it does "
    "where a residual vanishes. At most {most} updates are made.",
    "Ours computes the kernel columns that it needs in every update, and SMO is charged those of "
    "its support vectors by the same code. Besides, both are measured with values *kept*. Of two "
    "ways to seed SMO the faster one in each cell counts.",
    "scikit-learn, from scratch at every update, is a second rival. Rivals run the first samples, "
    "as many as fit into {repeat:g} s a cell, at least one, and are compared on those; one that "
    "has not finished after {cap:g} s is stopped.",
    "The paper has no errors. Ours are those on the rows that were left out.",
]
COST_NOTE = """\
Seconds of the processor, one thread, for all updates of a scheme together, mean over {repetitions}
sample(s) of {n} rows. *converged*: samples in which the paper's stopping rule was met. "> s":
stopped after s seconds without an end."""
ACCURACY_NOTE = """\
Largest difference of fitted values from those of `weightpath.SVR` fitted from scratch at the same
weights: of the path over every update of the first sample, of the rivals at its last one."""
ERROR_NOTE = """\
Mean squared error on the rows left out, mean and standard error over the samples: at equal weights
and at the end of the scheme. *better in*: samples in which the weights lower it."""


def build(measured: Measured) -> Chapter:
    from reproduction.heteroscedastic import MAX_ITER

    settings, cells = measured.settings, measured.finished
    ours = [line.format(most=MAX_ITER, repeat=REPEAT_SECONDS, **settings) for line in OURS]
    costs = [(one.cell, _timings(one.result)) for one in cells]
    rounds = [one.result["reweightings"] for one in cells]
    return Chapter(
        "Unequal noise: Boston housing",
        ours,
        _readings(cells, costs),
        [
            Table(
                "heteroscedastic-cost",
                "Figures 13 and 14 in numbers",
                [_cost_row(one) for one in cells],
                COST_NOTE.format(**settings),
            ),
            Table(
                "heteroscedastic-accuracy",
                "How far the answers are from exact ones",
                [_accuracy_row(one) for one in cells],
                ACCURACY_NOTE,
            ),
            Table(
                "heteroscedastic-errors",
                "Errors with equal weights and with those of the scheme",
                [_error_row(one) for one in cells],
                ERROR_NOTE,
            ),
        ],
        [
            cost_picture(
                "heteroscedastic-cost",
                "Figure 13: seconds for all updates of a scheme; dotted, with kernel values kept. "
                "Arrows: stopped.",
                costs,
                "seconds",
            ),
            count_picture(
                "heteroscedastic-updates",
                "Figure 14: number of updates of the weights.",
                [one.cell for one in cells],
                lambda k: rounds[k],
                "updates",
            ),
        ],
    )


def _best_seeding(result: dict) -> str:
    timings = {name: Timing.of(stored) for name, stored in result["SMO"].items()}
    return min(timings, key=lambda name: (timings[name].capped, timings[name].mean))


def _timings(result: dict) -> dict[str, Timing]:
    smo = Timing.of(result["SMO"][_best_seeding(result)])
    return {
        "path": Timing.of(result["path"]),
        "warm SMO": smo.with_columns(),
        "scikit-learn": Timing.of(result["scikit-learn"]),
        "path, values kept": Timing.of(result["kept"]),
        "warm SMO, values kept": smo,
    }


def _cost_row(one: Finished) -> dict[str, str]:
    result, timings = one.result, _timings(one.result)
    path, kept = timings["path"], timings["path, values kept"]
    smo, given = timings["warm SMO"], timings["warm SMO, values kept"]
    refits = timings["scikit-learn"]
    return {
        **parameters(one.cell),
        "updates": amount(float(np.mean(result["reweightings"]))),
        "converged": f"{sum(result['converged'])} of {len(result['converged'])}",
        "events": amount(float(np.mean(result["events"]))),
        "path s": times(path),
        "SMO s": times(smo),
        "SMO / path": str(ratio_of(smo, path)),
        "SMO runs": str(len(smo.seconds)),
        "scikit-learn s": times(refits),
        "scikit-learn / path": str(ratio_of(refits, path)),
        "scikit-learn runs": str(len(refits.seconds)),
        "kept: path s": times(kept),
        "kept: SMO s": times(given),
        "kept: SMO / path": str(ratio_of(given, kept)),
    }


def _accuracy_row(one: Finished) -> dict[str, str]:
    off = one.result["off"]
    return {
        **parameters(one.cell),
        "path": amount(off["path"]),
        "scikit-learn": amount(off["scikit-learn"]),
        "SMO": amount(off["SMO"][_best_seeding(one.result)]),
    }


def _error_row(one: Finished) -> dict[str, str]:
    errors = one.result["errors"]
    better = int(np.sum(np.array(errors["reweighted"]) < errors["equal weights"]))
    return {
        **parameters(one.cell),
        **{name: _with_error(values) for name, values in errors.items()},
        "better in": f"{better} of {len(errors['reweighted'])}",
    }


def _with_error(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    return f"{np.mean(values):.2f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2f}"


def _readings(cells: list[Finished], costs) -> list[str]:
    lines = []
    for rival, ours in (
        ("warm SMO", "path"),
        ("scikit-learn", "path"),
        ("warm SMO, values kept", "path, values kept"),
    ):
        ratios = [(cell, ratio_of(timings[rival], timings[ours])) for cell, timings in costs]
        lines.append(contest_reading(rival, ratios))
    lines.append(growth_reading(costs, {"path": "the path", "warm SMO": "warm SMO"}))
    rounds = [float(np.mean(one.result["reweightings"])) for one in cells]
    done = sum(all(one.result["converged"]) for one in cells)
    better = sum(
        np.mean(one.result["errors"]["reweighted"]) < np.mean(one.result["errors"]["equal weights"])
        for one in cells
    )
    lines.append(
        f"The scheme took from {amount(min(rounds))} to {amount(max(rounds))} updates and met the "
        f"stopping rule for all samples in {count(done, len(cells), 'cell')}. Its weights lowered "
        f"the mean error in {count(int(better), len(cells), 'cell')}."
    )
    return lines
