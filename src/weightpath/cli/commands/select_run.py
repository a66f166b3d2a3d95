"""``weightpath select``: search, refit, certify, write."""

from __future__ import annotations

import time
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.cli.commands.cluster import on_cluster
from weightpath.cli.commands.library_errors import library_errors
from weightpath.cli.commands.plan import Plan
from weightpath.cli.commands.run import finish
from weightpath.cli.commands.searching import make_search, run_search
from weightpath.cli.errors import FINE, INTERRUPTED, InputError
from weightpath.cli.input.preparation import MODEL
from weightpath.cli.input.saved_model import save_model
from weightpath.cli.interrupts import requests_by_interrupt, save_from_now_on
from weightpath.cli.output.findings import (
    about_curve,
    about_data,
    about_model,
    about_path,
    certificate,
)
from weightpath.cli.output.folder import (
    OutputFolder,
    write_curve,
    write_curves,
    write_events,
    write_table,
    write_weights,
)
from weightpath.cli.output.live_progress import LiveProgress
from weightpath.cli.output.pictures import draw_pictures
from weightpath.selection import PathSearchCV

__all__ = ["run_select"]


def run_select(
    plan: Plan, live: LiveProgress, search: dict[str, Any], address: str | None
) -> dict[str, Any]:
    """Do everything that was planned, and write it; return what was found."""
    live.begin("Cross-validation", total=plan.judging.cv)

    def progress(done: int, total: int) -> None:
        live.tasks(done, total)
        if done == total:
            live.begin("Following the path on all rows")

    chooser = make_search(
        plan,
        progress,
        param_grid=_grid(plan, search),
        choice=search["choice"],
        towards=search["towards"],
    )
    began = time.perf_counter()
    with library_errors(plan.out), on_cluster(address):
        run_search(plan, chooser)
    seconds = time.perf_counter() - began
    live.begin("Certifying")
    found: dict[str, Any] = {
        "command": "select",
        "status": "complete",
        "exit_code": FINE,
        "headline": _headline(chooser),
        "data": about_data(plan.data, chooser.best_estimator_),
        "model": about_model(chooser.best_estimator_[MODEL], *plan.words),
        "search": {
            "folds": int(chooser.n_splits_),
            "grid_points": len(chooser.curves_),
            "best_params": {_plain(name): value for name, value in chooser.best_params_.items()},
            "seconds": seconds,
        },
        "chosen": {
            "theta": float(chooser.best_theta_),
            "value": float(chooser.best_score_),
            "interval": chooser.best_interval_,
            "rule": search["choice"],
        },
        "path": about_path(chooser.path_),
        "certificate": certificate(chooser.path_),
        "curve": about_curve(
            chooser.curve_, f"mean over {chooser.n_splits_} folds", plan.judging.parameters
        ),
    }
    live.begin("Writing and drawing")
    save_from_now_on()
    return _write(plan, chooser, found)


def _grid(plan: Plan, search: dict[str, Any]) -> dict[str, list[Any]] | None:
    grid = {
        name: list(dict.fromkeys(chain.from_iterable(search[f"grid_{name}"])))
        for name in ("C", "gamma")
    }
    if grid["gamma"] and plan.estimator.kernel == "linear":
        raise InputError("--grid-gamma: the linear kernel has no gamma.")
    if grid["C"] and plan.task == "one-class":
        raise InputError("--grid-C: a model of one class has no C.")
    return {f"{MODEL}__{name}": values for name, values in grid.items() if values} or None


def _plain(name: str) -> str:
    """Return the name of a parameter of the estimator without that of the step."""
    return name.removeprefix("param_").removeprefix(f"{MODEL}__")


def _headline(chooser: PathSearchCV) -> str:
    low, high = chooser.best_interval_
    holds = f", for theta from {low:.6f} to {high:.6f}" if low < high else ""
    return (
        f"Chosen: theta = {chooser.best_theta_:.6f}, {chooser.curve_.metric} "
        f"{chooser.best_score_:.6g}{holds}."
    )


def _write(plan: Plan, chooser: PathSearchCV, found: dict[str, Any]) -> dict[str, Any]:
    """Write all files; return what was found. Ctrl-C leaves out those that are not written yet."""
    output = OutputFolder(plan.out)
    notes = [*plan.data.notes]
    try:
        output.write("model.skops", lambda file: save_model(file, chooser.best_estimator_))
        output.write("curve.csv", lambda file: write_curve(file, chooser.curve_))
        output.write("fold_curves.csv", lambda file: write_curves(file, chooser.fold_curves_))
        output.write("weights.csv", lambda file: write_weights(file, _weights(plan, chooser)))
        output.write("path.npz", chooser.path_.save)
        output.write("events.csv", lambda file: write_events(file, chooser.path_))
        if found["search"]["grid_points"] > 1:
            output.write("grid.csv", lambda file: _write_grid(file, chooser.results_))
        notes += draw_pictures(output, chooser.path_, chooser.curve_, chooser.fold_curves_)
    except KeyboardInterrupt:
        found |= {"status": "interrupted", "exit_code": INTERRUPTED}
        notes.append("Interrupted while files were written: those listed are complete.")
    # The summary takes no time, and says what there is.
    with requests_by_interrupt():
        return finish(output, found | {"notes": notes})


def _weights(plan: Plan, chooser: PathSearchCV) -> dict[str, NDArray[Any]]:
    """Return the weights row by row; of a ranking those of its pairs."""
    chosen = np.asarray(chooser.best_weights_)
    if plan.task != "ranking":
        return {"start": plan.start, "end": plan.end, "chosen": chosen}
    pairs = chooser.best_estimator_[MODEL].pairs_
    return {"more_relevant": pairs[:, 0], "less_relevant": pairs[:, 1], "chosen": chosen}


def _write_grid(file: Path, results: dict[str, Any]) -> None:
    names = [name for name in results if name != "params"]
    columns = [np.asarray(results[name], dtype=object).tolist() for name in names]
    write_table(file, [_plain(name) for name in names], zip(*columns, strict=True))
