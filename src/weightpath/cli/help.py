"""Help pages: usage, what it does, commands or options, examples; in colour on a terminal."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import StringIO
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["Function", "LazyGroup", "ParameterType", "RichCommand", "SectionOption", "add_options"]

MAX_WIDTH = 88

# Words, and what they mean.
Rows = Sequence[tuple[str, str]]
Function = TypeVar("Function", bound=Callable[..., Any])

# Newer versions of click have a parameter for the type of the values; older ones refuse it.
if TYPE_CHECKING:
    ParameterType = click.ParamType[Any]
else:
    ParameterType = click.ParamType


def add_options(command: Function, options: Sequence[Callable[[Any], Any]]) -> Function:
    """Return a command with options (decorators of click), in the order of the help."""
    for option in reversed(options):
        command = option(command)
    return command


class SectionOption(click.Option):
    """An option with its section of the help page.

    Parameters
    ----------
    section : str
        The heading under which it stands.
    """

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.section = section

    def get_help_extra(self, context: click.Context) -> Any:
        """Return what stands in brackets: bounds of numbers are left to the error."""
        extra = super().get_help_extra(context)
        extra.pop("range", None)
        return extra


class RichCommand(click.Command):
    """A command whose help is laid out by rich.

    Parameters
    ----------
    examples : sequence of (str, str)
        Commands, and a comment on each.
    tables : mapping of str to sequence of (str, str)
        More to know, by heading: words and what they mean. They stand after the options.
    """

    def __init__(
        self,
        *args: Any,
        examples: Rows = (),
        tables: Mapping[str, Rows] | None = None,
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.tables = tables or {}

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole page."""
        with _page(self, context, formatter) as console:
            _print_options(console, self, context)
            for heading, rows in self.tables.items():
                _print_section(console, heading, rows)
            _print_section(console, "Examples", self.examples, wide=True)


class LazyGroup(click.Group):
    """A group that loads a command when it is called; its help, laid out by rich, loads none.

    Parameters
    ----------
    package : str
        Where the commands are: each in the module of its name, as the function of its name.
    summaries : mapping of str to str
        Every command and what it does, in the order of the help.
    examples : sequence of (str, str)
        Commands, and a comment on each.
    """

    def __init__(
        self,
        *args: Any,
        package: str,
        summaries: Mapping[str, str],
        examples: Rows = (),
        **kwargs: Any,
    ):
        super().__init__(*args, **kwargs)
        self.package = package
        self.summaries = summaries
        self.examples = tuple(examples)

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.summaries)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, loaded now if it was not before; None if there is none."""
        if name not in self.summaries:
            return None
        command: click.Command = getattr(import_module(f"{self.package}.{name}"), name)
        return command

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole page."""
        with _page(self, context, formatter) as console:
            _print_section(console, "Commands", list(self.summaries.items()))
            _print_options(console, self, context)
            _print_section(console, "Examples", self.examples, wide=True)


@contextmanager
def _page(
    command: click.Command, context: click.Context, formatter: click.HelpFormatter
) -> Iterator[Console]:
    """Give a console to print sections on, after usage and description; then write the page."""
    stream = StringIO()
    # click removes the colours again where the output is not a terminal.
    console = Console(
        file=stream,
        force_terminal=True,
        color_system="standard",
        highlight=False,
        width=min(get_terminal_size().columns, MAX_WIDTH),
    )
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    console.print(Text.assemble(("Usage: ", "bold"), usage, "\n"))
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        console.print(Padding(Text(" ".join(paragraph.split())), (0, 2, 1, 2)))
    yield console
    lines = [line.rstrip() for line in stream.getvalue().rstrip().splitlines()]
    formatter.write("\n".join(lines) + "\n")


def _print_options(console: Console, command: click.Command, context: click.Context) -> None:
    """Print the options under their headings, in the order in which these first come."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        # Arguments stand in the description.
        if record and isinstance(parameter, click.Option):
            heading = getattr(parameter, "section", "Options")
            sections.setdefault(heading, []).append(record)
    # What all commands have, such as --help, comes last.
    common = sections.pop("Options", [])
    for heading, records in sections.items():
        _print_section(console, heading, records)
    _print_section(console, "Other options" if sections else "Options", common)


def _print_section(console: Console, heading: str, rows: Rows, wide: bool = False) -> None:
    """Print words and their meaning in two columns or, ``wide``, one below the other if long."""
    if not rows:
        return
    console.print(Text(heading, style="bold"))
    if wide and max(len(left) for left, _ in rows) > console.width // 2:
        for left, right in rows:
            console.print(Padding(Text(right), (0, 0, 0, 2)))
            lines = _continued(left, console.width - 10)
            console.print(Padding(Text(lines, style="cyan"), (0, 0, 1, 4)))
        return
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    console.print(Padding(table, (0, 0, 1, 2)))


def _continued(command: str, width: int) -> str:
    """Return a command in lines of at most this width, broken before options."""
    lines = [""]
    for word in command.replace(" --", "\n--").split("\n"):
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return " \\\n  ".join(lines)
