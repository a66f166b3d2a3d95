"""How long a command will take and how much memory it will need, before it does."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from math import log
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from weightpath.cli.commands.library_errors import no_warnings
from weightpath.cli.commands.plan import Plan
from weightpath.cli.errors import InputError
from weightpath.cli.input.preparation import MODEL
from weightpath.engine import watching
from weightpath.errors import PathError
from weightpath.estimators import reweight
from weightpath.path import SolutionPath

__all__ = ["Cost", "confirm", "estimate"]

# Below so many rows (and paths) nothing takes long. Otherwise paths over this many rows, and over
# half as many, are followed and judged to see how time and memory grow.
FEW_ROWS, FEW_PATHS = 4_000, 40
PILOT = 2_000

# Seconds after which such a path is stopped: the rest is estimated from how far it came.
PILOT_TIME = 10.0

# From here on an estimate is shown, and from here on one is asked whether to go on: seconds.
WORTH_SAYING = 30.0
LONG = 600.0

# Time and memory grow as powers of the number of rows between these: the kernel matrix has its
# square.
SLOWEST, FASTEST = 2.0, 3.5

# Seconds of the certificate, which covers less of a long path, and of pictures.
EXTRA = 15.0

# The interpreter and its libraries, in bytes.
PROGRAM = 250e6


@dataclass(frozen=True)
class Cost:
    """Seconds and bytes, roughly."""

    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"about {_duration(self.seconds)} and {_size(self.memory)} of memory"


def estimate(plan: Plan, n_paths: int, n_jobs: int) -> Cost | None:
    """Return what a command will cost; None if it is little or cannot be told.

    Parameters
    ----------
    plan : Plan
        What is to be done.
    n_paths : int
        How many paths over most of the rows are followed besides that over all of them.
    n_jobs : int
        How many of them at the same time.
    """
    n = len(plan.data)
    if n < FEW_ROWS and n_paths < FEW_PATHS:
        return None
    order = np.random.default_rng(0).permutation(n)
    size = min(PILOT, n // 2)
    try:
        # The first one only loads what is needed.
        sizes = (size // 8, size // 2, size)
        _, half, whole = (_pilot(plan, _some(plan, order, rows)) for rows in sizes)
    except (PathError, ValueError):
        # What is wrong will be said when the work is done.
        return None
    share = (plan.judging.cv - 1) / plan.judging.cv if plan.judging.cv else 1.0
    workers = n_jobs if n_jobs > 0 else os.cpu_count() or 1
    rounds = -(-n_paths // workers)
    seconds = EXTRA + _grown(half.seconds, whole.seconds, n / size)
    seconds += rounds * _grown(half.seconds, whole.seconds, n * share / size)
    record = _grown(half.memory, whole.memory, n / size)
    kernel = min(8.0 * n * n, 1e6 * plan.estimator.cache_size)
    n_features = plan.data.rows.X.shape[1]
    held = 3 * record + kernel + 24.0 * n * n_features
    return Cost(seconds, PROGRAM + held + (min(workers, n_paths) - 1) * held * (n_paths > 1))


def confirm(cost: Cost | None, yes: bool, quiet: bool) -> None:
    """Say what a command will cost; ask whether to go on if that is much, unless ``yes``.

    Without a terminal to ask on, it is refused.
    """
    if cost is None or cost.seconds < WORTH_SAYING:
        return
    if yes or (cost.seconds < LONG and cost.memory < _all_memory()):
        click.echo(f"This takes {cost}.", err=True)
        return
    if not quiet and sys.stdin.isatty() and sys.stderr.isatty():
        click.echo(f"This takes {cost}.", err=True)
        if click.confirm("Go on?", err=True):
            return
        raise InputError("Not run. Fewer rows, folds or points of a grid take less.")
    raise InputError(
        f"This would take {cost}. --yes does it all the same; fewer rows, folds or points of a "
        "grid take less."
    )


def _some(plan: Plan, order: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Return some rows: of a ranking whole queries, else by chance, with every class among them."""
    rows = plan.data.rows
    if rows.qid is not None and plan.task == "ranking":
        queries = np.unique(rows.qid)
        n_queries = max(2, round(len(queries) * size / len(rows)))
        return np.flatnonzero(np.isin(rows.qid, queries[order[order < len(queries)][:n_queries]]))
    chosen = order[:size]
    if plan.task == "classification":
        firsts = [order[rows.y[order] == label][:3] for label in np.unique(rows.y)]
        chosen = np.unique(np.concatenate([chosen, *firsts]))
    return np.sort(chosen)


def _pilot(plan: Plan, chosen: NDArray[np.intp]) -> Cost:
    """Return what a path over some rows costs."""
    rows, model = plan.data.rows, clone(plan.model)
    X = rows.X.iloc[chosen] if hasattr(rows.X, "iloc") else rows.X[chosen]
    began = time.perf_counter()
    stopped_at = 1.0

    def look(theta: float, n_events: int, margin_size: int) -> bool:
        nonlocal stopped_at
        too_long = time.perf_counter() - began > PILOT_TIME
        if too_long and theta > 0.0:
            stopped_at = min(stopped_at, theta)
        return too_long

    with no_warnings(), watching(look):
        if plan.task == "ranking":
            model[MODEL].set_params(pair_weight=plan.start)
            qid = np.asarray(rows.qid)[chosen]
            path = reweight(model.fit(X, rows.y[chosen], **{f"{MODEL}__qid": qid}), plan.end)
        else:
            weights = {f"{MODEL}__sample_weight": plan.start[chosen]}
            path = reweight(model.fit(X, rows.y[chosen], **weights), plan.end[chosen])
        _judge(plan, path, X, chosen)
    seconds = (time.perf_counter() - began) / stopped_at
    return Cost(seconds, sum(_bytes(part.record) for part in path.parts) / stopped_at)


def _judge(plan: Plan, path: SolutionPath, X: Any, chosen: NDArray[np.intp]) -> None:
    """Trace the curve that was asked for, if any, on the rows of a path themselves."""
    if plan.judging.cv is None and plan.judging.validation is None:
        return
    rows = plan.data.rows
    more: dict[str, Any] = {name: column[chosen] for name, column in rows.more.items()}
    more |= {} if rows.qid is None else {"qid": rows.qid[chosen]}
    cost = None if rows.cost is None else rows.cost[chosen]
    parameters = plan.judging.parameters
    path.curve(X, rows.y[chosen], plan.metric, sample_weight=cost, **parameters, **more)


def _bytes(record: Any) -> float:
    return float(sum(array.nbytes for array in record.to_arrays().values()))


def _grown(half: float, whole: float, times: float) -> float:
    """Return what something grows to that has doubled from one value to another."""
    power = log(max(whole, 1e-9) / max(half, 1e-9), 2.0)
    return float(whole * times ** min(max(power, SLOWEST), FASTEST))


def _all_memory() -> float:
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{round(seconds, -1):.0f} seconds"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{round(n_bytes / 1e6, -1):.0f} MB"
