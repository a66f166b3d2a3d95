"""Run all benchmarks and write ``results.md``, ``results.json`` and one CSV for each table."""

from __future__ import annotations

import argparse
from pathlib import Path

from weightpath.benchmarks import (
    accuracy,
    additions,
    bars,
    curves,
    homotopy,
    influence,
    lasso,
    machine,
    memory,
    regression,
    report,
    speed,
)


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m weightpath.benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all works")
    options = parser.parse_args(arguments)
    plan = speed.QUICK if options.quick else speed.FULL
    runs = [speed.measure(size) for size in plan]
    tables = {
        "speed": speed.table(runs),
        "accuracy": accuracy.table(runs),
        "qpOASES": homotopy.table(runs[0], n_refits=3 if options.quick else 20),
        "regression": regression.table(regression.QUICK if options.quick else regression.FULL),
        "lasso": lasso.table(lasso.QUICK if options.quick else lasso.FULL),
        "additions": additions.table(additions.QUICK if options.quick else additions.FULL),
        "influence": influence.table(influence.QUICK if options.quick else influence.FULL),
        "curves": curves.table(curves.QUICK if options.quick else curves.FULL),
        "example": curves.example(curves.EXAMPLE_QUICK if options.quick else curves.EXAMPLE_FULL),
        "memory": memory.table(400 if options.quick else 20_000),
    }
    tables["bars"] = bars.judge(tables)
    report.write(options.out, machine.facts(), tables)


if __name__ == "__main__":
    main()
