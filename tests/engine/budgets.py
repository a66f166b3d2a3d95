"""How wrong an acceptance test may be: ten times what was recorded for that very case.

One limit for all would let a case that is right to 1e-15 become wrong by seven orders of magnitude
unseen. ``budgets.json`` has the largest figure of every case over several BLAS kernels. Those below
FLOOR, what the engine itself takes for rounding, count as FLOOR: other processors round
differently. To record anew, in one process::

    WEIGHTPATH_RECORD_BUDGETS=new.json python -m pytest -c pyproject.toml -p no:xdist tests/engine
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from weightpath import tolerances

__all__ = ["LIMIT", "within_budget"]

# No case may be worse than this, whatever was recorded.
LIMIT = 1e-8
FLOOR = tolerances.RESIDUAL
FACTOR = 10.0

# Tests that have no figure of their own: their problems are other ones at every run, or hundreds
# for each test (those that run with --slow).
MANY = (
    "test_tiny_paths",
    "test_fresh_tiny_paths",
    "test_tiny_starts",
    "test_more_seeds",
    "test_the_same_path_on_many_more",
)

FILE = Path(__file__).with_name("budgets.json")
RECORDING = os.environ.get("WEIGHTPATH_RECORD_BUDGETS")

_recorded: dict[str, float] = {}


@cache
def budgets() -> dict[str, float]:
    """Return the recorded figure of each case."""
    return json.loads(FILE.read_text())


def running_case() -> str:
    """Return the name of the test that is running: its file, its name and its parameters."""
    words = os.environ["PYTEST_CURRENT_TEST"].rsplit(" (", 1)[0]
    return words.removeprefix("tests/engine/")


def within_budget(figure: float) -> bool:
    """Return whether a figure of the running test is within its budget.

    Parameters
    ----------
    figure : float
        A violation or a difference, relative.
    """
    case = running_case()
    if case.rpartition("::")[2].partition("[")[0] in MANY:
        return figure <= LIMIT
    if RECORDING:
        _recorded[case] = max(_recorded.get(case, 0.0), float(figure))
        ordered = {name: float(f"{_recorded[name]:.2g}") for name in sorted(_recorded)}
        Path(RECORDING).write_text(json.dumps(ordered, indent=0) + "\n")
        return figure <= LIMIT
    if case not in budgets():
        raise LookupError(f"{case} has no budget: record it as the head of budgets.py says.")
    budget = min(LIMIT, FACTOR * max(budgets()[case], FLOOR / FACTOR))
    if figure > budget:
        print(f"{figure:.2g} is beyond the budget of {budget:.2g}")
    return figure <= budget
