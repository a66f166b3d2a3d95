"""What ``trace`` and ``select`` share: each ends with a line, an exit code and JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from weightpath.cli.errors import (
    BAD_INPUT,
    INTERRUPTED,
    UNEXPECTED,
    CommandError,
    InputError,
    UserInterruptError,
)
from weightpath.cli.help import RichCommand
from weightpath.cli.interrupts import MESSAGE

__all__ = ["DataCommand"]


class DataCommand(RichCommand):
    """A command on files: errors are one line each and, with ``--json``, an object as well."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the options; an error of usage is one line, too."""
        wants_json = "--json" in args
        try:
            self.read_ahead(args)
            rest: list[str] = super().parse_args(context, args)
            return rest
        except click.UsageError as error:
            text = error.format_message().rstrip(".")
            problem = InputError(f"{text}. {context.command_path} --help lists the options.")
            _tell(problem.message, BAD_INPUT, wants_json)
            raise problem from None

    def read_ahead(self, args: list[str]) -> None:
        """Look at the words before they are read as options; nothing to see by default."""

    def invoke(self, context: click.Context) -> Any:
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
            _tell(MESSAGE, INTERRUPTED, wants_json)
            raise UserInterruptError(MESSAGE) from None
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
