"""``python -m reproduction``: the paper's experiments, resumed where they stopped, and a report."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from weightpath.cli.errors import BAD_INPUT, INTERRUPTED, UNFINISHED, InputError
from weightpath.cli.help import RichCommand

__all__ = ["reproduce"]

# Named here so that the help needs none of them loaded; a test compares them with what there is.
EXPERIMENTS = {
    "schematic": "Figures 2 and 15: a critical region, crossing outputs; no data needed",
    "table1": "Table 1: time, events and margins on artificial data; no data needed",
    "toy": "section 4.1: data, paths and exact validation error; no data needed",
    "online": "section 4.2: a window over the NASDAQ index; data: nasdaq",
    "covariate-shift": "section 4.3: from equal to importance weights; data: bci",
    "heteroscedastic": "section 5.1: unequal noise; data: boston",
    "ranking": "section 5.2: from uniform to relevance weights; data: ohsumed",
    "transduction": "section 5.3: Joachims' algorithm; data: spambase",
}
ALL, REPORT = "all", "report"
WHAT = {
    **EXPERIMENTS,
    ALL: "all of them; those without data are left out",
    REPORT: "nothing: only the report, of what is there",
}
EXIT_CODES = [
    ("0", "done, all of it"),
    (str(BAD_INPUT), "bad input, or no data for the one experiment that was asked for"),
    (str(UNFINISHED), "some experiments were left out or failed; the others are done"),
    (str(INTERRUPTED), "interrupted by Ctrl-C; what was finished is kept and reported"),
]
# What has to be there beside the commands themselves, and the extra that brings it.
NEEDED = {"numba": "bench", "matplotlib": "report", "jinja2": "report"}


@click.command(
    cls=RichCommand,
    examples=[
        ("python -m reproduction table1 toy --out results", "what needs no data"),
        ("python -m reproduction all --data DIR --out results --quick", "all of it, in minutes"),
        ("python -m reproduction all --data DIR --out results", "all of it, in hours"),
        ("python -m reproduction online --part cost --out results", "only its table of times"),
        ("python -m reproduction report --out results", "the report again, of what is there"),
    ],
    tables={"What": list(WHAT.items()), "Exit codes": EXIT_CODES},
)
@click.argument("what", nargs=-1, required=True, metavar="WHAT...", type=click.Choice(list(WHAT)))
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    envvar="WEIGHTPATH_DATA",
    help="Folder of the real data sets, else WEIGHTPATH_DATA, else the user's cache.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("weightpath-reproduction"),
    show_default=True,
    help="Folder for results and report; what it has already is not measured again.",
)
@click.option("--quick", is_flag=True, help="A small part of everything, in minutes.")
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    metavar="COUNT",
    help="Runs of each path, or data sets; else 10, if quick 1 or 2.",
)
@click.option(
    "--cap",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="When to stop a rival in a cell of a table; else 600, if quick 5.",
)
@click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="PART",
    help="Only this part: of online cost or error, of ranking path, rival or growth. Repeatable.",
)
def reproduce(
    what: tuple[str, ...],
    data: Path | None,
    out: Path,
    quick: bool,
    repetitions: int | None,
    cap: float | None,
    parts: tuple[str, ...],
) -> None:
    """Run the paper's experiments and report them beside the paper's figures.

    Every cell of a table is written when it is done. Run the same command again, after Ctrl-C or a
    crash, and it goes on where it stopped. The report of all that is in the folder, report.html
    and report.md, is written at the end.
    """
    missing = [name for name in NEEDED if not _is_installed(name)]
    if missing:
        extras = ",".join(sorted({NEEDED[name] for name in missing}))
        raise InputError(
            f"The reproduction needs {', '.join(missing)}, not installed here: "
            f"pip install 'weightpath[{extras}]'."
        )
    from reproduction.command_run import run_and_report
    from reproduction.experiment import Options

    wanted = [name for name in EXPERIMENTS if name in what or ALL in what]
    run_and_report(wanted, Options(out, data, quick, repetitions, cap, parts))


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # in sys.modules without a spec
        return False
