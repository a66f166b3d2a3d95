"""Files of data: which kind one is, and its content as a table or as svmlight rows."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from weightpath.cli.errors import InputError
from weightpath.cli.input.csv_content import read_csv_content
from weightpath.cli.input.workbooks import read_workbook
from weightpath.datasets.svmlight import read_svmlight
from weightpath.datasets.tables import OPENERS, read_bytes

__all__ = ["FileTable", "Reading", "SvmlightRows", "file_kind", "read_file"]

# Kinds by the suffix of the name, without that of compression. Other files, which often hold plain
# text, are recognised by their first line.
_ENDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".letor": "svmlight",
}
_PLAIN = (".txt", ".data", ".dat", ".train", ".test", "")
# Types that other programs write; none of them is read here.
_OTHERS = (".xls", ".xlsb", ".ods", ".json", ".jsonl", ".feather", ".arrow", ".sas7bdat", ".dta")
_SVMLIGHT = re.compile(r"\S+(\s+qid:\d+)?(\s+\d+:\S+)+\s*(#.*)?")

# Every xlsx file is a zip archive; one of a Parquet file begins and ends with its name.
ZIP, PARQUET = b"PK\x03\x04", b"PAR1"


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
    decimal : {".", ","}
        The decimal mark of numbers that are texts.
    notes : tuple of str
        What the user should know of how it was read.
    call : str or None
        The call of pandas that reads it, if there is one.
    """

    file: Path
    frame: Any
    has_header: bool
    unnamed: tuple[str, ...] = ()
    decimal: str = "."
    notes: tuple[str, ...] = ()
    call: str | None = None

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


@dataclass(frozen=True)
class Reading:
    """How files are read, as the options say it.

    Parameters
    ----------
    kind : {"csv", "parquet", "svmlight", "xlsx"}, optional
        Recognised by name and content if not given.
    header : bool, optional
        Whether the first line of a table has names; by default it has, unless all its fields are
        numbers.
    sheet : str, optional
        The sheet of an xlsx file, the first by default.
    n_features : int, optional
        Number of features of an svmlight file; the largest index by default.
    texts : tuple of str
        Columns that are known to hold texts, even if all of them look like numbers.
    """

    kind: str | None = None
    header: bool | None = None
    sheet: str | None = None
    n_features: int | None = None
    texts: tuple[str, ...] = ()


def read_file(file: Path, how: Reading) -> FileTable | SvmlightRows:
    """Read a file of any kind that is known; .gz, .bz2 and .xz are unpacked in memory."""
    content = _content(file)
    if not content.strip():
        raise InputError(f"{file} is empty. Give a file with rows of data.")
    kind = how.kind or file_kind(file, content)
    if how.sheet is not None and kind != "xlsx":
        raise InputError(f"--sheet is for xlsx files; {file} is read as {kind}.")
    if kind == "svmlight":
        return _read_svmlight(file, content, how.n_features)
    if how.n_features is not None:
        raise InputError("--n-features is for svmlight files: a table has the columns it has.")
    _need_pandas(file)
    if kind == "parquet":
        return _read_parquet(file, content)
    if kind == "xlsx":
        frame, notes = read_workbook(file, content, how.sheet, how.header)
        table = FileTable(file, frame, how.header is not False, notes=notes)
        more = "" if how.sheet is None else f", sheet_name={how.sheet!r}"
        return _named(replace(table, call=f"pandas.read_excel({str(file)!r}{more})"))
    return _read_csv(file, content, how)


def file_kind(file: Path, content: bytes) -> str:
    """Tell the kind of a file by its name or, if that leaves it open, by its first line."""
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in OPENERS]
    suffix = suffixes[-1] if suffixes else ""
    if suffix in _ENDS:
        kind = _ENDS[suffix]
        if kind == "csv" and content.startswith(ZIP):
            raise InputError(f"{file} is no CSV file but a workbook or archive: try --format xlsx.")
        return kind
    # A name such as S1.part-2 has no end that means anything.
    if suffix in _OTHERS or (suffix not in _PLAIN and not suffix[1:].isdigit()):
        raise InputError(
            f"{file}: files of the type {suffix!r} are not read. CSV (.csv, .tsv), Excel (.xlsx), "
            "Parquet (.parquet) and svmlight (.svm, .libsvm) are; --format names the one it is."
        )
    if content.startswith(PARQUET):
        return "parquet"
    if content.startswith(ZIP):
        return "xlsx"
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


def _need_pandas(file: Path) -> None:
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise InputError(
            f"{file}: tables are read by pandas, which is not installed: pip install "
            "'weightpath[cli]' brings it."
        ) from None


def _read_parquet(file: Path, content: bytes) -> FileTable:
    import pandas

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
    call = f"pandas.read_parquet({str(file)!r})"
    return _named(FileTable(file, frame.reset_index(drop=True), True, call=call))


def _read_csv(file: Path, content: bytes, how: Reading) -> FileTable:
    found = read_csv_content(file, content, how.header, how.texts)
    table = FileTable(file, found.frame, found.has_header, (), found.decimal, found.notes)
    more = "".join(f", {name}={value!r}" for name, value in found.arguments.items())
    return _named(replace(table, call=f"pandas.read_csv({str(file)!r}{more})"))


def _named(table: FileTable) -> FileTable:
    """Return a table with a text as the name of every column, and which had none."""
    if table.has_header:
        names = [str(name).strip() for name in table.frame.columns]
        unnamed = tuple(name for name in names if re.fullmatch(r"(Unnamed: \d+)?", name))
    else:
        names, unnamed = [str(number) for number in range(1, table.frame.shape[1] + 1)], ()
    table.frame.columns = names
    call = table.call if table.has_header else None
    return _checked(replace(table, unnamed=unnamed, call=call))


def _checked(table: FileTable) -> FileTable:
    if len(table) == 0:
        raise InputError(f"{table.file} has no rows. Give a file with rows of data.")
    repeated = [name for name, count in Counter(table.names).items() if count > 1]
    if repeated:
        raise InputError(f"{table.file} has two columns named {repeated[0]!r}. Rename one.")
    return table
