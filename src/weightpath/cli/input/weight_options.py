"""Options for the weights at both ends of a path, and the words that they take."""

from __future__ import annotations

from functools import partial

import click

from weightpath.cli.help import Function, SectionOption, add_options
from weightpath.cli.input.column_completion import complete_column

__all__ = ["MEANINGS", "weight_options"]

MEANINGS = [
    ("uniform", "1 for every row"),
    ("0.5", "a number, the same for every row; not negative"),
    ("NAME", "a column with weights that are not negative (0 takes a row out)"),
    ("column:NAME", "the same, for names that look like a number or a word of this table"),
    ("balanced", "classification: every class has the same total weight"),
    ("spam=5,ham=2", "classification: weights of classes by label; 1 for those not named"),
    (
        "forgetting:A",
        "rows in order of time: the older, the lighter; A = 3, say, 0 forgets nothing",
    ),
    ("importance:FILE", "rows count as they occur in FILE, which has the same features (uLSIF)"),
    ("relevance", "ranking only: 2^y - 2^y' for documents of relevance y > y'"),
]

_option = partial(click.option, cls=SectionOption, section="Weights")

OPTIONS = [
    _option(
        "--start",
        metavar="W",
        default="uniform",
        show_default=True,
        shell_complete=complete_column,
        help="The weights at theta = 0.",
    ),
    _option(
        "--end",
        metavar="W",
        required=True,
        shell_complete=complete_column,
        help="The weights at theta = 1. What W may be is said below; for ranking, where weights "
        "are those of pairs, uniform or relevance.",
    ),
]


def weight_options(command: Function) -> Function:
    """Give a command the options of this module."""
    return add_options(command, OPTIONS)
