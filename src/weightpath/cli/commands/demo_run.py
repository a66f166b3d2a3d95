"""``weightpath demo``: the study of the toy data as a table, a picture and next steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from weightpath.cli.commands.demo_study import TIGHT, ToyStudy, study_toy

__all__ = ["run_demo"]

PICTURE = "toy-path.png"
PATH = "path.npz"

# What was found, its value, and a note on it.
Row = tuple[str, str, str]


def run_demo(out: Path, n: int, seed: int) -> None:
    """Run the demonstration and write its results to ``out``."""
    console = Console(highlight=False)
    console.width = min(console.width, 100) if console.is_terminal else 100
    out.mkdir(parents=True, exist_ok=True)
    with console.status("Drawing the data") as status:
        study = study_toy(n, seed, lambda what: status.update(f"{what} ..."))
        status.update("Drawing ...")
        picture = _draw(study, out / PICTURE)
        study.path.save(out / PATH)
    _print_results(console, study)
    _print_next_steps(console, out, picture)


def _draw(study: ToyStudy, file: Path) -> bool:
    """Draw the picture; return whether Matplotlib was there to do it."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    from weightpath.cli.commands.demo_picture import draw_toy

    draw_toy(study, file)
    return True


def _print_results(console: Console, study: ToyStudy) -> None:
    console.print(
        f"\n[bold]One path instead of {study.n_breakpoints:,} fits.[/bold] "
        f"{len(study.train.y):,} rows; C₁, the weight of half of them, goes from 0 to "
        f"{study.train.C:g} as θ goes from 0 to 1.\n"
    )
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for heading, rows in _sections(study):
        table.add_row(Text(heading, style="bold cyan"))
        for name, value, note in rows:
            table.add_row(f"  {name}", value, note)
        table.add_row()
    console.print(table)


def _sections(study: ToyStudy) -> Iterator[tuple[str, list[Row]]]:
    yield "The path", _path_rows(study)
    yield "Its certificate, from the data alone", _certificate_rows(study)
    yield "Its time", _time_rows(study)
    yield "What it tells", _validation_rows(study)


def _path_rows(study: ToyStudy) -> list[Row]:
    sizes = study.path.margin_size()[1]
    return [
        ("events: an instance changes its set", f"{study.path.n_events:,}", ""),
        ("breakpoints, both ends included", f"{study.n_breakpoints:,}", ""),
        ("instances on the margin, mean", f"{sizes.mean():.2f}", f"at most {sizes.max()}"),
    ]


def _certificate_rows(study: ToyStudy) -> list[Row]:
    objective = [f"of {study.path.at(theta).objective:.6g}" for theta in (0.0, 1.0)]
    n_places = study.agreement.n_places
    return [
        ("largest KKT violation", f"{study.violation:.1e}", "all breakpoints and middles"),
        ("duality gap at θ = 0", f"{study.gaps[0]:.1e}", objective[0]),
        ("duality gap at θ = 1", f"{study.gaps[1]:.1e}", objective[1]),
        (
            "largest difference to LIBSVM",
            f"{study.agreement.largest_difference:.1e}",
            f"decision values at {n_places} breakpoints; LIBSVM, at tol = {TIGHT:g}, has kernel "
            "values in single precision",
        ),
    ]


def _time_rows(study: ToyStudy) -> list[Row]:
    times = study.times
    return [
        ("the whole path", _duration(times.path), ""),
        (
            "one SVC.fit of scikit-learn",
            _duration(times.one_fit),
            f"{times.one_fit / times.path:.1f} times the path; at the new weights",
        ),
        (
            f"SVC.fit at all {study.n_breakpoints:,} breakpoints",
            _duration(study.all_refits),
            f"{study.all_refits / times.path:,.0f} times the path; scaled up from "
            f"{study.agreement.n_places} of them",
        ),
    ]


def _validation_rows(study: ToyStudy) -> list[Row]:
    curve, C = study.curve, study.train.C
    best, (left, right) = curve.best, curve.best.interval
    return [
        ("validation error at C₁ = 0", f"{curve(0.0):.4f}", "exact; 1,000 new points, by cost"),
        (f"validation error at C₁ = {C:g}", f"{curve(1.0):.4f}", ""),
        (
            "lowest in between",
            f"[bold]{best.value:.4f}[/bold]",
            f"for C₁ from {C * left:.6f} to {C * right:.6f}, θ = {best.theta:.6f}",
        ),
    ]


def _print_next_steps(console: Console, out: Path, picture: bool) -> None:
    console.print("[bold cyan]Next[/bold cyan]")
    steps = [
        ("look at it", str(out / PICTURE))
        if picture
        else ("draw it, too", "pip install 'weightpath[plot]'"),
        ("walk along it", f'path = weightpath.load("{out / PATH}"); path.at(0.5)'),
        ("your own data", "path = weightpath.SVC().fit(X, y).reweight(w_new)"),
    ]
    for what, how in steps:
        console.print(Text(f"  {what:15}{how}"), soft_wrap=True)
    console.print()


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1e3 * seconds:.2f} ms"
