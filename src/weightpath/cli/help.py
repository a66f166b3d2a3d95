"""Help pages: usage, what it does, commands or options, examples; in colour on a terminal."""

from __future__ import annotations

import inspect
from io import StringIO
from shutil import get_terminal_size

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["RichCommand", "RichGroup"]

MAX_WIDTH = 88


class RichCommand(click.Command):
    """A command whose help is laid out by rich; ``examples`` are (command, comment) pairs."""

    def __init__(self, *args, examples=(), **kwargs):
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole page."""
        _write_page(self, context, formatter, {}, self.examples)


class RichGroup(click.Group):
    """A group whose help is laid out by rich; ``examples`` are (command, comment) pairs."""

    def __init__(self, *args, examples=(), **kwargs):
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole page."""
        _write_page(self, context, formatter, self.commands, self.examples)


def _write_page(command: click.Command, context, formatter, commands, examples) -> None:
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
    summaries = [(name, one.get_short_help_str(limit=100)) for name, one in commands.items()]
    records = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    _print_section(console, "Commands", summaries)
    _print_section(console, "Options", [record for record in records if record])
    _print_section(console, "Examples", examples)
    lines = [line.rstrip() for line in stream.getvalue().rstrip().splitlines()]
    formatter.write("\n".join(lines) + "\n")


def _print_section(console: Console, heading: str, rows) -> None:
    if not rows:
        return
    console.print(Text(heading, style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    console.print(Padding(table, (0, 0, 1, 2)))
