"""Tables about the library itself: ``python -m benchmarks.tables --out DIR``.

All of them take an hour; ``--tables NAME,...`` measures some. What is finished is written after
each table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from benchmarks import (
    accuracy,
    additions,
    bars,
    caches,
    cluster,
    conformal,
    cost_path,
    curves,
    data_values,
    end_to_end,
    fits,
    gradient_layer,
    gradients,
    growth,
    homotopy,
    influence,
    large_margins,
    large_toy,
    lasso,
    linear_programs,
    machine,
    memory,
    online,
    ordinary,
    ordinary_data,
    readings,
    regions,
    regression,
    report,
    scale,
    selective,
    slides,
    small_changes,
    speed,
)
from benchmarks.threads import one_thread

__all__ = ["run_tables", "table_makers"]


def run_tables(out: Path, quick: bool = False, names: Sequence[str] = ()) -> dict[str, list[dict]]:
    """Measure the tables of these names, or all, write them to ``out`` and return them.

    The last one, "bars", is what was asked of the others.
    """
    makers = table_makers(quick)
    tables: dict[str, list[dict]] = {}
    judged: dict[str, list[dict]] = {}
    with one_thread():
        for name in names or makers:
            tables[name] = makers[name]()
            judged = {**tables, "bars": bars.judge(tables)}
            # After each table, so that an interrupt leaves what is finished.
            report.write(out, machine.facts(), judged)
    return judged


def table_makers(quick: bool) -> dict[str, Callable[[], list[dict]]]:
    """Return what measures each table, by the name of the table, in the order of the page."""

    def plan(full, tiny):
        return tiny if quick else full

    def of(module):
        return lambda: module.table(plan(module.FULL, module.QUICK))

    @cache
    def runs():
        return [speed.measure(size) for size in plan(speed.FULL, speed.QUICK)]

    def ordinary_of(cases):
        return lambda: ordinary.table(plan(ordinary.FULL, ordinary.QUICK), cases)

    return {
        "speed": lambda: speed.table(runs()),
        "accuracy": lambda: accuracy.table(runs()),
        "qpOASES": lambda: homotopy.table(runs()[0], n_refits=plan(20, 3)),
        "small-changes": of(small_changes),
        "batch": lambda: small_changes.batch(
            plan(small_changes.BATCH_FULL, small_changes.BATCH_QUICK)
        ),
        "c-path": of(cost_path),
        "ordinary": ordinary_of(ordinary_data.ORDINARY),
        "further": ordinary_of(ordinary_data.FURTHER),
        "large-margins": of(large_margins),
        "regression": of(regression),
        "lasso": of(lasso),
        "linear-programs": of(linear_programs),
        "fits": of(fits),
        "additions": of(additions),
        "online": of(online),
        "slides": of(slides),
        "readings": of(readings),
        "influence": of(influence),
        "influence-regression": lambda: influence.regression(
            plan(influence.REGRESSION_FULL, influence.REGRESSION_QUICK)
        ),
        "data-values": of(data_values),
        "selective": of(selective),
        "selective-null": lambda: selective.null(plan(selective.FULL, selective.QUICK)),
        "conformal": of(conformal),
        "gradients": of(gradients),
        "gradients-layer": of(gradient_layer),
        "curves": of(curves),
        "example": lambda: curves.example(plan(curves.EXAMPLE_FULL, curves.EXAMPLE_QUICK)),
        "regions": of(regions),
        "memory": lambda: memory.table(plan(20_000, 400)),
        "caches": of(caches),
        "large-toy": of(large_toy),
        "scale": of(scale),
        "end-to-end": of(end_to_end),
        "growth": of(growth),
        "cluster": of(cluster),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all works")
    every = ", ".join(table_makers(quick=True))
    parser.add_argument("--tables", default="", metavar="NAME,...", help=f"some of {every}")
    options = parser.parse_args(arguments)
    names = options.tables.replace(",", " ").split()
    if wrong := [name for name in names if name not in table_makers(quick=True)]:
        parser.error(f"{', '.join(wrong)}: no such table. There are {every}.")
    run_tables(options.out, options.quick, names)
    print((options.out / "results.md").read_text(encoding="utf-8"), flush=True)
    print(f"Written to {options.out}: results.md, results.json and a CSV for each table.")


if __name__ == "__main__":
    main(sys.argv[1:])
