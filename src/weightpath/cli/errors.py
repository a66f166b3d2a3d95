"""What a command says when it cannot go on: one line, an exit code, and with --json an object."""

from __future__ import annotations

import json
import sys

import click

from weightpath.cli.help import RichCommand

__all__ = [
    "BAD_INPUT",
    "EXIT_CODES",
    "FINE",
    "INTERRUPTED",
    "UNEXPECTED",
    "UNFINISHED",
    "CommandError",
    "DataCommand",
    "InputError",
    "UnfinishedError",
    "UserInterruptError",
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
    """No path, or only a part of one, could be followed."""

    exit_code = UNFINISHED


class UserInterruptError(CommandError):
    """Interrupted by the user."""

    exit_code = INTERRUPTED


class DataCommand(RichCommand):
    """A command on files: errors are one line each and, with ``--json``, an object as well."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the options; an error of usage is one line, too."""
        wants_json = "--json" in args
        try:
            self.read_ahead(args)
            return super().parse_args(context, args)
        except click.UsageError as error:
            text = error.format_message().rstrip(".")
            problem = InputError(f"{text}. {context.command_path} --help lists the options.")
            _tell(problem.message, BAD_INPUT, wants_json)
            raise problem from None

    def read_ahead(self, args: list[str]) -> None:
        """Look at the words before they are read as options; nothing to see by default."""

    def invoke(self, context: click.Context):
        """Run the command and give every way to end its exit code."""
        wants_json = bool(context.params.get("as_json"))
        try:
            return super().invoke(context)
        except click.exceptions.Exit:
            raise
        except click.ClickException as error:
            _tell(error.format_message(), error.exit_code, wants_json)
            raise
        except KeyboardInterrupt:
            message = "Interrupted; nothing was written."
            _tell(message, INTERRUPTED, wants_json)
            raise UserInterruptError(message) from None
        except MemoryError as error:
            message = f"Out of memory ({error}). Take fewer rows, or a smaller --cache-size."
            _tell(message, UNEXPECTED, wants_json)
            raise CommandError(message) from error
        except Exception as error:
            _tell(f"{type(error).__name__}: {error}", UNEXPECTED, wants_json)
            raise


def _tell(message: str, code: int, wants_json: bool) -> None:
    if wants_json:
        click.echo(json.dumps({"error": message, "exit_code": code}))
        sys.stdout.flush()
