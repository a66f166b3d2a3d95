"""Running the experiments: progress, what is left out, Ctrl-C, and the report at the end."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from reproduction.cells import BrokenStoreError
from reproduction.experiment import Options, Progress, module_of, run, wording
from reproduction.report import NothingToReportError, write_report
from weightpath.cli.errors import CommandError, InputError, UnfinishedError, UserInterruptError
from weightpath.datasets import DataNotFoundError

__all__ = ["run_and_report"]


def run_and_report(wanted: Sequence[str], options: Options) -> None:
    """Run experiments, write the report of all that is there, and end as the help says."""
    console = Console(highlight=False, stderr=True)
    problems: dict[str, CommandError] = {}
    try:
        for name in wanted:
            problem = _run_one(name, options, console)
            if problem is None:
                continue
            if len(wanted) == 1:
                raise problem
            problems[name] = problem
            console.print(f"[bold]{name} is left out.[/bold] {escape(problem.message)}")
    except KeyboardInterrupt:
        with suppress(InputError):  # nothing was finished
            _write_report(wanted, options, problems, console)
        raise UserInterruptError(
            "Interrupted. What was finished is kept: the same command goes on from there."
        ) from None
    _write_report(wanted, options, problems, console)
    if problems:
        raise UnfinishedError(f"Left out: {', '.join(problems)}. All else is done.")


def _run_one(name: str, options: Options, console: Console) -> CommandError | None:
    """Run one experiment; return why it could not be done, if so."""
    try:
        with _progress(name, console) as progress:
            run(name, options, progress)
    except DataNotFoundError:
        folder = module_of(name).DATA
        where = options.data or "the usual places"
        return InputError(
            f"{name} needs the data set '{folder}', which is not in {where}. Put its files into a "
            f"folder '{folder}' and name the folder that holds it, by --data DIR or by "
            f"WEIGHTPATH_DATA; weightpath.datasets.load_{folder} says which files, and from where."
        )
    except BrokenStoreError as error:
        return InputError(str(error))
    except Exception as error:
        # A defect in one experiment must not end a run of hours: the others are still to come.
        console.print(escape(traceback.format_exc()))
        return CommandError(f"{name} failed: {type(error).__name__}: {error}")
    return None


@contextmanager
def _progress(name: str, console: Console) -> Iterator[Progress]:
    """Show how many cells are done: a bar on a terminal, a line for each cell elsewhere."""
    if not console.is_terminal:

        def write(done: int, total: int, cell: dict | None) -> None:
            now = f": {wording(cell)}" if cell else ""
            click.echo(f"{name}, {done} of {total} cells{now}", err=True)

        yield write
        return
    columns = (
        TextColumn(f"{name:16}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("cells"),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.description}"),
    )
    with ProgressBar(*columns, console=console) as bar:
        task = bar.add_task("loading", total=None)

        def show(done: int, total: int, cell: dict | None) -> None:
            now = wording(cell) if cell else "loading" if done < total else ""
            bar.update(task, completed=done, total=total, description=now)

        yield show


def _write_report(
    wanted: Sequence[str], options: Options, problems: dict[str, CommandError], console: Console
) -> None:
    why = {name: problem.message for name, problem in problems.items()}
    with console.status("Writing the report"):
        try:
            file = write_report(options, wanted, why)
        except (NothingToReportError, BrokenStoreError) as error:
            raise InputError(str(error)) from None
    click.echo(f"Report: {file}")
