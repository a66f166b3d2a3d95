"""How a command ends: exit codes, errors of one line, and errors of the library as such lines."""

from __future__ import annotations

import click

from weightpath.errors import Advice, PathError

__all__ = [
    "BAD_INPUT",
    "EXIT_CODES",
    "FINE",
    "INTERRUPTED",
    "UNEXPECTED",
    "UNFINISHED",
    "CommandError",
    "InputError",
    "UnfinishedError",
    "UserInterruptError",
    "explained",
]

FINE, UNEXPECTED, BAD_INPUT, UNFINISHED, INTERRUPTED = 0, 1, 2, 3, 130

EXIT_CODES = [
    ("0", "all is well"),
    ("1", "something unexpected, a defect: please report it"),
    ("2", "bad input or usage: the message says what to do; nothing was written"),
    ("3", "the path could not be completed; what there is of it was written"),
    ("130", "interrupted by Ctrl-C; what there is of the path was written"),
]


class CommandError(click.ClickException):
    """An end of a command that one line explains.

    Parameters
    ----------
    message : str
        What is wrong and what to do; line breaks become spaces.
    """

    def __init__(self, message: str):
        super().__init__(" ".join(str(message).split()))


class InputError(CommandError):
    """The data or the options will not do."""

    exit_code = BAD_INPUT


class UnfinishedError(CommandError):
    """No path, or only its beginning, could be followed."""

    exit_code = UNFINISHED


class UserInterruptError(CommandError):
    """Interrupted by the user."""

    exit_code = INTERRUPTED


def explained(error: Exception) -> str:
    """Return what an error of the library says, with advice in the words of the command line."""
    if not isinstance(error, PathError):
        return str(error)
    if error.advice is None:
        return error.message
    return f"{error.message} {error.advice.worded(_as_option)}"


def _as_option(name: str, value: str | float | None) -> str:
    option = f"--{name.replace('_', '-')}"
    return option if value is None else f"{option} {Advice.plain(value)}"
