"""Small tables for notebooks, and tables of pandas."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

__all__ = ["html_table", "pandas_for"]


def pandas_for(what: str) -> Any:
    """Return pandas; raise in one sentence that names what needs it where it is missing."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{what} needs pandas: pip install pandas.") from error
    return pandas


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
