"""The weights at both ends of a path, as words: columns, numbers and rules."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click
import numpy as np

from weightpath.cli.errors import InputError
from weightpath.cli.help import SectionOption
from weightpath.cli.input.column_completion import complete_column
from weightpath.cli.input.columns import find_column, numbers
from weightpath.cli.input.files import FileTable
from weightpath.cli.input.training_data import TrainingData

__all__ = ["MEANINGS", "read_ends", "weight_columns", "weight_options"]

MEANINGS = [
    ("uniform", "1 for every row"),
    ("0.5", "a number, the same for every row; not negative"),
    ("NAME", "a column with weights that are not negative (0 takes a row out)"),
    ("column:NAME", "the same, for names that look like a number or a word of this table"),
    (
        "forgetting:A",
        "rows in order of time: the older, the lighter; A = 3, say, 0 forgets nothing",
    ),
    ("importance:FILE", "rows count as they occur in FILE, which has the same features (uLSIF)"),
    ("relevance", "ranking only: 2^y - 2^y' for documents of relevance y > y'"),
]
RANKING = ("uniform", "relevance")

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


def weight_options(command):
    """Give a command the options of this module."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def weight_columns(task: str, *words: str) -> list[tuple[str, str]]:
    """Return the columns that are named, each with its option; other words are checked."""
    found = []
    for word, option in zip(words, ("--start", "--end"), strict=True):
        if task == "ranking":
            if word not in RANKING:
                raise InputError(
                    f"{option} {word}: weights of a ranking are those of pairs of documents, "
                    "uniform or relevance."
                )
        elif word == "relevance":
            raise InputError(f"{option} relevance is for --task ranking; say column:relevance.")
        elif _rule(word) is None and _number(word) is None and word != "uniform":
            found.append((word.removeprefix("column:"), option))
    return found


def read_ends(data: TrainingData, start: str, end: str) -> tuple:
    """Return the weights at both ends: arrays, for ranking the words themselves."""
    if data.settings.task == "ranking":
        return start, end
    return _read(data, start, "--start"), _read(data, end, "--end")


def _read(data: TrainingData, word: str, option: str) -> np.ndarray:
    number, rule = _number(word), _rule(word)
    if word == "uniform":
        weights = np.ones(len(data))
    elif number is not None:
        if not 0 <= number < np.inf:
            raise InputError(f"{option} {word}: a weight is a finite number, not negative.")
        weights = np.full(len(data), number)
    elif rule is not None:
        weights = RULES[rule[0]](data, rule[1], option)
    else:
        weights = _column(data, word.removeprefix("column:"), option)
    if not weights.any():
        raise InputError(f"{option} {word}: all weights are zero, so there is nothing to learn.")
    if data.settings.task == "classification":
        classes, labels = np.unique(data.rows.y, return_inverse=True)
        empty = np.flatnonzero(np.bincount(labels, weights) == 0)
        if empty.size:
            raise InputError(
                f"{option} {word}: all weights of class {classes[empty[0]]} are zero. Every class "
                "needs a row of some weight."
            )
    return weights


def _number(word: str) -> float | None:
    """Return a constant weight; None if the word is no number."""
    try:
        return float(word)
    except ValueError:
        return None


def _rule(word: str) -> tuple[str, str] | None:
    name, colon, value = word.partition(":")
    return (name, value) if colon and name in RULES else None


def _column(data: TrainingData, name: str, option: str) -> np.ndarray:
    source = data.source
    if not isinstance(source, FileTable):
        raise InputError(f"{option}: {source.file} has no column {name!r}.")
    column = find_column(source, name, option)
    weights = numbers(source, column, "Weights are numbers that are not negative.")
    negative = np.flatnonzero(weights < 0)
    if negative.size:
        raise InputError(
            f"{option}: the weight in column {column!r} is {weights[negative[0]]:g} in row "
            f"{negative[0] + 1}. Weights must not be negative; 0 takes a row out."
        )
    return weights


def _forgetting(data: TrainingData, value: str, option: str) -> np.ndarray:
    from weightpath.weights import forgetting

    rate = _number(value)
    if rate is None or not 0 <= rate < np.inf:
        raise InputError(
            f"{option} forgetting:{value}: the rate is a number that is not negative, as in "
            "forgetting:3."
        )
    return forgetting(len(data), rate)


def _importance(data: TrainingData, value: str, option: str) -> np.ndarray:
    from weightpath.weights import importance

    if not value:
        raise InputError(f"{option} importance: names no file, as in importance:new.csv.")
    there = data.read_more(Path(value), with_target=False).X
    here = data.rows.X
    try:
        return importance(*(X.toarray() if hasattr(X, "toarray") else X for X in (here, there)))
    except ValueError as error:
        raise InputError(f"{option} importance:{value}: {error}") from error


RULES = {"forgetting": _forgetting, "importance": _importance}
