"""Cross-validation along paths, for both commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weightpath.cli.commands.library_errors import no_warnings
from weightpath.cli.commands.plan import Plan
from weightpath.selection import PathSearchCV

__all__ = ["make_search", "run_search"]


def make_search(plan: Plan, progress: Callable[[int, int], Any], **options: Any) -> PathSearchCV:
    """Return the search that the options ask for, not run yet."""
    return PathSearchCV(
        plan.model,
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
    with no_warnings():
        return search.fit(
            rows.X, rows.y, start=plan.start, end=plan.end, validation_weight=rows.cost, **more
        )
