"""The rows of DATA, ready for a model, and those of other files read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.columns import features, find_column, ids, labels, numbers, queries
from weightpath.cli.input.data_options import DataSettings
from weightpath.cli.input.files import FileTable, SvmlightRows, read_file

__all__ = ["Rows", "TrainingData", "read_training"]

# More classes than this are quantities by mistake: there would be a path for each two of them.
MOST_CLASSES = 100

# Sparse rows stay sparse below this share of values that are not zero.
SPARSE = 0.1

# Targets, queries, costs, and the columns of metrics by option.
Targets = tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any] | None, dict[str, NDArray[Any]]]

# Of rows that are there for their features alone.
NO_TARGETS: Targets = (np.empty(0), None, None, {})


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a file, ready for a model."""

    X: Any
    y: NDArray[Any]
    qid: NDArray[Any] | None = None
    cost: NDArray[Any] | None = None
    more: dict[str, NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The rows of DATA, and how rows of other files are read in the same way.

    Parameters
    ----------
    settings : DataSettings
        The options.
    source : FileTable or SvmlightRows
        The file.
    rows : Rows
        Its rows.
    target, feature_names : str and list of str
        Which columns they are from.
    scaler : object or None
        What scales the features.
    notes : list of str
        What the user should know.
    """

    settings: DataSettings
    source: FileTable | SvmlightRows
    rows: Rows
    target: str
    feature_names: list[str]
    scaler: Any = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows.y)

    def read_more(self, file: Path, with_target: bool = True) -> Rows:
        """Return the rows of another file with the same features, scaled as these."""
        settings = self.settings
        if isinstance(self.source, SvmlightRows):
            more = read_file(file, settings.kind, settings.header, len(self.feature_names))
            if not isinstance(more, SvmlightRows):
                raise InputError(f"{file} must be an svmlight file, as {settings.data} is.")
            rows = _svmlight_rows(more, settings)
        else:
            more = read_file(file, settings.kind, settings.header)
            if not isinstance(more, FileTable):
                raise InputError(f"{file} must be a table with columns, as {settings.data} is.")
            _refuse_missing_features(more, self)
            targets = _targets(more, settings, self.rows.y.dtype) if with_target else NO_TARGETS
            rows = Rows(features(more, self.feature_names), *targets)
        if with_target:
            self._refuse_unknown_labels(file, rows.y)
        return replace(rows, X=_scaled(self.scaler, rows.X))

    def _refuse_unknown_labels(self, file: Path, y: NDArray[Any]) -> None:
        if self.settings.task != "classification":
            return
        classes = np.unique(self.rows.y).tolist()
        unknown = [label for label in np.unique(y).tolist() if label not in classes]
        if unknown:
            raise InputError(
                f"{file}: the label {unknown[0]!r} is not among those of {self.settings.data}, "
                f"which are {', '.join(map(repr, classes))}."
            )


def read_training(
    settings: DataSettings, weight_columns: Sequence[tuple[str, str]]
) -> TrainingData:
    """Read DATA; columns of weights, each with the option that names it, are no features."""
    source = read_file(settings.data, settings.kind, settings.header, settings.n_features)
    notes: list[str] = []
    if isinstance(source, SvmlightRows):
        _refuse_columns(settings, weight_columns)
        rows = _svmlight_rows(source, settings)
        names = [str(index) for index in range(1, rows.X.shape[1] + 1)]
        target = "label"
    else:
        if settings.target is None:
            raise InputError(
                f"--target is missing: which column of {settings.data} is to be predicted?"
            )
        target = find_column(source, settings.target, "--target")
        taken = {target, *_columns(source, "--drop", settings.drop)}
        taken |= set(_columns(source, "--qid", [settings.qid] if settings.qid else []))
        taken |= set(_columns(source, "--cost", [settings.cost] if settings.cost else []))
        for name, column in settings.columns.items():
            taken |= set(_columns(source, _option(name), [column]))
        taken |= {_weight_column(source, *named) for named in weight_columns}
        left_out = [name for name in source.unnamed if name not in taken]
        if left_out:
            notes.append(f"Left out: {len(left_out)} column without a name (row numbers?).")
        names = [name for name in source.names if name not in taken and name not in left_out]
        if not names:
            raise InputError(f"{settings.data} has no features left: all columns are taken.")
        targets = _targets(source, settings)
        rows = Rows(features(source, names), *targets)
    _check_classes(settings, rows.y, target)
    scaler = _fitted_scaler(settings.scale, rows.X)
    rows = replace(rows, X=_scaled(scaler, rows.X))
    return TrainingData(settings, source, rows, target, names, scaler, notes)


def _columns(table: FileTable, option: str, wanted: Iterable[str]) -> list[str]:
    return [find_column(table, name, option) for name in wanted]


def _weight_column(table: FileTable, wanted: str, option: str) -> str:
    try:
        return find_column(table, wanted, option)
    except InputError as error:
        words = "Uniform, a number, forgetting:A and importance:FILE are possible, too."
        raise InputError(f"{error.message} {words}") from None


def _targets(
    table: FileTable, settings: DataSettings, known: np.dtype[Any] | None = None
) -> Targets:
    """Return target, queries, costs and columns of metrics; ``known`` is the type of labels."""
    name = find_column(table, settings.target or "", "--target")
    if settings.task == "classification":
        as_text = None if known is None else known.kind == "U"
        y = labels(table, name, as_text)
    else:
        what = "Relevances" if settings.task == "ranking" else "Targets of a regression"
        y = numbers(table, name, f"{what} are numbers; for labels use --task classification.")
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
        name: ids(table, find_column(table, column, _option(name)), name)
        for name, column in settings.columns.items()
    }
    return y, qid, cost, more


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _svmlight_rows(source: SvmlightRows, settings: DataSettings) -> Rows:
    X, y, qid = source.X, source.y, source.qid
    if X.nnz > SPARSE * X.shape[0] * X.shape[1] or settings.scale != "none":
        X = X.toarray()
    if settings.task == "classification":
        if (y != np.round(y)).any():
            value = y[y != np.round(y)][0]
            raise InputError(
                f"{source.file}: the label {value:g} is a quantity and not a class. Use --task "
                "regression."
            )
        y = y.astype(np.int64)
    if settings.task != "ranking":
        qid = None
    elif qid is None:
        raise InputError(
            f"{source.file} names no queries: a ranking needs qid:... after the label of each line."
        )
    return Rows(X, y, qid)


def _refuse_columns(settings: DataSettings, weight_columns: Sequence[tuple[str, str]]) -> None:
    given = {"--target": settings.target, "--qid": settings.qid, "--cost": settings.cost}
    given |= {_option(name): column for name, column in settings.columns.items()}
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option}: {settings.data} is an svmlight file, without columns.")
    if settings.drop:
        raise InputError(f"--drop: {settings.data} is an svmlight file, without columns.")
    for name, option in weight_columns:
        raise InputError(
            f"{option}: {settings.data} is an svmlight file and has no column {name!r} with "
            "weights. Use a number, uniform, forgetting:A or importance:FILE."
        )


def _refuse_missing_features(more: FileTable, data: TrainingData) -> None:
    missing = [name for name in data.feature_names if name not in more.names]
    if missing:
        raise InputError(
            f"{more.file} lacks the feature {missing[0]!r} of {data.settings.data}"
            f"{f' and {len(missing) - 1} more' if missing[1:] else ''}. Features must have the "
            "same names in all files."
        )


def _check_classes(settings: DataSettings, y: NDArray[Any], target: str) -> None:
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


def _fitted_scaler(how: str, X: Any) -> Any:
    if how == "none":
        return None
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    return (StandardScaler() if how == "standard" else MinMaxScaler()).fit(X)


def _scaled(scaler: Any, X: Any) -> Any:
    return X if scaler is None else scaler.transform(X)
