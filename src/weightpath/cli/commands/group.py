"""The group ``weightpath``: its commands are loaded when one is called, not before."""

from __future__ import annotations

import click

from weightpath.cli.help import LazyGroup

__all__ = ["COMMANDS", "weightpath"]

# A summary of each, so that the help loads none of them; a test compares it with the command's own.
COMMANDS = {
    "demo": "Follow a path on built-in data, check it, time it and draw it.",
    "trace": "Follow the exact path of a model on a table, from one set of weights to another.",
    "select": "Choose weights between two sets of them by exact cross-validation.",
    "predict": "Predict new rows by a model that trace or select has written.",
    "reproduce": "Run the paper's experiments and report them beside the paper's figures.",
    "bench": "Time whole paths beside what one would use instead.",
    "completion": "Print what makes a shell complete commands, options and columns.",
}


def _print_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    # Reading the metadata of the installed package takes longer than all the rest.
    from weightpath import __version__

    click.echo(f"weightpath, version {__version__}")
    context.exit()


@click.group(
    cls=LazyGroup,
    package="weightpath.cli.commands",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    examples=[
        ("weightpath demo --out demo", "see what it does, on built-in data"),
        ("weightpath select --help", "your own table: choose weights, keep the model"),
        ("weightpath predict --help", "use it on new rows"),
    ],
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def weightpath() -> None:
    """Exact solution paths of weighted support vector machines.

    Moves a trained model from one set of instance weights to another and gives every optimal
    solution on the way, with a certificate.
    """
