"""The end of a command: the summary in files and on the screen, and the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import click

from weightpath.cli.commands.estimate import confirm, estimate
from weightpath.cli.commands.plan import Plan, prepare
from weightpath.cli.errors import FINE
from weightpath.cli.output.findings import plain
from weightpath.cli.output.folder import OutputFolder
from weightpath.cli.output.live_progress import LiveProgress
from weightpath.cli.output.summary import as_markdown, print_summary

__all__ = ["finish", "run_command"]


def finish(output: OutputFolder, found: dict[str, Any]) -> dict[str, Any]:
    """Write both summaries, tidy up, and return what was found as plain values."""
    from weightpath import __version__

    files = [*output.files, "summary.md", "summary.json"]
    found = plain(found | {"version": __version__})
    found["files"] = {name: str(output.folder / name) for name in files}
    output.text("summary.md", as_markdown(found))
    output.text("summary.json", json.dumps(found, indent=2, allow_nan=False) + "\n")
    output.tidy()
    return found


def run_command(
    run: Callable[[Plan, LiveProgress], dict[str, Any]],
    options: dict[str, Any],
    n_points: int = 1,
) -> None:
    """Prepare, run and report; the exit code says how it went.

    Parameters
    ----------
    run : callable
        Does the work and returns what was found.
    options : dict
        Those of the command.
    n_points : int, default=1
        The points of a grid: every fold has a path for each.
    """
    as_json, yes = options["as_json"], options.pop("yes")
    with LiveProgress(quiet=as_json) as live:
        plan = prepare(options)
        live.begin("Estimating time and memory")
        cost = estimate(plan, n_points * (plan.judging.cv or 0), plan.judging.jobs)
    confirm(cost, yes, quiet=as_json)
    with LiveProgress(quiet=as_json) as live:
        found = run(plan, live)
    if as_json:
        click.echo(json.dumps(found, allow_nan=False))
    else:
        print_summary(found)
    if found["exit_code"] != FINE:
        if not sys.stdout.isatty():
            click.echo(f"{found['headline']} (exit code {found['exit_code']})", err=True)
        click.get_current_context().exit(found["exit_code"])
