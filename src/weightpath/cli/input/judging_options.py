"""Options that say how places on a path are judged: metric, validation file, folds."""

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

__all__ = ["SELECT_OPTIONS", "TRACE_OPTIONS", "JudgingSettings", "check_judging", "judging_options"]

RANK_METRICS = ("auc", "average_precision", "ndcg", "precision_at_k")
# For every task its metrics, the default first.
METRICS = {
    "classification": ("zero_one", "hinge", *RANK_METRICS),
    "regression": ("squared", "absolute", "epsilon_insensitive", "pinball", *RANK_METRICS),
    "ranking": ("ndcg", "precision_at_k", "auc", "average_precision"),
}
CONVENTIONS = ("sklearn", "exponential", "paper")

_option = partial(click.option, cls=SectionOption, section="Judging")

METRIC_OPTIONS = [
    _option(
        "--metric",
        type=click.Choice(sorted({name for names in METRICS.values() for name in names})),
        metavar="METRIC",
        help="zero_one, hinge; squared, absolute, epsilon_insensitive, pinball; ndcg, "
        "precision_at_k, auc, average_precision. [default: zero_one, squared or ndcg]",
    ),
    _option("--k", type=click.IntRange(min=1), metavar="K", help="Of ndcg and precision_at_k."),
    _option(
        "--convention",
        type=click.Choice(CONVENTIONS),
        metavar="WHOSE",
        help="Gains and discounts of ndcg: sklearn, exponential or paper. [default: sklearn]",
    ),
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
        help="In its place, cross-validation in K folds: the exact mean curve.",
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
    """Give a command the options of this module; ``own`` are those it does not share."""
    return add_options(command, [*own, *METRIC_OPTIONS])


@dataclass(frozen=True)
class JudgingSettings:
    """What the options say, by their names; None where one was not given."""

    metric: str | None
    k: int | None
    convention: str | None
    cv: int | None
    shuffle: int | None
    jobs: int
    validation: Path | None = None

    def name(self, task: str) -> str:
        """The metric, that of the task by default."""
        return self.metric or METRICS[task][0]

    def splitter(self, task: str) -> Any:
        """The folds, as :class:`~weightpath.PathSearchCV` takes them."""
        from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

        if self.shuffle is None:
            return self.cv
        kinds = {"classification": StratifiedKFold, "regression": KFold, "ranking": GroupKFold}
        return kinds[task](self.cv, shuffle=True, random_state=self.shuffle)

    def parameters(self) -> dict[str, Any]:
        """Options of the metric that were given."""
        given = {"k": self.k, "convention": self.convention}
        return {name: value for name, value in given.items() if value is not None}


def check_judging(
    settings: JudgingSettings, task: str, y: NDArray[Any], qid: NDArray[Any] | None
) -> None:
    """Refuse what does not go together, before anything is computed."""
    if settings.validation is not None and settings.cv is not None:
        raise InputError("--validation and --cv exclude each other: take one of them.")
    if settings.jobs == 0:
        raise InputError("--jobs 0 does nothing: give a number of processes, or -1 for all.")
    judged = settings.validation is not None or settings.cv is not None
    if not judged and (settings.metric or settings.parameters()):
        raise InputError("--metric needs rows to judge: give --validation FILE or --cv K.")
    _check_metric(settings, task, y)
    if settings.cv is not None:
        _check_folds(settings.cv, task, y, qid)
    elif settings.shuffle is not None:
        raise InputError("--shuffle is for folds: give --cv K as well.")


def _check_metric(settings: JudgingSettings, task: str, y: NDArray[Any]) -> None:
    name = settings.name(task)
    if name not in METRICS[task]:
        raise InputError(
            f"--metric {name} is not for {task}; there are: {', '.join(METRICS[task])}."
        )
    if task == "classification" and name != "zero_one" and len(np.unique(y)) > 2:
        raise InputError(f"--metric {name} is for two classes; with more, zero_one is possible.")
    if settings.k is not None and name not in ("ndcg", "precision_at_k"):
        raise InputError(f"--k is for ndcg and precision_at_k; the metric is {name}.")
    if settings.k is None and name == "precision_at_k":
        raise InputError("--metric precision_at_k needs --k, how many rows of a query count.")
    if settings.convention is not None and name != "ndcg":
        raise InputError(f"--convention is for ndcg; the metric is {name}.")


def _check_folds(n_folds: int, task: str, y: NDArray[Any], qid: NDArray[Any] | None) -> None:
    if task == "regression":
        what, least = "rows", len(y)
    elif task == "ranking":
        what, least = "queries", len(np.unique(np.asarray(qid)))
    else:
        classes, counts = np.unique(y, return_counts=True)
        what, least = f"rows of class {classes[counts.argmin()]!s}", int(counts.min())
    if n_folds > least:
        raise InputError(f"--cv {n_folds}: there are only {least} {what}; take fewer folds.")
