"""The command ``weightpath select`` and its options."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from weightpath.cli.commands.judging_command import JudgingCommand
from weightpath.cli.commands.trace import output_options
from weightpath.cli.errors import EXIT_CODES
from weightpath.cli.help import Function, ParameterType, SectionOption, add_options
from weightpath.cli.input.data_options import data_options
from weightpath.cli.input.judging_options import SELECT_OPTIONS, judging_options
from weightpath.cli.input.model_options import GAMMA, PositiveNumber, model_options
from weightpath.cli.input.weight_options import MEANINGS, weight_options

__all__ = ["select"]

_option = partial(click.option, cls=SectionOption, section="Search")

FILES = [
    ("curve.csv", "the exact mean curve over folds, at the chosen point of the grid"),
    ("fold_curves.csv", "those of the folds"),
    ("weights.csv", "the weights at both ends and the chosen ones, row by row"),
    ("model.skops", "the chosen model on all rows, for weightpath predict"),
    ("path.npz", "the path on all rows, for weightpath.load"),
    ("grid.csv", "every point of the grid with its best theta"),
    ("curve.png, path.png", "pictures, if Matplotlib is installed"),
    ("summary.md, .json", "what is printed, and more"),
]
CODES = [
    *EXIT_CODES[:3],
    ("3", "a path could not be completed; nothing was written"),
    ("130", "interrupted by Ctrl-C; nothing was written"),
]


class NumberList(ParameterType):
    """Values with commas between them, each of one type."""

    name = "list"

    def __init__(self, kind: ParameterType):
        self.kind = kind

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[Any, ...]:
        """Return the values as a tuple."""
        if isinstance(value, tuple):
            return value
        words = [word for word in value.replace(",", " ").split() if word]
        return tuple(self.kind.convert(word, parameter, context) for word in words)


OPTIONS = [
    _option(
        "--grid-C",
        "grid_C",
        type=NumberList(PositiveNumber()),
        multiple=True,
        metavar="LIST",
        help="Values of C to try, as in 1,10,100; may be repeated.",
    ),
    _option(
        "--grid-gamma",
        type=NumberList(GAMMA),
        multiple=True,
        metavar="LIST",
        help="Values of gamma to try; every pair of both lists is a point of the grid.",
    ),
    _option(
        "--choice",
        type=click.Choice(["best", "one_standard_error"]),
        default="best",
        show_default=True,
        metavar="RULE",
        help="best, or one_standard_error: the theta nearest to one end that is as good up to one "
        "standard error over folds.",
    ),
    _option(
        "--towards",
        type=click.Choice(["start", "end"]),
        default="start",
        show_default=True,
        metavar="END",
        help="start or end: the end that one_standard_error stays near to.",
    ),
    _option(
        "--cluster",
        metavar="ADDRESS",
        help="A running Dask scheduler, host:port, whose workers trace the folds.",
    ),
]


def _search_options(command: Function) -> Function:
    return add_options(command, OPTIONS)


@click.command(
    cls=JudgingCommand,
    tables={"What W may be": MEANINGS, "Files in DIR": FILES, "Exit codes": CODES},
    examples=[
        (
            "weightpath select mails.csv --target spam --task classification --end spam=5 "
            "--metric balanced_accuracy",
            "how much more a spam should count, by exact 5-fold cross-validation",
        ),
        (
            "weightpath select houses.csv --target MEDV --task regression "
            "--end importance:new.csv --grid-C 1,10,100 --grid-gamma 0.01,0.1 --jobs -1",
            "with a grid around the paths, on all processors",
        ),
        (
            "weightpath select S1.txt.gz --task ranking --end relevance --metric ndcg --k 10 "
            "--cluster scheduler:8786",
            "a ranking, on a Dask cluster",
        ),
    ],
)
@data_options
@weight_options
@model_options
@partial(judging_options, own=SELECT_OPTIONS)
@_search_options
@output_options("weightpath-select")
def select(**options: Any) -> None:
    """Choose weights between two sets of them by exact cross-validation.

    DATA is a table with one row for each instance: CSV, Excel, Parquet or svmlight, packed (.gz,
    .bz2, .xz) or not. All columns except the target, the query and weights are features: numbers
    are scaled, texts and dates encoded, missing values filled, in every fold by its training rows.
    All this is kept with the model.

    On every fold the exact path from the start weights to the end weights is followed; the mean
    over folds of the metric is an exact function of theta, so that its best theta is the best of
    all. The model on all rows is the one at that theta.
    """
    from weightpath.cli.commands.run import run_command
    from weightpath.cli.commands.select_run import run_select

    search = {name: options.pop(name) for name in ("grid_C", "grid_gamma", "choice", "towards")}
    address = options.pop("cluster")
    n_points = 1
    for name in ("grid_C", "grid_gamma"):
        n_points *= max(1, sum(map(len, search[name])))
    run_command(partial(run_select, search=search, address=address), options, n_points)
