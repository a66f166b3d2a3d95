"""Targets of rows, and what goes with them: queries, costs, columns of metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.columns import find_column, ids, labels, numbers, queries
from weightpath.cli.input.data_options import DataSettings
from weightpath.cli.input.files import FileTable

__all__ = ["NO_TARGETS", "Targets", "check_classes", "option_of", "read_targets"]

# More classes than this are quantities by mistake: there would be a path for each two of them.
MOST_CLASSES = 100

# Targets, queries, costs, and the columns of metrics by option.
Targets = tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any] | None, dict[str, NDArray[Any]]]

# Of rows that are there for their features alone.
NO_TARGETS: Targets = (np.empty(0), None, None, {})

# What the target is, by task.
MEANINGS = {
    "ranking": "Relevances are numbers",
    "regression": "Targets of a regression are numbers",
    "quantile": "Targets of a regression are numbers",
}


def read_targets(
    table: FileTable, settings: DataSettings, known: np.dtype[Any] | None = None
) -> Targets:
    """Return target, queries, costs and columns of metrics; ``known`` is the type of labels."""
    y = _target(table, settings, known)
    qid = cost = None
    if settings.task == "ranking":
        if settings.qid is None:
            raise InputError(
                "--qid is missing: a ranking needs the column that names the query of each row."
            )
        qid = queries(table, find_column(table, settings.qid, "--qid"))
    elif settings.qid is not None:
        raise InputError("--qid is for --task ranking.")
    if settings.cost is not None:
        column = find_column(table, settings.cost, "--cost")
        cost = numbers(table, column, "Costs are numbers.")
        if (cost < 0).any() or not cost.any():
            raise InputError(
                f"--cost: column {column!r} must not be negative anywhere, nor zero everywhere."
            )
    more = {
        name: ids(table, find_column(table, column, option_of(name)), name)
        for name, column in settings.columns.items()
    }
    return y, qid, cost, more


def _target(table: FileTable, settings: DataSettings, known: np.dtype[Any] | None) -> NDArray[Any]:
    if settings.target is None:
        # A model of one class needs none.
        return np.ones(len(table))
    name = find_column(table, settings.target, "--target")
    if settings.task == "classification":
        as_text = None if known is None else known.kind == "U"
        return labels(table, name, as_text)
    if settings.task == "one-class":
        return _normality(table, name)
    what = MEANINGS[settings.task]
    return numbers(table, name, f"{what}; for labels use --task classification.")


def _normality(table: FileTable, name: str) -> NDArray[Any]:
    """Return 1 for rows that are normal and -1 for others, for judging only."""
    advice = "It says which rows are normal: 1, and 0 or -1 those that are not."
    values = numbers(table, name, advice)
    if not np.isin(values, (1.0, 0.0, -1.0)).all() or len(np.unique(values)) > 2:
        odd = values[~np.isin(values, (1.0, 0.0, -1.0))]
        what = f"{odd[0]:g}" if odd.size else "both 0 and -1"
        raise InputError(f"{table.file}: the target {name!r} has {what}. {advice}")
    return np.where(values == 1.0, 1, -1)


def option_of(name: str) -> str:
    """Return an option as it is written."""
    return f"--{name.replace('_', '-')}"


def check_classes(settings: DataSettings, y: NDArray[Any], target: str) -> None:
    """Refuse the target of a classification with one class, or very many."""
    if settings.task != "classification":
        return
    classes = np.unique(y)
    if len(classes) < 2:
        raise InputError(
            f"{settings.data}: the target {target!r} has one class only, {classes[0]}. A "
            "classification needs two or more."
        )
    if len(classes) > MOST_CLASSES:
        raise InputError(
            f"{settings.data}: the target {target!r} has {len(classes)} different values. For "
            f"quantities use --task regression; at most {MOST_CLASSES} classes are possible."
        )
