"""Options that say where the data are, and what is what in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weightpath.cli.help import Function, SectionOption, add_options
from weightpath.cli.input.column_completion import complete_column

if TYPE_CHECKING:
    from weightpath.cli.input.files import Reading

__all__ = ["READING_OPTIONS", "TASKS", "DataSettings", "data_options"]

TASKS = ("classification", "regression", "quantile", "ranking", "one-class")
SCALES = ("none", "standard", "minmax")
KINDS = ("csv", "parquet", "svmlight", "xlsx")

_option = partial(click.option, cls=SectionOption, section="Data")

READING_OPTIONS = [
    _option(
        "--format",
        "kind",
        type=click.Choice(KINDS),
        metavar="KIND",
        help="csv, xlsx, parquet or svmlight, where names of files do not tell.",
    ),
    _option("--sheet", metavar="NAME", help="The sheet of an xlsx file; the first by default."),
    _option(
        "--header/--no-header",
        "header",
        default=None,
        help="Whether the first line of CSV files has names. By default it has, unless all its "
        "fields are numbers.",
    ),
]
OPTIONS = [
    click.argument("data", type=click.Path(path_type=Path)),
    _option(
        "--target",
        metavar="COL",
        shell_complete=complete_column,
        help="What to predict, a column by name or number (1 is the first, -1 the last). Svmlight "
        "files have it in front.",
    ),
    _option(
        "--task",
        type=click.Choice(TASKS),
        required=True,
        metavar="TASK",
        help="classification (labels, also texts, two or more), regression, quantile (numbers), "
        "ranking (relevances) or one-class (no target).",
    ),
    _option(
        "--qid",
        metavar="COL",
        shell_complete=complete_column,
        help="The query of each row, for ranking. Svmlight files have it as qid:...",
    ),
    _option(
        "--drop",
        metavar="COL",
        multiple=True,
        shell_complete=complete_column,
        help="A column that is no feature; may be repeated. Target, query, weights and costs never "
        "are.",
    ),
    _option(
        "--keep",
        metavar="COL",
        multiple=True,
        shell_complete=complete_column,
        help="A column that is a feature even if it seems to be of no use, such as a number or a "
        "text that names each row; may be repeated.",
    ),
    _option(
        "--scale",
        type=click.Choice(SCALES),
        metavar="HOW",
        help="Numbers are scaled: standard (mean 0, variance 1), minmax (0 to 1) or none. "
        "[default: standard; svmlight files: none]",
    ),
    *READING_OPTIONS,
    _option(
        "--n-features",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of features of svmlight files; the largest index of DATA by default.",
    ),
]


def data_options(command: Function) -> Function:
    """Give a command the options of this module."""
    return add_options(command, OPTIONS)


@dataclass(frozen=True)
class DataSettings:
    """What the options say, by their names.

    ``columns`` are options of metrics that name a column, such as the groups of rows.
    """

    data: Path
    target: str | None
    task: str
    qid: str | None
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    scale: str | None
    kind: str | None
    sheet: str | None
    header: bool | None
    n_features: int | None
    cost: str | None
    columns: dict[str, str] = field(default_factory=dict)

    def reading(self, **more: Any) -> Reading:
        """How files are read: as the options say, and ``more``."""
        from weightpath.cli.input.files import Reading

        return Reading(kind=self.kind, header=self.header, sheet=self.sheet, **more)
