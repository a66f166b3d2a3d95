"""Tables of a run into the page of the documentation: ``python -m benchmarks.page RESULTS.json``.

Under a heading that names a table of the run ("Small changes" is ``small-changes``) the table is
replaced; the text around it stays. If the page has tables that the run has not, the lines about the
machine stay and only those bars are replaced that the run has: then say in the text what is of
which run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import grid

__all__ = ["renewed"]

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def renewed(page: str, results: Mapping[str, Any]) -> tuple[str, list[str], list[str]]:
    """Return the page with the tables of a run, their names, and the names of tables kept."""
    given = {name.lower(): rows for name, rows in results.items() if name != "machine" and rows}
    sections = re.split(r"(?m)^(?=## )", page)
    names = [slug(section.splitlines()[0].removeprefix("## ")) for section in sections[1:]]
    kept = [name for name in names if name not in given and name in _measured()]
    for k, name in enumerate(names, 1):
        if name in given:
            new = grid(given[name])
            if name == "bars" and kept:
                new = _merged(sections[k], new)
            sections[k] = _with_block(sections[k], "|", new)
    if not kept:
        facts = [f"- {name}: {value}" for name, value in results["machine"].items()]
        sections[0] = _with_block(sections[0], "- ", facts)
    return "".join(sections), [name for name in names if name in given], kept


def slug(heading: str) -> str:
    """Return the name of the table that a heading stands for."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _measured() -> set[str]:
    from benchmarks.tables import table_makers

    return {name.lower() for name in table_makers(quick=True)}


def _merged(section: str, new: Sequence[str]) -> list[str]:
    """Return the old bars, in which those of the run replace theirs or stand at the end."""
    by_name = {line.split(" | ")[0]: line for line in new}
    old = [line for line in section.splitlines() if line.startswith("|")]
    lines = [by_name.pop(line.split(" | ")[0], line) for line in old]
    return lines + list(by_name.values())


def _with_block(text: str, mark: str, new: Sequence[str]) -> str:
    """Replace the first block of lines that begin with a mark, or add one at the end."""
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if line.startswith(mark)), None)
    if first is None:
        return text.rstrip("\n") + "\n\n" + "\n".join(new) + "\n\n"
    last = first
    while last < len(lines) and lines[last].startswith(mark):
        last += 1
    return "\n".join([*lines[:first], *new, *lines[last:]]) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("results", type=Path, help="results.json of a run of the tables")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page; default: %(default)s")
    options = parser.parse_args(arguments)
    results = json.loads(options.results.read_text(encoding="utf-8"))
    page, put, kept = renewed(options.page.read_text(encoding="utf-8"), results)
    options.page.write_text(page, encoding="utf-8")
    print(f"Replaced in {options.page}: {', '.join(put) or 'nothing'}.")
    if kept:
        print(f"Kept, with the lines about the machine: {', '.join(kept)}.")


if __name__ == "__main__":
    main(sys.argv[1:])
