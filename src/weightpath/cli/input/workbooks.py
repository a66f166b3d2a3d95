"""Sheets of Excel workbooks, read by pandas and openpyxl."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

from weightpath.cli.errors import InputError

__all__ = ["read_workbook"]


def read_workbook(
    file: Path, content: bytes, sheet: str | None, header: bool | None
) -> tuple[Any, tuple[str, ...]]:
    """Return a sheet of a workbook as a frame, and what the user should know.

    Parameters
    ----------
    file : Path
        Its name, for messages.
    content : bytes
        What is in it.
    sheet : str or None
        The name of the sheet; the first one by default.
    header : bool or None
        Whether its first row has names, as it has by default.
    """
    import pandas

    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise InputError(
            f"{file}: Excel workbooks are read by openpyxl, which is not installed: pip install "
            "'weightpath[xlsx]' brings it, or save the sheet as CSV."
        ) from None
    first_row = None if header is False else 0
    try:
        with warnings.catch_warnings():
            # Styles and other things that are no data.
            warnings.simplefilter("ignore", UserWarning)
            book = pandas.ExcelFile(io.BytesIO(content), engine="openpyxl")
            names = [str(name) for name in book.sheet_names]
            if sheet is not None and sheet not in names:
                raise InputError(f"--sheet: {file} has no sheet {sheet!r}; it has {_list(names)}.")
            chosen = names[0] if sheet is None else sheet
            frame = pandas.read_excel(
                book, sheet_name=chosen, header=first_row, keep_default_na=False, na_values=[""]
            )
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"{file} is not an Excel workbook that openpyxl can read ({error}). Save it as .xlsx "
            "or as CSV."
        ) from error
    # Formatted cells beyond the table count as rows and columns of it.
    empty = frame.isna()
    frame = frame.loc[~empty.all(axis=1)]
    unused = [
        name for name in frame.columns if str(name).startswith("Unnamed: ") and empty[name].all()
    ]
    frame = frame.drop(columns=unused).reset_index(drop=True)
    if sheet is None and len(names) > 1:
        return frame, (
            f"Read from {file}: sheet {chosen!r} of {len(names)}; --sheet names another.",
        )
    return frame, ()


def _list(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:12])
