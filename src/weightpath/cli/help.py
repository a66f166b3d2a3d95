"""Help pages by rich-click: usage, what it does, commands or options in panels, examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click
import rich_click
from rich.console import Group
from rich.panel import Panel
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

# The bases of rich-click have no types.
_Command: Any = rich_click.RichCommand
_Group: Any = rich_click.RichGroup
_Option: Any = rich_click.RichOption

HELP = rich_click.RichHelpConfiguration(
    max_width=MAX_WIDTH,
    padding_helptext_first_line=(0, 0, 1, 0),
    options_table_column_types=["opt_all", "metavar", "help"],
    commands_before_options=True,
    style_options_panel_border="dim",
    style_commands_panel_border="dim",
    style_options_panel_title_style="bold",
    style_commands_panel_title_style="bold",
    options_panel_title="Other options",
    style_helptext="",
    text_markup="ansi",
    text_paragraph_linebreaks="\n\n",
)


def add_options(command: Function, options: Sequence[Callable[[Any], Any]]) -> Function:
    """Return a command with options (decorators of click), in the order of the help."""
    for option in reversed(options):
        command = option(command)
    return command


class SectionOption(_Option):  # type: ignore[misc]
    """An option with its section of the help page.

    Parameters
    ----------
    section : str
        The heading of the panel in which it stands.
    """

    def __init__(self, *args: Any, section: str = "Options", **kwargs: Any):
        super().__init__(*args, panel=section, **kwargs)

    def get_help_extra(self, context: click.Context) -> Any:
        """Return what stands in brackets: bounds of numbers are left to the error."""
        extra = super().get_help_extra(context)
        extra.pop("range", None)
        return extra


class RichCommand(_Command):  # type: ignore[misc]
    """A command whose help is laid out by rich-click; its errors are one line each.

    Parameters
    ----------
    examples : sequence of (str, str)
        Commands, and a comment on each.
    tables : mapping of str to sequence of (str, str)
        More to know, by heading: words and what they mean. They stand after the options.
    """

    # That of rich-click puts errors into boxes of several lines.
    main = click.Command.main

    def __init__(
        self,
        *args: Any,
        examples: Rows = (),
        tables: Mapping[str, Rows] | None = None,
        **kwargs: Any,
    ):
        kwargs["context_settings"] = {
            "rich_help_config": HELP,
            **kwargs.get("context_settings", {}),
        }
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.tables = tables or {}

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write what stands after the options."""
        for heading, rows in self.tables.items():
            formatter.write(_panel(heading, rows))
        if self.examples:
            formatter.write(_example_panel(self.examples))


class LazyGroup(_Group):  # type: ignore[misc]
    """A group that loads a command when it is called; its help loads none.

    Parameters
    ----------
    package : str
        Where the commands are: each in the module of its name, as the function of its name.
    summaries : mapping of str to str
        Every command and what it does, in the order of the help.
    examples : sequence of (str, str)
        Commands, and a comment on each.
    """

    main = click.Group.main

    def __init__(
        self,
        *args: Any,
        package: str,
        summaries: Mapping[str, str],
        examples: Rows = (),
        **kwargs: Any,
    ):
        kwargs["context_settings"] = {
            "rich_help_config": HELP,
            **kwargs.get("context_settings", {}),
        }
        super().__init__(*args, **kwargs)
        self.package = package
        self.summaries = summaries
        self.examples = tuple(examples)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loaded now if it was not before; None if there is none."""
        if cmd_name not in self.summaries:
            return None
        command: click.Command = getattr(import_module(f"{self.package}.{cmd_name}"), cmd_name)
        return command

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write commands and options; rich-click would load all commands for it."""
        formatter.write(_panel("Commands", list(self.summaries.items())))
        records = [parameter.get_help_record(ctx) for parameter in self.get_params(ctx)]
        formatter.write(_panel("Options", [record for record in records if record]))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        formatter.write(_example_panel(self.examples))


def _panel(heading: str, rows: Rows) -> Panel:
    """Return words and their meaning in two columns."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for left, right in rows:
        table.add_row(Text(left), Text(right))
    return _framed(heading, table)


def _example_panel(rows: Rows) -> Panel:
    """Return commands below what they do, in lines that can be copied."""
    lines = []
    for command, comment in rows:
        lines += [Text(comment), Text(f"  {_continued(command, MAX_WIDTH - 20)}", style="cyan")]
    return _framed("Examples", Group(*lines))


def _framed(heading: str, content: Any) -> Panel:
    return Panel(content, title=Text(heading, style="bold"), title_align="left", border_style="dim")


def _continued(command: str, width: int) -> str:
    """Return a command in lines of at most this width, broken before options."""
    lines = [""]
    for word in command.replace(" --", "\n--").split("\n"):
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return " \\\n    ".join(lines)
