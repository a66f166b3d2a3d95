"""Tables of numbers in text files, packed or not; what is broken is named by its line."""

from __future__ import annotations

import bz2
import csv
import gzip
import lzma
import math
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["number", "read_bytes", "read_rows", "read_table"]

OPENERS: dict[str, Callable[[Path, Literal["rb"]], BufferedIOBase]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}


def open_unpacked(file: Path) -> BufferedIOBase:
    """Open a file, unpacked if its name ends in .gz, .bz2 or .xz."""
    opener = OPENERS.get(file.suffix.lower())
    return file.open("rb") if opener is None else opener(file, "rb")


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Return the content of a file, unpacked in memory if its name ends in .gz, .bz2 or .xz."""
    path = Path(path)
    try:
        with open_unpacked(path) as stream:
            return stream.read()
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        # The operating system gives its errors a number; the unpackers do not.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(
            f"{path} cannot be unpacked: it is damaged or cut short ({error}). Get it again."
        ) from error


def read_rows(path: str | PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is not blank.

    Fields are separated by commas or, in a line without any, by white space.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file ({error}).") from error
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            separated = next(csv.reader([content])) if "," in content else content.split()
            yield line, [field.strip() for field in separated]


def number(field: str, path: str | PathLike[str], line: int) -> float:
    """Return a field as a finite number."""
    try:
        value = float(field)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{path}, line {line}: {field!r} is not a finite number.")
    return value


def read_table(path: str | PathLike[str], n_columns: int) -> NDArray[np.float64]:
    """Return the numbers of a table with ``n_columns`` columns.

    A first line without any number is taken for a header and left out.
    """
    rows = []
    for line, fields in read_rows(path):
        if line == 1 and not any(is_number(field) for field in fields):
            continue
        if len(fields) != n_columns:
            raise ValueError(
                f"{path}, line {line}: {len(fields)} fields where {n_columns} are expected."
            )
        rows.append([number(field, path, line) for field in fields])
    if not rows:
        raise ValueError(f"{path} has no rows.")
    return np.array(rows)


def is_number(field: str) -> bool:
    """Tell whether a field can be read as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True
