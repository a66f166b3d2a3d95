"""The command line, ``weightpath``; needs the extra ``cli``."""

from __future__ import annotations

import sys
from os import PathLike
from typing import Any

__all__ = ["load_model", "main"]


def main() -> None:
    """Run the command line, or say what is missing to run it."""
    try:
        import click  # noqa: F401
        import rich_click  # noqa: F401
    except ImportError as error:
        sys.exit(
            f"The weightpath command needs {error.name}, which is not installed. Install the extra "
            "that brings it: pip install 'weightpath[cli,plot]'."
        )
    from weightpath.cli.commands import weightpath
    from weightpath.cli.interrupts import ends_soon

    with ends_soon():
        weightpath()


def load_model(file: str | PathLike[str]) -> Any:
    """Read a model that ``weightpath trace`` or ``select`` has written.

    Parameters
    ----------
    file : path
        A ``model.skops``, or the folder that it is in.

    Returns
    -------
    Pipeline
        A fitted scikit-learn pipeline: ``model["preparation"]`` takes raw rows, such as a frame of
        ``pandas.read_csv``, and ``model["model"]`` is an estimator of this library.

    Raises
    ------
    ValueError
        If it is another file, or one that asks for types which no such model consists of. Nothing
        of it has been loaded then.
    """
    from pathlib import Path

    from weightpath.cli.errors import InputError
    from weightpath.cli.input.saved_model import load_model as load

    try:
        return load(Path(file))
    except InputError as error:
        raise ValueError(error.message) from error
