"""The page of a path among the results."""

from __future__ import annotations

from typing import Any

from weightpath.cli.input.training_data import Rows
from weightpath.cli.output.folder import OutputFolder
from weightpath.curves import Curve
from weightpath.errors import PathError
from weightpath.path import SolutionPath

__all__ = ["write_page"]

# The whole path is certified before; a page needs only a few theta to show.
N_CHECKS = 5


def write_page(
    output: OutputFolder,
    path: SolutionPath,
    curve: Curve | None,
    rows: Rows | None,
    title: str,
) -> list[str]:
    """Write path.html, with the predictions of the given rows; return what the user should know."""
    given: dict[str, Any] = {}
    if rows is not None:
        given = {"X": rows.X, "y": rows.y, "qid": rows.qid}
        if path.classes is not None:
            given["sample_weight"] = rows.cost
    try:
        output.write(
            "path.html",
            lambda file: path.to_html(file, curve, title=title, n_checks=N_CHECKS, **given),
        )
    except (PathError, ValueError) as error:
        return [f"No page: {error}"]
    return []
