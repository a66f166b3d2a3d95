"""Small tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["html_table"]


def html_table(caption: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values for a notebook.

    Parameters
    ----------
    caption : str
        What the table is of.
    rows : iterable of (str, object)
        Names and values; a float is shown with six digits.

    Examples
    --------
    >>> from weightpath.small_tables import html_table
    >>> html_table("Toy", [("events", 3)]).count("<tr>")
    1
    """
    lines = [
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(_shown(value))}</td></tr>'
        for name, value in rows
    ]
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
