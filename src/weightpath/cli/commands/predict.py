"""The command ``weightpath predict`` and its options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from weightpath.cli.commands.data_command import DataCommand
from weightpath.cli.errors import EXIT_CODES
from weightpath.cli.help import SectionOption, add_options
from weightpath.cli.input.data_options import READING_OPTIONS

__all__ = ["predict"]

_option = partial(click.option, cls=SectionOption, section="Output")

COLUMNS = [
    ("prediction", "the label, in the words of the training table, or the number"),
    ("decision:LABEL", "how clearly; of two classes only that of the second: LABEL if positive"),
    ("decision", "of a model of one class: positive is normal, prediction 1"),
    ("score", "of a ranking: the higher, the earlier within a query"),
]
CODES = [EXIT_CODES[0], EXIT_CODES[1], EXIT_CODES[2], ("130", "interrupted by Ctrl-C")]

OPTIONS = [
    _option(
        "--out",
        type=click.Path(path_type=Path, allow_dash=True),
        default=Path("predictions.csv"),
        show_default=True,
        metavar="FILE",
        help="The CSV file to write, a row for each row of DATA; - is standard output.",
    ),
    _option(
        "--copy",
        metavar="COL",
        multiple=True,
        help="A column of DATA to repeat before the predictions, such as an identifier; may be "
        "repeated.",
    ),
    _option(
        "--json",
        "as_json",
        is_flag=True,
        help="Print one JSON object on standard output, and nothing else.",
    ),
]


@click.command(
    cls=DataCommand,
    tables={"Columns of FILE": COLUMNS, "Exit codes": CODES},
    examples=[
        (
            "weightpath predict weightpath-select/model.skops new.csv --out predictions.csv",
            "predictions for new rows",
        ),
        (
            "weightpath predict weightpath-trace customers.xlsx --copy customer_id --out -",
            "on standard output, with a column of the table",
        ),
    ],
)
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("data", type=click.Path(path_type=Path))
@partial(add_options, options=[*READING_OPTIONS, *OPTIONS])
def predict(**options: Any) -> None:
    """Predict new rows by a model that trace or select has written.

    MODEL is a model.skops, or the folder that it is in. DATA is a table as the training table was:
    its columns are found by name, whatever their order, and those that the model does not use are
    ignored. Missing values, texts and dates are treated as in training.
    """
    from weightpath.cli.commands.predict_run import run_predict

    run_predict(options)
