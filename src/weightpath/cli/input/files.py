"""Files of data: which kind one is, and its content as a table or as svmlight rows."""

from __future__ import annotations

import csv
import inspect
import io
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.datasets.svmlight import read_svmlight
from weightpath.datasets.tables import OPENERS, is_number, read_bytes

__all__ = ["FileTable", "SvmlightRows", "file_kind", "read_file"]

# Kinds by the suffix of the name, without that of compression. Other files, which often hold plain
# text, are recognised by their first line.
_ENDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".letor": "svmlight",
}
_PLAIN = (".txt", ".data", ".dat", ".train", ".test", "")
_SVMLIGHT = re.compile(r"\S+(\s+qid:\d+)?(\s+\d+:\S+)+\s*(#.*)?")

SEPARATORS = (",", "\t", ";", "|")


@dataclass(frozen=True, eq=False)
class FileTable:
    """A file with columns.

    Parameters
    ----------
    file : Path
        Where it is from.
    frame : pandas.DataFrame
        Its columns, with distinct names; those of a file without a header are "1", "2", ...
    has_header : bool
        Whether the file has names of columns.
    unnamed : tuple of str
        Columns whose name is missing in the header: row numbers, mostly.
    """

    file: Path
    frame: Any
    has_header: bool
    unnamed: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Names of the columns, from left to right."""
        return list(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)


@dataclass(frozen=True, eq=False)
class SvmlightRows:
    """A file in the svmlight format: features without names, target, and queries if it has any."""

    file: Path
    X: Any
    y: NDArray[Any]
    qid: NDArray[Any] | None

    def __len__(self) -> int:
        return len(self.y)


def read_file(
    file: Path, kind: str | None = None, header: bool | None = None, n_features: int | None = None
) -> FileTable | SvmlightRows:
    """Read a file of any kind that is known.

    Parameters
    ----------
    file : Path
        A name that ends in .gz, .bz2 or .xz is unpacked in memory.
    kind : {"csv", "parquet", "svmlight"}, optional
        Recognised by name and content if not given.
    header : bool, optional
        Whether the first line of a CSV file has names; by default it has, unless all its fields
        are numbers.
    n_features : int, optional
        Number of features of an svmlight file; the largest index by default.
    """
    content = _content(file)
    kind = kind or file_kind(file, content)
    if not content.strip():
        raise InputError(f"{file} is empty. Give a file with rows of data.")
    if kind == "svmlight":
        return _read_svmlight(file, content, n_features)
    if n_features is not None:
        raise InputError("--n-features is for svmlight files: a table has the columns it has.")
    return _read_parquet(file, content) if kind == "parquet" else _read_csv(file, content, header)


def file_kind(file: Path, content: bytes) -> str:
    """Tell the kind of a file by its name or, if that leaves it open, by its first line."""
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in OPENERS]
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _ENDS:
        return _ENDS[suffix]
    # A name such as S1.part-2 has no end that means anything.
    if suffix not in _PLAIN and not suffix[1:].isdigit():
        raise InputError(
            f"{file}: unknown type of file {suffix!r}. CSV (.csv, .tsv), Parquet (.parquet) and "
            "svmlight (.svm, .svmlight, .libsvm) can be read; --format names the one it is."
        )
    if content.startswith(b"PAR1"):
        return "parquet"
    for line in content.split(b"\n", 50)[:50]:
        text = line.decode("utf-8", "replace").strip()
        if text and not text.startswith("#"):
            return "svmlight" if _SVMLIGHT.fullmatch(text) else "csv"
    return "csv"


def _content(file: Path) -> bytes:
    if file.is_dir():
        raise InputError(f"{file} is a folder. Name a file in it.")
    try:
        return read_bytes(file)
    except FileNotFoundError:
        raise InputError(f"There is no file {file}. Check its name and the folder.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise InputError(str(error)) from error


def _read_svmlight(file: Path, content: bytes, n_features: int | None) -> SvmlightRows:
    stream = io.BytesIO(content)
    stream.name = str(file)
    try:
        X, y, qid = read_svmlight(stream, n_features=n_features, sparse=True)
    except ValueError as error:
        advice = (
            f" It may have more features than the {n_features} of DATA: --n-features says how many."
            if n_features is not None and "n_features" in str(error)
            else ""
        )
        raise InputError(f"{error}{advice}") from error
    if X.nnz == 0:
        raise InputError(f"{file} has labels but no features.")
    return SvmlightRows(file, X, y, qid)


def _pandas(file: Path) -> Any:
    try:
        import pandas
    except ImportError:
        raise InputError(
            f"{file}: tables are read by pandas, which is not installed: pip install "
            "'weightpath[cli]' brings it."
        ) from None
    return pandas


def _read_parquet(file: Path, content: bytes) -> FileTable:
    pandas = _pandas(file)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError(
            f"{file}: Parquet files are read by pyarrow, which is not installed: pip install "
            "'weightpath[parquet]' brings it, or save the table as CSV."
        ) from None
    try:
        frame = pandas.read_parquet(io.BytesIO(content))
    except Exception as error:
        raise InputError(
            f"{file} is not a Parquet file that pyarrow can read ({error}). Write it again."
        ) from error
    frame = frame.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    return _checked(FileTable(file, frame, True))


def _read_csv(file: Path, content: bytes, header: bool | None) -> FileTable:
    pandas = _pandas(file)
    separator, fields = _first_fields(file, content)
    if header is None:
        header = not all(is_number(field) for field in fields)
    options: dict[str, Any] = {"header": 0 if header else None}
    options |= {"index_col": False, "low_memory": False}
    # Only an empty field is missing: "NA" or "None" may be a label.
    options |= {"keep_default_na": False, "na_values": [""], "skipinitialspace": True}
    if "float_precision" in inspect.signature(pandas.read_csv).parameters:
        # Later versions read numbers to the last bit without being asked to.
        options["float_precision"] = "round_trip"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            # Rows with more fields than the header would lose some.
            warnings.simplefilter("error", pandas.errors.ParserWarning)
            frame = pandas.read_csv(
                io.BytesIO(content), sep=separator or r"\s+", encoding="utf-8-sig", **options
            )
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text file in UTF-8 ({error}).") from error
    except pandas.errors.ParserWarning:
        raise InputError(
            f"{file}: its rows have more fields than its first line has names. Mend that line."
        ) from None
    except (pandas.errors.ParserError, ValueError) as error:
        text = str(error).removeprefix("Error tokenizing data. C error: ")
        raise InputError(f"{file} is not a table: {text}") from error
    if header:
        names = [str(name).strip() for name in frame.columns]
        unnamed = tuple(name for name in names if re.fullmatch(r"Unnamed: \d+", name))
    else:
        names, unnamed = [str(number) for number in range(1, frame.shape[1] + 1)], ()
    frame.columns = names
    return _checked(FileTable(file, frame, header, unnamed))


def _first_fields(file: Path, content: bytes) -> tuple[str | None, list[str]]:
    """Return the separator (None: white space) and the fields of the first line."""
    try:
        line = content.decode("utf-8-sig").lstrip().split("\n", 1)[0].rstrip("\r")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file} is not a text file in UTF-8 ({error}). Save it as one; if it is of another "
            "type, --format names that."
        ) from error
    counts = {separator: line.count(separator) for separator in SEPARATORS}
    separator = max(SEPARATORS, key=counts.__getitem__)
    if counts[separator]:
        return separator, [field.strip() for field in next(csv.reader([line], delimiter=separator))]
    return (None, line.split()) if len(line.split()) > 1 else (",", [line.strip()])


def _checked(table: FileTable) -> FileTable:
    if len(table) == 0:
        raise InputError(f"{table.file} has no rows. Give a file with rows of data.")
    repeated = [name for name, count in Counter(table.names).items() if count > 1]
    if repeated:
        raise InputError(f"{table.file} has two columns named {repeated[0]!r}. Rename one.")
    return table
