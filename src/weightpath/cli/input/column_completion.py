"""Names of columns, completed by the shell."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

__all__ = ["complete_column"]

# How much of a file is read for the names of its columns.
GLANCE = 65_536


def complete_column(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the CSV file on the command line that begin as the word does."""
    from weightpath.datasets.tables import is_number, open_unpacked

    # While an option waits for its value, arguments are not assigned yet.
    words = [word for word in context.args if not word.startswith("-")]
    data = context.params.get("data") or (words[0] if words else None)
    if data is None:
        return []
    file = Path(data)
    try:
        with open_unpacked(file) as stream:
            line = stream.read(GLANCE).decode("utf-8-sig").split("\n", 1)[0]
    except (OSError, EOFError, UnicodeDecodeError):
        return []
    separator = max(",\t;|", key=line.count)
    names = [name.strip().strip('"') for name in line.split(separator)]
    if all(is_number(name) for name in names):
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
