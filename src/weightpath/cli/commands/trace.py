"""The command ``weightpath trace`` and its options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from weightpath.cli.commands.judging_command import JudgingCommand
from weightpath.cli.errors import EXIT_CODES
from weightpath.cli.help import Function, SectionOption, add_options
from weightpath.cli.input.data_options import data_options
from weightpath.cli.input.judging_options import TRACE_OPTIONS, judging_options
from weightpath.cli.input.model_options import model_options
from weightpath.cli.input.weight_options import MEANINGS, weight_options

__all__ = ["output_options", "trace"]

_option = partial(click.option, cls=SectionOption, section="Output")

FILES = [
    ("model.skops", "the model at the best theta (or the last), for weightpath predict"),
    ("path.npz", 'the path, for weightpath.load("path.npz")'),
    ("events.csv", "every change of the sets: theta, index (rows count from 0), from, to"),
    ("curve.csv", "the exact curve: intervals of theta and the polynomial on each"),
    ("path.png, curve.png", "pictures, if Matplotlib is installed"),
    ("path.html", "with --html: the path to play with, in any browser"),
    ("summary.md, .json", "what is printed, and more"),
]


def output_options(default: str) -> Callable[[Function], Function]:
    """Return a decorator that gives a command the options of its output."""
    options = [
        _option(
            "--out",
            type=click.Path(path_type=Path),
            default=Path(default),
            show_default=True,
            metavar="DIR",
            help="Folder of the results; made if not there. Earlier results in it are replaced.",
        ),
        _option(
            "--json",
            "as_json",
            is_flag=True,
            help="Print one JSON object on standard output, and nothing else.",
        ),
        _option(
            "--yes",
            is_flag=True,
            help="Do not ask before work of more than ten minutes (by an estimate).",
        ),
    ]

    def decorate(command: Function) -> Function:
        return add_options(command, options)

    return decorate


@click.command(
    cls=JudgingCommand,
    tables={"What W may be": MEANINGS, "Files in DIR": FILES, "Exit codes": EXIT_CODES},
    examples=[
        (
            "weightpath trace mails.csv --target spam --task classification --end forgetting:3",
            "fade out old mails, oldest first in the file",
        ),
        (
            "weightpath trace houses.csv --target -1 --task regression "
            "--end importance:new-houses.csv --cv 5",
            "how far to trust importance weights, by exact cross-validation",
        ),
        (
            "weightpath trace S1.txt.gz --task ranking --end relevance --C 0.001 "
            "--validation S4.txt.gz --metric ndcg --k 10",
            "from uniform to relevance weights, judged by exact NDCG",
        ),
    ],
)
@data_options
@weight_options
@model_options
@partial(judging_options, own=TRACE_OPTIONS)
@output_options("weightpath-trace")
@_option(
    "--html",
    is_flag=True,
    help="Write path.html, too: one page, without a network, on which theta moves everything.",
)
def trace(**options: Any) -> None:
    """Follow the exact path of a model on a table, from one set of weights to another.

    DATA is a table with one row for each instance: CSV, Excel, Parquet or svmlight, packed (.gz,
    .bz2, .xz) or not. All columns except the target, the query and weights are features: numbers
    are scaled, texts and dates encoded, missing values filled. All this is kept with the model.

    The solution at the start weights is followed to the end weights (theta from 0 to 1); with
    --validation or --cv the best theta in between is found, the best of all and not of a grid.
    Ctrl-C ends the path where it is and writes it.
    """
    from weightpath.cli.commands.run import run_command
    from weightpath.cli.commands.trace_run import run_trace

    run_command(run_trace, options)
