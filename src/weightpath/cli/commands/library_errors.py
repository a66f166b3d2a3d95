"""Errors of the library as ends of a command."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weightpath.cli.errors import InputError, UnfinishedError, explained
from weightpath.cli.output.folder import OutputFolder
from weightpath.errors import KernelNotPSDError, PathError

__all__ = ["library_errors", "no_warnings"]


@contextmanager
def library_errors(out: Path) -> Iterator[None]:
    """Turn errors of the library into ends of a command; a problem that failed is kept."""
    try:
        yield
    except KernelNotPSDError as error:
        raise InputError(explained(error)) from error
    except PathError as error:
        text = explained(error)
        if error.problem is not None:
            output = OutputFolder(out)
            output.write("failed.npz", error.save)
            text += f" The problem is kept in {output.files['failed.npz']}."
        raise UnfinishedError(text) from error
    except ValueError as error:
        raise InputError(explained(error)) from error


@contextmanager
def no_warnings() -> Iterator[None]:
    """Leave it to errors and notes to say what happened, in worker processes as well."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before
