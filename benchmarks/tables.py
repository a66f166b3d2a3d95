"""All tables about the library itself, in one run: ``python -m benchmarks.tables --out DIR``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import (
    accuracy,
    additions,
    bars,
    curves,
    fits,
    homotopy,
    influence,
    lasso,
    machine,
    memory,
    regression,
    report,
    speed,
)
from benchmarks.threads import one_thread


def run_tables(out: Path, quick: bool = False) -> str:
    """Measure everything, write it to ``out`` and return the page in Markdown."""
    with one_thread():
        tables = _measure(quick)
        tables["bars"] = bars.judge(tables)
        return report.write(out, machine.facts(), tables)


def _measure(quick: bool) -> dict[str, list[dict]]:
    runs = [speed.measure(size) for size in (speed.QUICK if quick else speed.FULL)]
    return {
        "speed": speed.table(runs),
        "accuracy": accuracy.table(runs),
        "qpOASES": homotopy.table(runs[0], n_refits=3 if quick else 20),
        "regression": regression.table(regression.QUICK if quick else regression.FULL),
        "lasso": lasso.table(lasso.QUICK if quick else lasso.FULL),
        "fits": fits.table(fits.QUICK if quick else fits.FULL),
        "additions": additions.table(additions.QUICK if quick else additions.FULL),
        "influence": influence.table(influence.QUICK if quick else influence.FULL),
        "curves": curves.table(curves.QUICK if quick else curves.FULL),
        "example": curves.example(curves.EXAMPLE_QUICK if quick else curves.EXAMPLE_FULL),
        "memory": memory.table(400 if quick else 20_000),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all works")
    options = parser.parse_args(arguments)
    print(run_tables(options.out, options.quick), flush=True)
    print(f"Written to {options.out}: results.md, results.json and a CSV for each table.")


if __name__ == "__main__":
    main()
