"""Commands of packages that stand beside the library, in a checkout of its repository."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from weightpath.cli.errors import InputError

__all__ = ["command_beside"]


def command_beside(name: str, package: str, summary: str) -> click.Command:
    """Return the command that hands its arguments over to one of a package beside the library.

    Parameters
    ----------
    name : str
        The command, here and in the package's module ``command``.
    package : str
        The folder of the repository that it is in.
    summary : str
        What it does, in a line.
    """

    @click.command(
        name,
        help=summary,
        # All options, --help as well, are those of the other command.
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def hand_over(arguments: tuple[str, ...]) -> None:
        path = click.get_current_context().command_path
        _load(name, package).main(args=list(arguments), prog_name=path)

    return hand_over


def _load(name: str, package: str) -> click.Command:
    here = Path.cwd()
    # Another project may have a folder of the same name.
    if not (here / package / "command.py").is_file() or not (here / "src" / "weightpath").is_dir():
        raise InputError(
            f"weightpath {name} is not part of the installed package but stands beside it: clone "
            f"the repository and say make {name} there, or python -m {package} --help."
        )
    if str(here) not in sys.path:
        sys.path.insert(0, str(here))
    found: click.Command = getattr(import_module(f"{package}.command"), name)
    return found
