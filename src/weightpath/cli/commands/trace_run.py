"""``weightpath trace``: fit, follow, certify, judge, write."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

from weightpath.cli.commands.library_errors import library_errors
from weightpath.cli.commands.plan import Plan, fit_at_start
from weightpath.cli.commands.run import finish
from weightpath.cli.errors import FINE, INTERRUPTED, UNFINISHED, explained
from weightpath.cli.input.preparation import MODEL
from weightpath.cli.input.saved_model import save_model
from weightpath.cli.interrupts import requests_by_interrupt, save_from_now_on
from weightpath.cli.output.findings import (
    about_curve,
    about_data,
    about_model,
    about_path,
    certificate,
    theta_of_interest,
)
from weightpath.cli.output.folder import OutputFolder, write_curve, write_events
from weightpath.cli.output.live_progress import LiveProgress
from weightpath.cli.output.page import write_page
from weightpath.cli.output.pictures import draw_pictures
from weightpath.curves import Curve
from weightpath.engine import COMPLETE, STOPPED_AT_CAP, watching
from weightpath.errors import EventCapWarning, PathError
from weightpath.estimators import reweight
from weightpath.path import SolutionPath

__all__ = ["run_trace"]

HEADLINES = {
    FINE: "The path is complete.",
    UNFINISHED: "The path could not be completed: what there is of it was written.",
    INTERRUPTED: "Interrupted: what there is of the path was written.",
}


@dataclass(eq=False)
class Tracing:
    """What has been computed so far."""

    model: Any
    path: SolutionPath
    seconds: float
    interrupted: bool
    certificate: dict[str, Any] | None = None
    curve: Curve | None = None
    folds: tuple[Curve, ...] = ()
    notes: list[str] = field(default_factory=list)
    curve_failed: bool = False

    @property
    def exit_code(self) -> int:
        """How the command ends."""
        if self.interrupted:
            return INTERRUPTED
        return FINE if self.path.status == COMPLETE and not self.curve_failed else UNFINISHED


def run_trace(plan: Plan, live: LiveProgress) -> dict[str, Any]:
    """Do everything that was planned, and write it; return what was found."""
    live.begin("Fitting at the start weights")
    model = fit_at_start(plan)
    tracing = _follow(plan, model, live)
    save_from_now_on()
    try:
        live.begin("Certifying")
        tracing.certificate = certificate(tracing.path, hurry=tracing.interrupted)
        if not tracing.interrupted:
            _judge(plan, tracing, live)
    except KeyboardInterrupt:
        tracing.interrupted = True
    live.begin("Writing and drawing")
    return _write(plan, tracing)


def _follow(plan: Plan, model: Any, live: LiveProgress) -> Tracing:
    """Follow the path; Ctrl-C ends it where it is."""
    live.begin("Following the path", total=1.0)

    def stopping() -> None:
        live.begin("Stopping; Ctrl-C again gives up", total=1.0)

    with requests_by_interrupt(stopping) as request, warnings.catch_warnings():
        warnings.simplefilter("ignore", EventCapWarning)

        def look(theta: float, n_events: int, margin_size: int) -> bool:
            live.path(theta, n_events, margin_size)
            return request.made

        began = time.perf_counter()
        with library_errors(plan.out), watching(look):
            path = reweight(model, plan.end)
        seconds = time.perf_counter() - began
    tracing = Tracing(model, path, seconds, request.made)
    if path.status == STOPPED_AT_CAP:
        tracing.notes.append(
            f"Stopped after --max-events {plan.estimator.max_events}, at theta = "
            f"{path.theta[-1]:.6f}. Raise it to go further."
        )
    return tracing


def _judge(plan: Plan, tracing: Tracing, live: LiveProgress) -> None:
    """Trace the curve that was asked for, if any."""
    rows = plan.validation
    if rows is not None:
        live.begin("Tracing the curve")
        with library_errors(plan.out):
            options = {"qid": rows.qid, **plan.judging.parameters, **rows.more}
            tracing.curve = tracing.path.curve(
                rows.X, rows.y, plan.metric, sample_weight=rows.cost, **options
            )
    elif plan.judging.cv is not None and tracing.path.status == COMPLETE:
        _cross_validate(plan, tracing, live)


def _cross_validate(plan: Plan, tracing: Tracing, live: LiveProgress) -> None:
    from weightpath.cli.commands.searching import make_search, run_search

    live.begin("Cross-validation", total=plan.judging.cv)
    search = make_search(plan, live.tasks, refit=False)
    try:
        run_search(plan, search)
    except PathError as error:
        tracing.curve_failed = True
        tracing.notes.append(f"No curve: {explained(error)}")
        return
    except ValueError as error:
        with library_errors(plan.out):
            raise error
    tracing.curve, tracing.folds = search.curve_, tuple(search.fold_curves_)


def _write(plan: Plan, tracing: Tracing) -> dict[str, Any]:
    """Write all files; return what was found. Ctrl-C leaves out those that are not written yet."""
    path, curve = tracing.path, tracing.curve
    found = _found(plan, tracing)
    output = OutputFolder(plan.out)
    try:
        output.write("path.npz", path.save)
        model = path.model_at(theta_of_interest(found))
        output.write("model.skops", lambda file: save_model(file, model))
        output.write("events.csv", lambda file: write_events(file, path))
        if curve is not None:
            output.write("curve.csv", lambda file: write_curve(file, curve))
        if not tracing.interrupted:
            tracing.notes += draw_pictures(output, path, curve, tracing.folds)
        if plan.html and not tracing.interrupted:
            tracing.notes += write_page(output, path, curve, plan.validation, _title(plan))
    except KeyboardInterrupt:
        tracing.interrupted = True
    notes = [*plan.data.notes, *tracing.notes]
    # The summary takes no time, and says what there is.
    with requests_by_interrupt():
        return finish(output, {**found, **_ending(tracing), "notes": notes})


def _found(plan: Plan, tracing: Tracing) -> dict[str, Any]:
    """Return what was found."""
    found: dict[str, Any] = {
        "command": "trace",
        **_ending(tracing),
        "data": about_data(plan.data, tracing.model),
        "model": about_model(tracing.model[MODEL], *plan.words),
        "path": about_path(tracing.path, tracing.seconds),
    }
    if tracing.certificate is not None:
        found["certificate"] = tracing.certificate
    if tracing.curve is not None:
        found["curve"] = about_curve(tracing.curve, _source(plan), plan.judging.parameters)
    return found


def _ending(tracing: Tracing) -> dict[str, Any]:
    """Return how the command ends, in words and as a code."""
    code = tracing.exit_code
    words = {FINE: "complete", INTERRUPTED: "interrupted"}
    return {
        "status": words.get(code, str(tracing.path.status)),
        "exit_code": code,
        "headline": HEADLINES[code],
    }


def _title(plan: Plan) -> str:
    start, end = plan.words
    return f"{plan.data.settings.data.name}: weights from {start} to {end}"


def _source(plan: Plan) -> str:
    if plan.judging.validation is not None:
        return f"on {plan.judging.validation}"
    return f"mean over {plan.judging.cv} folds"
