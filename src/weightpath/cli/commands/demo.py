"""The command ``weightpath demo`` and its options."""

from __future__ import annotations

from pathlib import Path

import click

from weightpath.cli.help import RichCommand

__all__ = ["demo"]


def _quarters(context: click.Context, parameter: click.Parameter, n: int) -> int:
    if n < 40 or n % 4:
        raise click.BadParameter(
            f"{n} will not do: the data have four groups of equal size. Take a multiple of 4, at "
            "least 40."
        )
    return n


@click.command(
    cls=RichCommand,
    examples=[
        ("weightpath demo", "400 rows, results in ./weightpath-demo"),
        ("weightpath demo --n 1600 --seed 7 --out /tmp/demo", "larger, other data"),
    ],
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("weightpath-demo"),
    show_default=True,
    help="Folder for the picture and the path; made if it is not there.",
)
@click.option(
    "--n",
    type=int,
    default=400,
    show_default=True,
    callback=_quarters,
    help="Number of training rows, a multiple of 4.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Determines the data.")
def demo(out: Path, n: int, seed: int) -> None:
    """Follow a path on built-in data, check it, time it and draw it.

    Two classes in the plane, half of whose rows cost twice as much to misclassify. The weights of
    the cheaper half go from 0 to 10; which weight makes the fewest costly errors on new data? Takes
    a few seconds and needs no data.
    """
    from weightpath.cli.commands.demo_run import run_demo

    run_demo(out, n, seed)
