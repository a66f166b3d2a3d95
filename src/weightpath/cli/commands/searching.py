"""Cross-validation along paths, for both commands."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from weightpath.cli.commands.plan import Plan
from weightpath.errors import EventCapWarning
from weightpath.selection import PathSearchCV

__all__ = ["make_search", "run_search"]


def make_search(plan: Plan, progress: Callable[[int, int], Any], **options: Any) -> PathSearchCV:
    """Return the search that the options ask for, not run yet."""
    return PathSearchCV(
        plan.estimator,
        plan.metric,
        cv=plan.judging.splitter(plan.task),
        n_jobs=plan.judging.jobs,
        metric_params={**plan.judging.parameters, **plan.data.rows.more},
        progress=progress,
        **options,
    )


def run_search(plan: Plan, search: PathSearchCV) -> PathSearchCV:
    """Run a search on all rows."""
    rows = plan.data.rows
    more: dict[str, Any] = {}
    if plan.task == "ranking":
        more = {"qid": rows.qid, **({} if plan.judging.shuffle is None else {"groups": rows.qid})}
    with _no_warnings():
        return search.fit(
            rows.X, rows.y, start=plan.start, end=plan.end, validation_weight=rows.cost, **more
        )


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Leave it to errors to say that paths were stopped, in worker processes as well."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EventCapWarning)
            yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before
