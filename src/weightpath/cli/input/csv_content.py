"""Tables in text files, read by pandas: separator, header, encoding and decimal mark are found."""

from __future__ import annotations

import inspect
import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightpath.cli.errors import InputError
from weightpath.cli.input.number_text import looks_decimal_comma, looks_thousands
from weightpath.cli.input.text_content import decode, first_line, separator_of, split_line
from weightpath.datasets.tables import is_number

__all__ = ["CsvContent", "read_csv_content"]


@dataclass(frozen=True, eq=False)
class CsvContent:
    """A table: its columns as pandas reads them, and how it is written.

    ``arguments`` are those with which ``pandas.read_csv`` reads the file in the same way.
    """

    frame: Any
    has_header: bool
    decimal: str
    notes: tuple[str, ...]
    arguments: dict[str, Any]


def read_csv_content(
    file: Path, content: bytes, header: bool | None, known_texts: tuple[str, ...] = ()
) -> CsvContent:
    """Read a text file with columns.

    Parameters
    ----------
    file : Path
        Its name, for messages.
    content : bytes
        What is in it.
    header : bool or None
        Whether its first line has names; by default it has, unless all its fields are numbers.
    known_texts : tuple of str
        Columns whose fields are texts, even if all of them look like numbers.
    """
    text, encoding = decode(file, content)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    line = first_line(text)
    arguments: dict[str, Any] = {}
    if line.lower().startswith("sep=") and len(line) == 5:
        arguments["skiprows"] = 1
        # A line that Excel writes for itself.
        text = text.lstrip().split("\n", 1)[1]
        line = first_line(text)
    if not line:
        raise InputError(f"{file} is empty. Give a file with rows of data.")
    separator = separator_of(text)
    fields = split_line(line, separator)
    if header is None:
        header = not all(_is_number(field) for field in fields)
    options = {"sep": separator or r"\s+", "header": 0 if header else None}
    names = [name.strip() for name in fields]
    as_text = {name: str for name in known_texts if header and name in names}
    frame = _read(file, text, options, as_text)
    decimal = _decimal_mark(frame, separator)
    if decimal == ",":
        # Numbers with a dot were read as such, but it separates thousands here.
        frame = _read(file, text, options, str)
    notes = () if encoding.startswith("utf") else (f"{file} is not in UTF-8: read as {encoding}.",)
    if separator != ",":
        arguments["sep"] = options["sep"]
    if encoding != "utf-8":
        # Marks at the beginning are skipped by the name without an order of bytes.
        arguments["encoding"] = "utf-16" if encoding.startswith("utf-16") else encoding
    if decimal == ",":
        arguments["dtype"] = _NameOnly("str")
    return CsvContent(frame, header, decimal, notes, arguments)


class _NameOnly(str):
    """A name that is written without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _is_number(field: str) -> bool:
    return is_number(field) or is_number(field.replace(",", "."))


def _decimal_mark(frame: Any, separator: str | None) -> str:
    columns = [frame.iloc[:, k] for k in range(frame.shape[1])]
    if any(looks_decimal_comma(column) for column in columns):
        return ","
    # Groups of three digits, as in 1,234: thousands, unless commas are the only marks of a table
    # that is separated by something else.
    has_dots = any(column.dtype.kind == "f" and (column % 1 > 0).any() for column in columns)
    if separator != "," and not has_dots and any(looks_thousands(column) for column in columns):
        return ","
    return "."


def _read(file: Path, text: str, options: dict[str, Any], types: Any) -> Any:
    import pandas

    # Only an empty field is missing: "NA" or "None" may be a label.
    more: dict[str, Any] = {"keep_default_na": False, "na_values": [""], "skipinitialspace": True}
    more |= {"index_col": False, "low_memory": False, "dtype": types or None}
    if "float_precision" in inspect.signature(pandas.read_csv).parameters:
        # Later versions read numbers to the last bit without being asked to.
        more["float_precision"] = "round_trip"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            # Rows with more fields than the header would lose some.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            return pandas.read_csv(io.StringIO(text), **options, **more)
    except pandas.errors.ParserWarning:
        raise InputError(
            f"{file}: its rows have more fields than its first line has names. Mend that line."
        ) from None
    except (pandas.errors.ParserError, ValueError) as error:
        reason = str(error).removeprefix("Error tokenizing data. C error: ")
        raise InputError(f"{file} is not a table: {reason}") from error
