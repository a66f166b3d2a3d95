"""Options that say how a path is judged: metric, validation file, folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.help import Function, SectionOption, add_options
from weightpath.cli.input.column_completion import complete_column
from weightpath.cli.input.metric_options import DEFAULTS

__all__ = ["SELECT_OPTIONS", "TRACE_OPTIONS", "JudgingSettings", "check_judging", "judging_options"]

_option = partial(click.option, cls=SectionOption, section="Judging")

SHARED_OPTIONS = [
    _option(
        "--cost",
        metavar="COL",
        shell_complete=complete_column,
        help="Column with what an error in a row costs; means are weighted by it.",
    ),
    _option(
        "--shuffle",
        type=int,
        metavar="SEED",
        help="Put rows (queries) into folds at random; by default in their order.",
    ),
    _option(
        "--jobs",
        type=int,
        default=1,
        show_default=True,
        metavar="N",
        help="Folds at the same time; -1 for all processors.",
    ),
]
TRACE_OPTIONS = [
    _option(
        "--validation",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="File on which the exact curve of the metric is traced.",
    ),
    _option(
        "--cv",
        type=click.IntRange(min=2),
        metavar="K",
        help="Instead, cross-validation in K folds: the exact mean curve.",
    ),
]
SELECT_OPTIONS = [
    _option(
        "--cv",
        type=click.IntRange(min=2),
        default=5,
        show_default=True,
        metavar="K",
        help="Number of folds; of whole queries for ranking.",
    ),
]


def judging_options(command: Function, own: Sequence[Callable[[Any], Any]]) -> Function:
    """Give a command the options of this module; ``own`` are those of this command only."""
    return add_options(command, [*own, *SHARED_OPTIONS])


@dataclass(frozen=True)
class JudgingSettings:
    """What the options say, by their names; None where one was not given.

    ``parameters`` are the options of the metric that were given.
    """

    metric: str | None
    parameters: dict[str, Any]
    cv: int | None
    shuffle: int | None
    jobs: int
    validation: Path | None = None

    def name(self, task: str) -> str:
        """The metric, that of the task by default."""
        return self.metric or DEFAULTS[task]

    def splitter(self, task: str) -> Any:
        """The folds, as :class:`~weightpath.PathSearchCV` takes them."""
        from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

        if task == "one-class":
            # Every fold needs normal rows and others.
            return StratifiedKFold(self.cv, **self._shuffling)
        if self.shuffle is None:
            return self.cv
        kinds = {"classification": StratifiedKFold, "ranking": GroupKFold}
        return kinds.get(task, KFold)(self.cv, **self._shuffling)

    @property
    def _shuffling(self) -> dict[str, Any]:
        return {} if self.shuffle is None else {"shuffle": True, "random_state": self.shuffle}


def check_judging(
    settings: JudgingSettings, task: str, y: NDArray[Any], qid: NDArray[Any] | None, target: bool
) -> None:
    """Refuse what does not go together, before anything is computed."""
    if settings.validation is not None and settings.cv is not None:
        raise InputError("--validation and --cv exclude each other: take one of them.")
    if settings.jobs == 0:
        raise InputError("--jobs 0 does nothing: give a number of processes, or -1 for all.")
    judged = settings.validation is not None or settings.cv is not None
    if not judged and (settings.metric or settings.parameters):
        raise InputError("--metric needs rows to judge: give --validation FILE or --cv K.")
    if judged and not target:
        raise InputError(
            "To judge a model of one class, --target must name a column that says which rows are "
            "normal: 1, and 0 or -1 those that are not."
        )
    if settings.cv is not None:
        _check_folds(settings.cv, task, y, qid)
    elif settings.shuffle is not None:
        raise InputError("--shuffle is for folds: give --cv K as well.")


def _check_folds(n_folds: int, task: str, y: NDArray[Any], qid: NDArray[Any] | None) -> None:
    if task in ("regression", "quantile"):
        what, least = "rows", len(y)
    elif task == "ranking":
        what, least = "queries", len(np.unique(np.asarray(qid)))
    else:
        classes, counts = np.unique(y, return_counts=True)
        what, least = f"rows of class {classes[counts.argmin()]!s}", int(counts.min())
    if n_folds > least:
        raise InputError(f"--cv {n_folds}: there are only {least} {what}; take fewer folds.")
