"""Run all benchmarks and write ``results.md``, ``results.json`` and one CSV for each table."""

from __future__ import annotations

import argparse
from pathlib import Path

from weightpath.benchmarks.tables import run_tables


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(prog="python -m weightpath.benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that all works")
    options = parser.parse_args(arguments)
    print(run_tables(options.out, options.quick), flush=True)
    print(f"Written to {options.out}: results.md, results.json and a CSV for each table.")


if __name__ == "__main__":
    main()
