"""``weightpath completion``: completion of commands, options and columns by the shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from weightpath.cli.help import RichCommand

__all__ = ["completion"]

SHELLS = {
    "bash": 'eval "$(weightpath completion bash)"    # in ~/.bashrc',
    "zsh": 'eval "$(weightpath completion zsh)"     # in ~/.zshrc',
    "fish": "weightpath completion fish | source     # in ~/.config/fish/config.fish",
}


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
