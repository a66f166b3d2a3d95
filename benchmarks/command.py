"""``python -m benchmarks``: the library beside what one would use instead."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from weightpath.cli.errors import INTERRUPTED, InputError, UserInterruptError
from weightpath.cli.help import RichCommand

__all__ = ["bench"]

# Named here so that the help needs none of them loaded; a test compares them with what there is.
PROBLEMS = {
    "weights": "classification, half of the weights go from 0 to 10",
    "cost": "classification, one C for all rows, from the first event to 10",
    "regression": "support vector regression on the diabetes data, new weights",
    "lasso": "lasso, from the largest penalty to a thousandth of it",
}
RIVALS = {
    "scikit-learn": "SVC and SVR (LIBSVM), from nothing at every breakpoint",
    "intelex": "the same by scikit-learn-intelex (oneDAL)",
    "smo": "sequential minimal optimisation with alpha seeding, warm",
    "qpoases": "qpOASES through CasADi, its own homotopy from breakpoint to breakpoint",
    "daqp": "DAQP, dual active set, warm",
    "piqp": "PIQP, interior point, updated",
    "svmpath": "R's svmpath, where Rscript is found; one C only",
    "lars": "scikit-learn's lars_path; lasso only",
    "celer": "celer at all breakpoints, warm; lasso only",
}
TABLES = {
    "speed": "the toy path beside one SVC fit and refits at every breakpoint",
    "accuracy": "how good their answers are",
    "qpOASES": "the toy path by qpOASES",
    "small-changes": "one weight, one more row",
    "batch": "a thousand changes of one weight in one call, two threads",
    "c-path": "one C for all rows, from 0.001 to 10",
    "ordinary": "all weights, margins of hundreds of rows",
    "further": "the same on real data; WEIGHTPATH_DATA names the folder of spambase",
    "large-margins": "almost every row on the margin",
    "regression": "the path of SVR on the diabetes data",
    "lasso": "the path of the lasso beside lars_path",
    "linear-programs": "paths of L1SVC and L1SVR beside HiGHS at every breakpoint",
    "fits": "first solutions beside scikit-learn's",
    "additions": "one more row, n = 2,000",
    "online": "arrivals at a window beside its refit",
    "slides": "memory and exactness after 10,000 arrivals",
    "readings": "a model on the path, the certificate of the path",
    "influence": "leave-one-out, breast cancer",
    "influence-regression": "leave-one-out, diabetes",
    "data-values": "Shapley and Banzhaf values beside refits",
    "selective": "selective inference of the lasso beside parametric-si",
    "selective-null": "its p-values under the null",
    "conformal": "conformal cutoffs, sets and intervals beside refits",
    "gradients": "derivatives by all weights, beside fits",
    "gradients-layer": "the same beside cvxpylayers",
    "curves": "exact validation curves",
    "example": "the paper's figure of the validation error",
    "regions": "planes of two class costs, ranges of single weights",
    "memory": "peak memory, n = 20,000",
    "caches": "whether a larger cache ever costs time",
    "large-toy": "the whole path of the toy data with up to 100,000 rows",
    "scale": "a hundred thousand rows, a million, texts",
    "end-to-end": "fit, reweight, curve and search on three kinds of data",
    "growth": "time of an event against the number of rows",
    "cluster": "removals on one and two worker processes, one of them killed",
}
EXIT_CODES = [
    ("0", "done; a rival that is missing, too slow or fails is a line of the table"),
    ("2", "bad input, or something asked for by name is not installed"),
    (str(INTERRUPTED), "interrupted by Ctrl-C; what was finished so far was written"),
]
SMALLEST = 40


def _sizes(context, parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        sizes = tuple(int(word) for word in text.replace(",", " ").split())
    except ValueError:
        sizes = ()
    if not sizes or any(n < SMALLEST or n % 4 for n in sizes):
        raise click.BadParameter(
            f"{text!r} will not do. Name multiples of 4, at least {SMALLEST}, with commas between "
            "them: --sizes 200,400,800."
        )
    return sizes


def _names(context, parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name for word in words for name in word.replace(",", " ").split())
    wrong = [name for name in names if name not in PROBLEMS and name not in RIVALS]
    if wrong:
        raise click.BadParameter(
            f"{', '.join(wrong)}: no such problem or solver. There are "
            f"{', '.join([*PROBLEMS, *RIVALS])}."
        )
    return names


def _tables(context, parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(name for word in words for name in word.replace(",", " ").split())
    if wrong := [name for name in names if name not in TABLES]:
        raise click.BadParameter(
            f"{', '.join(wrong)}: no such table. There are {', '.join(TABLES)}."
        )
    return names


@click.command(
    cls=RichCommand,
    examples=[
        ("python -m benchmarks --quick", "tiny sizes, some seconds: does it run here?"),
        ("python -m benchmarks --out bench", "the standard run, some minutes"),
        ("python -m benchmarks --only weights,daqp,smo", "one problem, two rivals"),
        ("python -m benchmarks --sizes 400,1600,6400 --cap 300", "larger, with more patience"),
        ("python -m benchmarks --tables ordinary,online", "two tables about the library alone"),
    ],
    tables={
        "Problems": list(PROBLEMS.items()),
        "Rivals": list(RIVALS.items()),
        "Tables": list(TABLES.items()),
        "Exit codes": EXIT_CODES,
    },
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("weightpath-bench"),
    show_default=True,
    help="Folder for tables and pictures; made if it is not there.",
)
@click.option("--quick", is_flag=True, help="Tiny sizes, to see that all works.")
@click.option(
    "--only",
    metavar="NAME,...",
    multiple=True,
    callback=_names,
    help="Problems and rivals to run, see below; may be given again.  [default: all]",
)
@click.option(
    "--sizes",
    metavar="N,...",
    callback=_sizes,
    help="Rows of all problems but regression.  [default: 200,400,800,1600]",
)
@click.option(
    "--cap",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="When a rival is stopped in a problem.  [default: 60; quick: 20]",
)
@click.option(
    "--full", is_flag=True, help="Also the tables about the library alone, in OUT/tables; an hour."
)
@click.option(
    "--tables",
    metavar="NAME,...",
    multiple=True,
    callback=_tables,
    help="Only these tables about the library alone, see below, in OUT/tables; may be given again.",
)
def bench(
    out: Path,
    quick: bool,
    only: tuple[str, ...],
    sizes: tuple[int, ...] | None,
    cap: float | None,
    full: bool,
    tables: tuple[str, ...],
) -> None:
    """Time whole paths beside what one would use instead.

    Every rival is asked for the solutions at the breakpoints of the path, and one judge looks at
    everybody's answers, from the data alone: how far they are from optimal, and how far the
    objective is above the lowest. One process, one thread, the time of the processor.

    Prints a table for each problem at its largest size; OUT has all sizes as results.md, .csv and
    .json, and pictures of how times grow and of accuracy beside time. Rivals that are not installed
    are named, with how to get them: pip install 'weightpath[bench]'.

    Tables about the library alone, each with what is asked of it, are measured with --full, or
    some of them, without the problems above, with --tables.
    """
    if find_spec("matplotlib") is None:
        raise InputError(
            "The benchmarks draw their results and need matplotlib, not installed here: "
            "pip install 'weightpath[bench,plot]'."
        )
    from benchmarks.command_run import chosen_plan, run_bench, run_some_tables

    if tables and (only or sizes or cap):
        raise InputError("--tables runs no problems: leave --only, --sizes and --cap out.")
    plan = chosen_plan(quick, only, sizes, cap)
    try:
        if tables:
            run_some_tables(out, quick, tables)
        else:
            run_bench(out, plan, full, quick)
    except KeyboardInterrupt:
        raise UserInterruptError(
            f"Interrupted; what was finished so far, if anything, is in {out}."
        ) from None
