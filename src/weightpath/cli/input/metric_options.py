"""The metric and its options on the command line: whatever the registry of metrics holds."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
from click.shell_completion import CompletionItem
from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.help import ParameterType, SectionOption
from weightpath.cli.input.column_completion import complete_column
from weightpath.cli.input.data_options import DataSettings
from weightpath.metrics import Metric, Option, Outputs, get, names
from weightpath.metrics.evaluator import Evaluator
from weightpath.metrics.metric import MissingOptionError
from weightpath.metrics.registry import options, suitable

__all__ = [
    "DEFAULTS",
    "check_metric",
    "column_options",
    "is_file",
    "metric_in",
    "metric_parameters",
    "word_options",
]

# The metric of every task where none is asked for.
DEFAULTS = {
    "classification": "zero_one",
    "regression": "squared",
    "quantile": "pinball",
    "ranking": "ndcg",
    "one-class": "auc",
}

SECTION = "Judging"

# Options that a metric shares with the data: their columns are read in any case.
WITH_DATA = tuple(DataSettings.__dataclass_fields__)


class MetricType(ParameterType):
    """The name of a metric, or a Python file with one."""

    name = "metric"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the metric."""
        if is_file(value):
            return metric_in(value).name
        if value not in names():
            self.fail(f"{value!r} is none of {', '.join(sorted(names()))}, nor a file NAME.py.")
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin as the word does."""
        return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


class WordType(ParameterType):
    """A word that an option of a metric reads by itself."""

    def __init__(self, option: Option):
        self.name = option.name
        self.read = option.read or str

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value, or end with the reason why there is none."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error))


def is_file(value: Any) -> bool:
    """Whether a metric is given as a Python file."""
    return isinstance(value, str) and value.endswith(".py")


def metric_in(file: str) -> Metric:
    """Run a Python file and return its metric."""
    if not Path(file).is_file():
        raise click.UsageError(f"--metric: there is no file {file}.")
    try:
        found = runpy.run_path(file, run_name="weightpath_metric_file")
    except Exception as error:
        raise click.UsageError(
            f"--metric: {file} fails: {type(error).__name__}: {error}"
        ) from error
    metrics = list({id(m): m for m in found.values() if isinstance(m, Metric)}.values())
    if len(metrics) != 1:
        raise click.UsageError(
            f"--metric: {file} must have one metric, an instance of weightpath.metrics.Metric; it "
            f"has {len(metrics)}."
        )
    return metrics[0]


def metric_parameters() -> Iterator[click.Option]:
    """Return ``--metric`` and the options of all metrics."""
    yield _metric_option(tuple(names()))
    for option in options().values():
        if option.name not in WITH_DATA and (option.per_row or option.read is not None):
            yield _click_option(option)


@cache
def _metric_option(known: tuple[str, ...]) -> click.Option:
    defaults = ", ".join(DEFAULTS.values())
    return SectionOption(
        ["--metric"],
        type=MetricType(),
        metavar="METRIC",
        section=SECTION,
        help=f"{', '.join(known)}; or a Python file that has one. [default: {defaults}]",
    )


@cache
def _click_option(option: Option) -> click.Option:
    """Return an option of a metric as one of the command line; the same one at every call."""
    owners = [name for name in names() if option.name in {o.name for o in get(name).options}]
    return SectionOption(
        [f"--{option.name.replace('_', '-')}", option.name],
        type=str if option.per_row else WordType(option),
        metavar="COL" if option.per_row else option.name.upper(),
        section=SECTION,
        help=f"{option.meaning} For {', '.join(owners)}.",
        shell_complete=complete_column if option.per_row else None,
    )


def word_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of metrics that were given as words."""
    words = [option.name for option in options().values() if option.read and not option.per_row]
    return {name: given[name] for name in words if given.get(name) is not None}


def column_options(given: dict[str, Any]) -> dict[str, str]:
    """Return the options of metrics that were given as columns."""
    columns = [option.name for option in options().values() if option.per_row]
    return {
        name: given[name]
        for name in columns
        if name not in WITH_DATA and given.get(name) is not None
    }


def _outputs(task: str, y: NDArray[Any], model: dict[str, Any]) -> Outputs:
    """Return what decision values of a task stand for; ``model`` are parameters of the model."""
    if task == "classification":
        return Outputs.of_classes(np.unique(y))
    return Outputs(
        predicts=task in ("regression", "quantile"),
        told=lambda name: [] if model.get(name) is None else [np.ravel(model[name])],
    )


def check_metric(
    metric: str,
    task: str,
    y: NDArray[Any],
    given: dict[str, Any],
    judged: Any,
    model: dict[str, Any],
) -> None:
    """Refuse a metric that does not suit the task or the data, and options it does not take.

    Parameters
    ----------
    metric, task : str
        Their names.
    y : ndarray
        The target of all rows of the training file.
    given : dict
        Options of metrics that were given.
    judged : Rows or None
        The rows on which the metric will be computed, if any.
    model : dict
        Parameters of the model.
    """
    outputs = _outputs(task, y, model)
    chosen = get(metric)
    possible = ", ".join(suitable(outputs))
    if not chosen.suits(outputs):
        if task == "classification" and chosen.suits(Outputs(np.arange(2))):
            raise InputError(
                f"--metric {metric} is for two classes; with more, there are: {possible}."
            )
        raise InputError(f"--metric {metric} is not for {task}; there are: {possible}.")
    own = {option.name for option in chosen.options}
    for name in given:
        if name not in own:
            owners = [m for m in names() if name in {option.name for option in get(m).options}]
            raise InputError(
                f"--{name.replace('_', '-')} is for {', '.join(owners)}; the metric is {metric}."
            )
    try:
        if judged is not None:
            own_given = {"qid": judged.qid} if "qid" in own else {}
            values = {**given, **own_given, **judged.more}
            Evaluator(chosen, outputs, len(judged.y), judged.y, judged.cost, values)
    except MissingOptionError as error:
        option = error.option.replace("_", "-")
        raise InputError(f"--metric {metric} needs --{option}, {error.reason}") from error
    except ValueError as error:
        raise InputError(str(error)) from error
