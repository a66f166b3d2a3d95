"""The weights at both ends of a path, read from words: columns, numbers and rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.columns import find_column, numbers
from weightpath.cli.input.files import FileTable
from weightpath.cli.input.training_data import TrainingData

__all__ = ["read_ends", "weight_columns"]

RANKING = ("uniform", "relevance")
BALANCED = "balanced"


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
        elif _class_weights(word) is not None:
            if task != "classification":
                raise InputError(
                    f"{option} {word}: weights of classes are for --task classification; a column "
                    "of that name is column:NAME."
                )
        elif _rule(word) is None and _number(word) is None and word != "uniform":
            found.append((word.removeprefix("column:"), option))
    return found


def read_ends(data: TrainingData, start: str, end: str) -> tuple[Any, Any]:
    """Return the weights at both ends: arrays, for ranking the words themselves."""
    if data.settings.task == "ranking":
        return start, end
    return _read(data, start, "--start"), _read(data, end, "--end")


def _read(data: TrainingData, word: str, option: str) -> NDArray[np.float64]:
    number, rule = _number(word), _rule(word)
    if word == "uniform":
        weights = np.ones(len(data))
    elif number is not None:
        if not 0 <= number < np.inf:
            raise InputError(f"{option} {word}: a weight is a finite number, not negative.")
        weights = np.full(len(data), number)
    elif _class_weights(word) is not None:
        weights = _by_class(data, word, option)
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


def _class_weights(word: str) -> dict[str, str] | None:
    """Return weights of classes, as texts, by label; None if the word is something else."""
    if word == BALANCED:
        return {}
    if word.startswith("column:") or "=" not in word or _rule(word) is not None:
        return None
    found = {}
    for one in word.split(","):
        label, _, weight = one.rpartition("=")
        found[label.strip()] = weight.strip()
    return found


def _by_class(data: TrainingData, word: str, option: str) -> NDArray[np.float64]:
    """Return the weights of rows by their classes; those of classes that are not named are 1."""
    classes, places = np.unique(data.rows.y, return_inverse=True)
    if word == BALANCED:
        # As scikit-learn's class_weight="balanced": every class has the same total weight.
        return (len(places) / (len(classes) * np.bincount(places)))[places]
    names = [str(label) for label in classes.tolist()]
    weights = np.ones(len(names))
    for label, text in (_class_weights(word) or {}).items():
        weight = _number(text)
        if label not in names:
            raise InputError(
                f"{option} {word}: there is no class {label!r}; the classes are {', '.join(names)}."
            )
        if weight is None or not 0 < weight < np.inf:
            raise InputError(
                f"{option} {word}: the weight of a class is a positive number, as in {label}=5."
            )
        weights[names.index(label)] = weight
    return weights[places]


def _column(data: TrainingData, name: str, option: str) -> NDArray[np.float64]:
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


def _forgetting(data: TrainingData, value: str, option: str) -> NDArray[np.float64]:
    from weightpath.weights import forgetting

    rate = _number(value)
    if rate is None or not 0 <= rate < np.inf:
        raise InputError(
            f"{option} forgetting:{value}: the rate is a number that is not negative, as in "
            "forgetting:3."
        )
    return forgetting(len(data), rate)


def _importance(data: TrainingData, value: str, option: str) -> NDArray[np.float64]:
    from weightpath.weights import importance

    if not value:
        raise InputError(f"{option} importance: names no file, as in importance:new.csv.")
    there = data.read_more(Path(value), with_target=False).X
    preparation = data.preparation()
    here = data.rows.X
    if preparation != "passthrough":
        here, there = preparation.fit_transform(here), preparation.transform(there)
    try:
        return importance(*(X.toarray() if hasattr(X, "toarray") else X for X in (here, there)))
    except ValueError as error:
        raise InputError(f"{option} importance:{value}: {error}") from error


RULES = {"forgetting": _forgetting, "importance": _importance}
