"""Completion of commands, options and names of columns by the shell."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from weightpath.cli.help import RichCommand

__all__ = ["complete_column", "completion"]

SHELLS = {
    "bash": 'eval "$(weightpath completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(weightpath completion zsh)"     # in ~/.zshrc',
    "fish": "weightpath completion fish | source     # in ~/.config/fish/config.fish",
}

# How much of a file is looked at for the names of its columns.
GLANCE = 65_536


@click.command(
    cls=RichCommand,
    tables={"Use": list(SHELLS.items())},
    examples=[('eval "$(weightpath completion bash)"', "complete in this shell, from now on")],
)
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print what makes a shell complete commands, options and columns.

    Evaluate it in the start file of the shell. Afterwards the tab key completes commands, options,
    their values and, after the name of a CSV file with a header, its columns.
    """
    root = click.get_current_context().find_root().command
    found = get_completion_class(shell)
    if found is None:
        raise click.ClickException(f"click knows no completion for {shell}.")
    click.echo(found(root, {}, "weightpath", "_WEIGHTPATH_COMPLETE").source())


def complete_column(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the columns of the CSV file on the command line that begin as the word does."""
    from weightpath.datasets.tables import OPENERS, is_number

    # While an option waits for its value, arguments are not assigned yet.
    words = [word for word in context.args if not word.startswith("-")]
    data = context.params.get("data") or (words[0] if words else None)
    if data is None:
        return []
    file = Path(data)
    try:
        with OPENERS.get(file.suffix.lower(), open)(file, "rb") as stream:
            line = stream.read(GLANCE).decode("utf-8-sig").split("\n", 1)[0]
    except (OSError, EOFError, UnicodeDecodeError):
        return []
    separator = max(",\t;|", key=line.count)
    names = [name.strip().strip('"') for name in line.split(separator)]
    if all(is_number(name) for name in names):
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
