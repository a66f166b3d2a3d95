"""The rows of DATA, as the file has them, and those of other files read in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.columns import find_column
from weightpath.cli.input.data_options import DataSettings
from weightpath.cli.input.features import TEXT, FeaturePlan, plan_features
from weightpath.cli.input.files import FileTable, SvmlightRows, read_file
from weightpath.cli.input.new_rows import rows_of_features
from weightpath.cli.input.preparation import make_preparation, make_scaler
from weightpath.cli.input.targets import NO_TARGETS, check_classes, option_of, read_targets

__all__ = ["Rows", "TrainingData", "read_training"]

# Sparse rows stay sparse below this share of values that are not zero.
SPARSE = 0.1


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a file: features as the file has them, and what is known of them besides."""

    X: Any
    y: NDArray[Any]
    qid: NDArray[Any] | None = None
    cost: NDArray[Any] | None = None
    more: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.X.shape[0])


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
    target : str or None
        Which column is predicted, if any.
    plan : FeaturePlan
        Which columns are features, and of what kind.
    notes : list of str
        What the user should know.
    """

    settings: DataSettings
    source: FileTable | SvmlightRows
    rows: Rows
    target: str | None
    plan: FeaturePlan
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def feature_names(self) -> list[str]:
        """The columns that are features; their numbers if they have no names."""
        if isinstance(self.source, FileTable):
            return self.plan.names
        return [str(index) for index in range(1, self.rows.X.shape[1] + 1)]

    @property
    def scale(self) -> str:
        """How numbers are scaled: those of svmlight files, often sparse, not by default."""
        default = "standard" if isinstance(self.source, FileTable) else "none"
        return self.settings.scale or default

    def preparation(self) -> Any:
        """Return what makes numbers of features, not fitted; "passthrough" where nothing does."""
        if isinstance(self.source, FileTable):
            return make_preparation(self.plan, self.scale)
        return (make_scaler(self.scale) or ["passthrough"])[0]

    def read_more(self, file: Path, with_target: bool = True) -> Rows:
        """Return the rows of another file with the same features."""
        settings = self.settings
        if isinstance(self.source, SvmlightRows):
            more = read_file(file, settings.reading(n_features=self.rows.X.shape[1]))
            if not isinstance(more, SvmlightRows):
                raise InputError(f"{file} must be an svmlight file, as {settings.data} is.")
            rows = _svmlight_rows(more, settings)
        else:
            names = tuple(feature.name for feature in self.plan.of_kind(TEXT))
            more = read_file(file, settings.reading(texts=names))
            if not isinstance(more, FileTable):
                raise InputError(f"{file} must be a table with columns, as {settings.data} is.")
            X, notes = rows_of_features(more, self.plan.features, str(settings.data))
            self.notes.extend([*more.notes, *notes])
            targets = read_targets(more, settings, self.rows.y.dtype) if with_target else NO_TARGETS
            rows = Rows(X, *targets)
        if with_target:
            self._refuse_unknown_labels(file, rows.y)
        return rows

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
    source = read_file(settings.data, settings.reading(n_features=settings.n_features))
    target: str | None
    if isinstance(source, SvmlightRows):
        _refuse_columns(settings, weight_columns)
        rows, target, plan = _svmlight_rows(source, settings), "label", FeaturePlan(())
        notes = []
    else:
        plan, target = _plan(source, settings, weight_columns)
        X, _ = rows_of_features(source, plan.features, str(settings.data))
        rows = Rows(X, *read_targets(source, settings))
        notes = [*source.notes, *plan.notes]
    check_classes(settings, rows.y, target or "")
    return TrainingData(settings, source, rows, target, plan, notes)


def _plan(
    table: FileTable, settings: DataSettings, weight_columns: Sequence[tuple[str, str]]
) -> tuple[FeaturePlan, str | None]:
    """Return what the columns of a table are as features, and the column to predict."""
    if settings.target is None and settings.task != "one-class":
        raise InputError(
            f"--target is missing: which column of {settings.data} is to be predicted?"
        )
    taken: set[str] = set()
    target = None
    if settings.target is not None:
        target = find_column(table, settings.target, "--target")
        taken = {target}
    taken |= set(_columns(table, "--drop", settings.drop))
    taken |= set(_columns(table, "--qid", [settings.qid] if settings.qid else []))
    taken |= set(_columns(table, "--cost", [settings.cost] if settings.cost else []))
    for name, column in settings.columns.items():
        taken |= set(_columns(table, option_of(name), [column]))
    taken |= {_weight_column(table, *named) for named in weight_columns}
    keep = _columns(table, "--keep", settings.keep)
    for name in keep:
        if name in taken:
            raise InputError(f"--keep {name}: the column is taken by another option.")
    free = [name for name in table.names if name not in taken]
    unnamed = [name for name in free if name in table.unnamed and name not in keep]
    plan = plan_features(table, [name for name in free if name not in unnamed], keep)
    plan = plan.with_left_out(dict.fromkeys(unnamed, "without a name: row numbers?"))
    if not plan.features:
        why = f": {plan.notes[0]}" if plan.left_out else ": all columns are taken."
        raise InputError(f"{settings.data} has no features left{why}")
    return plan, target


def _columns(table: FileTable, option: str, wanted: Iterable[str]) -> list[str]:
    return [find_column(table, name, option) for name in wanted]


def _weight_column(table: FileTable, wanted: str, option: str) -> str:
    try:
        return find_column(table, wanted, option)
    except InputError as error:
        words = (
            "Uniform, balanced, a number, LABEL=5, forgetting:A and importance:FILE are possible."
        )
        raise InputError(f"{error.message} {words}") from None


def _svmlight_rows(source: SvmlightRows, settings: DataSettings) -> Rows:
    X, y, qid = source.X, source.y, source.qid
    if X.nnz > SPARSE * X.shape[0] * X.shape[1] or settings.scale in ("standard", "minmax"):
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
    given |= {option_of(name): column for name, column in settings.columns.items()}
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option}: {settings.data} is an svmlight file, without columns.")
    for option, names in {"--drop": settings.drop, "--keep": settings.keep}.items():
        if names:
            raise InputError(f"{option}: {settings.data} is an svmlight file, without columns.")
    for name, option in weight_columns:
        raise InputError(
            f"{option}: {settings.data} is an svmlight file and has no column {name!r} with "
            "weights. Use a number, uniform, forgetting:A or importance:FILE."
        )
