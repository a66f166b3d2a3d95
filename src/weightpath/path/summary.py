"""What is said of a path in one line, and in a small table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weightpath.small_tables import html_table

if TYPE_CHECKING:
    from weightpath.path.solution_path import SolutionPath

__all__ = ["summary", "summary_table"]


def summary(path: SolutionPath) -> str:
    """Return one line about a path."""
    parts = "" if path.is_single else f"{len(path.parts)} parts, "
    what = path.parts[0].own_rows.rows_are
    end = "" if path.theta[-1] == 1.0 else f", stopped at theta={path.theta[-1]:.6g}"
    after = "" if path.preparation is None else f", after {_steps(path)}"
    return (
        f"<SolutionPath: {path.n_rows} {what}, {parts}{path.n_events} events, "
        f"{len(path)} segments{end}{after}>"
    )


def summary_table(path: SolutionPath) -> str:
    """Return a small table about a path, for notebooks."""
    rows = [
        (path.parts[0].own_rows.rows_are, path.n_rows),
        ("events", path.n_events),
        ("segments", len(path)),
        ("theta", f"0 to {path.theta[-1]:.6g}"),
        ("status", str(path.status)),
    ]
    if not path.is_single:
        rows.insert(1, ("subproblems", len(path.parts)))
    if path.preparation is not None:
        rows.append(("raw rows go through", _steps(path)))
    return html_table("Solution path", rows)


def _steps(path: SolutionPath) -> str:
    steps = [] if path.preparation is None else path.preparation.transformers
    return ", ".join(type(step).__name__ for step in steps) or "no transformers"
