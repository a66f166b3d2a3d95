"""Bytes of a text file as text: which encoding it has, and how its lines are separated."""

from __future__ import annotations

import codecs
import csv
import io
from itertools import islice
from pathlib import Path

from weightpath.cli.errors import InputError

__all__ = ["decode", "first_line", "separator_of", "split_line"]

# Longer marks first: that of UTF-32 begins as that of UTF-16 does.
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Separators of columns. A text with commas may stand in a table separated by another of them, and a
# decimal comma often does; hence commas come last.
SEPARATORS = ("\t", ";", "|", ",")

# Lines (and at most so many characters) that are looked at to find the separator; bytes that are
# looked at to tell text from other content.
LINES, HEAD = 50, 1_000_000
GLANCE = 4096


def decode(file: Path, content: bytes) -> tuple[str, str]:
    """Return the text of a file and its encoding.

    A mark at the beginning decides. Without one it is UTF-8 or, where that is impossible,
    Windows-1252, which contains Latin-1.
    """
    for mark, encoding in MARKS:
        if content.startswith(mark):
            return _decoded(file, content[len(mark) :], encoding), encoding
    head = content[:GLANCE]
    if b"\x00" in head:
        # Plain texts in UTF-16 have a zero in every other byte.
        share = [head[k::2].count(0) / max(len(head[k::2]), 1) for k in (0, 1)]
        if max(share) < 0.4 or min(share) > 0.1:
            raise InputError(
                f"{file} is not a text file. If it is a table of another type, --format names that."
            )
        encoding = "utf-16-be" if share[0] > share[1] else "utf-16-le"
        return _decoded(file, content, encoding), encoding
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        try:
            return content.decode("cp1252"), "windows-1252"
        except UnicodeDecodeError:
            return content.decode("latin-1"), "latin-1"


def _decoded(file: Path, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file} says that it is a text in {encoding.upper()}, but is damaged at byte "
            f"{error.start}. Save it again, best as UTF-8."
        ) from error


def separator_of(text: str) -> str | None:
    """Return the separator of columns; None means white space, a comma that there is one column."""
    head = text[:HEAD]
    for separator in SEPARATORS:
        rows = islice(csv.reader(io.StringIO(head), delimiter=separator), LINES)
        counts = {len(row) for row in rows if row}
        if len(counts) == 1 and counts.pop() > 1:
            return separator
    # Rows of different lengths are an error that pandas names. The first line is the header.
    first = first_line(text)
    best = max(SEPARATORS, key=first.count)
    if first.count(best):
        return best
    return None if len(first.split()) > 1 else ","


def first_line(text: str) -> str:
    """Return the first line that is not empty."""
    return text[:HEAD].lstrip().split("\n", 1)[0].rstrip("\r")


def split_line(line: str, separator: str | None) -> list[str]:
    """Return the fields of one line."""
    if separator is None:
        return line.split()
    return [field.strip() for field in next(csv.reader([line], delimiter=separator), [])]
