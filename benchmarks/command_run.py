"""``python -m benchmarks`` at work: progress while it runs, tables at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console, JustifyMethod
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from benchmarks.contest import pictures, results
from benchmarks.contest.entry import NOT_INSTALLED, NOT_RUN, Entry
from benchmarks.contest.growth import growths
from benchmarks.contest.plan import QUICK, Plan
from benchmarks.contest.problems import FAMILIES
from benchmarks.contest.run import run_contest
from benchmarks.contest.solvers import OURS, RIVALS
from weightpath.cli.errors import InputError

__all__ = ["chosen_plan", "run_bench", "run_some_tables"]

WIDTH = 120


def chosen_plan(
    quick: bool, only: tuple[str, ...], sizes: tuple[int, ...] | None, cap: float | None
) -> Plan:
    """The plan that the options ask for; a rival asked for by name has to be there."""
    plan = QUICK if quick else Plan()
    if sizes is not None:
        plan = replace(plan, sizes=sizes)
    if cap is not None:
        plan = replace(plan, cap=cap)
    families = tuple(one.name for one in FAMILIES if one.name in only)
    solvers = tuple(one.name for one in RIVALS if one.name in only)
    plan = replace(plan, families=families, solvers=solvers)
    for rival in RIVALS:
        if rival.name in solvers and (reason := rival().missing()) is not None:
            raise InputError(f"{rival.name} is {reason}.")
    if not plan.problems():
        raise InputError(
            f"{', '.join(solvers)} cannot solve {', '.join(families)}. python -m benchmarks --help "
            "says who solves what."
        )
    return plan


def run_bench(out: Path, plan: Plan, full: bool, quick: bool) -> None:
    """Run the contest, write it into ``out`` and print the tables."""
    entries: list[Entry] = []
    with _progress(plan.count_runs()) as announce:
        for group in run_contest(plan, announce):
            entries += group
            # After each problem, so that an interrupt leaves what is finished.
            results.write(out, plan, entries)
    files = pictures.draw(out, entries)
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    _print_tables(console, entries)
    written = ["results.md", "results.csv", "results.json", *(file.name for file in files)]
    console.print(Text(f"Written to {out}: {', '.join(written)}"), soft_wrap=True)
    if full:
        run_some_tables(out, quick)


def run_some_tables(out: Path, quick: bool, names: Sequence[str] = ()) -> None:
    """Measure tables about the library alone, or all of them; print what was asked of them."""
    from benchmarks.tables import run_tables

    judged = run_tables(out / "tables", quick, names)["bars"]
    console = Console(highlight=False, soft_wrap=True)
    for bar in judged:
        style = "" if bar["verdict"] == "pass" else "bold red"
        line = f"{bar['verdict']}  {bar['bar']}: {bar['measured']} ({bar['asked']})"
        console.print(Text(line, style=style))
    console.print(Text(f"Written to {out / 'tables'}: {', '.join(names) or 'all other tables'}"))


@contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, a line for each run elsewhere; all on standard error.

    The bar is drawn only when something new begins: a thread that draws would take time from those
    who are measured.
    """
    console = Console(highlight=False, stderr=True)
    if not console.is_terminal:
        done = 0

        def write(what: str) -> None:
            nonlocal done
            done += 1
            console.print(f"{done} of {total}: {what}", soft_wrap=True)

        yield write
        return
    columns = (
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.description}"),
    )
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("", total=total)
        begun = 0

        def show(what: str) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=what, refresh=True)
            begun += 1

        yield show


def _print_tables(console: Console, entries: list[Entry]) -> None:
    """The largest problem of each family."""
    laws = growths(entries)
    largest = {family: (n, group) for family, n, group in results.by_problem(entries)}
    for family, (n, group) in largest.items():
        console.print(f"\n[bold]{family.title}[/bold]")
        console.print(Text(results.heading(n, group), style="dim"))
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan", pad_edge=False)
        for name in results.COLUMNS[:-1]:
            side: JustifyMethod = "left" if name == "solver" else "right"
            table.add_column(name.replace(" ", "\n"), justify=side, vertical="bottom", no_wrap=True)
        for entry in group:
            cells = results.cells(entry, laws.get((entry.family, entry.solver)))[:-1]
            style = "bold" if entry.solver == OURS.name else ""
            if entry.status in (NOT_INSTALLED, NOT_RUN):
                style = "dim"
            table.add_row(*(Text(cell) for cell in cells), style=style)
        console.print(table)
        for entry in group:
            if entry.note:
                console.print(Text(f"{entry.label}: {entry.note}", style="dim"), soft_wrap=True)
    console.print()
