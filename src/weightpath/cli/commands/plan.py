"""From options to everything that a path or a search needs, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from weightpath.cli.commands.library_errors import library_errors, no_warnings
from weightpath.cli.input.data_options import DataSettings
from weightpath.cli.input.judging_options import JudgingSettings, check_judging
from weightpath.cli.input.metric_options import check_metric, column_options, word_options
from weightpath.cli.input.model_options import ModelSettings, make_estimator
from weightpath.cli.input.preparation import MODEL, make_model
from weightpath.cli.input.saved_model import need_skops
from weightpath.cli.input.training_data import Rows, TrainingData, read_training
from weightpath.cli.input.weights import read_ends, weight_columns
from weightpath.cli.output.folder import check_folder

__all__ = ["Plan", "fit_at_start", "prepare"]

Settings = TypeVar("Settings", DataSettings, JudgingSettings, ModelSettings)


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that was read and checked.

    Parameters
    ----------
    data : TrainingData
        The rows of DATA.
    validation : Rows or None
        Those of the validation file.
    start, end : ndarray or str
        The weights at both ends.
    words : (str, str)
        The same in the words of the user.
    model : Pipeline
        Preparation and estimator, not fitted.
    judging : JudgingSettings
        How the path is judged.
    out : Path
        The folder of results.
    html : bool
        Whether a page is among them.
    """

    data: TrainingData
    validation: Rows | None
    start: Any
    end: Any
    words: tuple[str, str]
    model: Any
    judging: JudgingSettings
    out: Path
    html: bool = False

    @property
    def task(self) -> str:
        """The task."""
        return self.data.settings.task

    @property
    def estimator(self) -> Any:
        """The last step of the model."""
        return self.model[MODEL]

    @property
    def metric(self) -> str:
        """The metric, by default that of the task."""
        return self.judging.name(self.task)


def prepare(options: dict[str, Any]) -> Plan:
    """Read all files and check all options; nothing is computed and nothing written."""
    # What writes the model at the end is loaded now, when nobody waits to stop.
    need_skops()
    columns = column_options(options)
    options = {**options, "columns": columns, "parameters": word_options(options)}
    data_settings = _picked(DataSettings, options)
    judging = _picked(JudgingSettings, options)
    words = options["start"], options["end"]
    check_folder(options["out"])
    estimator = make_estimator(data_settings.task, _picked(ModelSettings, options))
    data = read_training(data_settings, weight_columns(data_settings.task, *words))
    rows = data.rows
    check_judging(judging, data_settings.task, rows.y, rows.qid, data.target is not None)
    validation = None if judging.validation is None else data.read_more(judging.validation)
    judged = validation or (data.rows if judging.cv else None)
    given = {**judging.parameters, **columns}
    name, known = judging.name(data_settings.task), estimator.get_params()
    check_metric(name, data_settings.task, data.rows.y, given, judged, known)
    start, end = read_ends(data, *words)
    model = make_model(data.preparation(), estimator)
    html = bool(options.get("html", False))
    return Plan(data, validation, start, end, words, model, judging, options["out"], html)


def _picked(kind: type[Settings], options: dict[str, Any]) -> Settings:
    names = [field.name for field in fields(kind)]
    return kind(**{name: options[name] for name in names if name in options})


def fit_at_start(plan: Plan) -> Any:
    """Return the model at the start weights, with all its steps fitted."""
    rows = plan.data.rows
    with library_errors(plan.out), no_warnings():
        if plan.task == "ranking":
            plan.estimator.set_params(pair_weight=plan.start)
            return plan.model.fit(rows.X, rows.y, **{f"{MODEL}__qid": rows.qid})
        return plan.model.fit(rows.X, rows.y, **{f"{MODEL}__sample_weight": plan.start})
