"""The table "Where does my change go?" in CONTRIBUTING.md names files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
CONTRIBUTING = CHECKOUT / "CONTRIBUTING.md"
HEADING = "## Where does my change go?"
FEWEST_ROWS = 40

# What a newcomer is most likely to change; each must have a row of its own.
CHANGES = (
    "a new kernel",
    "a new metric",
    "a new problem",
    "a new estimator",
    "a tolerance",
    "a colour in plots",
    "a new column in `path.events`",
    "a new move of the loop",
    "when the numbers are refreshed",
    "the format of saved paths",
    "an option of the model",
    "a new command",
    "the text or the look of the page",
    "an error class",
    "a data set",
    "a weight scheme",
    "a benchmark",
    "a way to choose theta",
)


def section(heading: str) -> str:
    """The lines from a heading to the next of its kind."""
    after = CONTRIBUTING.read_text(encoding="utf-8").partition(f"\n{heading}\n")[2]
    return after.partition("\n## ")[0]


def rows() -> list[list[str]]:
    """The cells of every change in the table; lines that only name a group are left out."""
    lines = [line for line in section(HEADING).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return [row for row in cells if not row[0].startswith("**")]


def files_in(text: str) -> list[str]:
    """What is written in backticks and has a folder, or the end of a file's name."""
    found = re.findall(r"`([^`\s]+)`", text)
    return [
        name for name in found if "/" in name or name.endswith((".py", ".md", ".toml", ".yaml"))
    ]


def test_the_table_has_a_row_for_every_common_change():
    changes = [row[0] for row in rows()]
    assert len(changes) >= FEWEST_ROWS
    assert len(set(changes)) == len(changes)
    assert [wanted for wanted in CHANGES if not any(wanted in one for one in changes)] == []


def test_every_row_has_three_cells_and_names_a_file_first():
    for row in rows():
        assert len(row) == 3, row
        assert files_in(row[1]), row


NAMED = sorted({name for row in rows() for name in files_in("".join(row))})


@pytest.mark.parametrize("name", NAMED)
def test_every_file_of_the_table_exists(name):
    assert (CHECKOUT / name).exists()


def test_names_in_the_table_are_in_their_files():
    """``name`` in ``file``: the file has the name."""
    for row in rows():
        for cell in row[1:]:
            for names, file in re.findall(r"`([\w.]+)` in `(\S+)`", cell):
                text = (CHECKOUT / file).read_text(encoding="utf-8")
                assert names.rpartition(".")[2] in text, (names, file)


def test_files_of_the_walk_exist():
    walk = section("## The architecture").partition("### The walk of one call\n")[2]
    names = [name for name in files_in(walk) if name.endswith((".py", ".pyx")) and "/" in name]
    named = [name for name in names if not name.startswith("tools/")]
    assert len(named) >= 10
    missing = [name for name in named if not (CHECKOUT / "src" / "weightpath" / name).exists()]
    assert missing == []
