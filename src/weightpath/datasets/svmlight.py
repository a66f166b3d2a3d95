"""Files in the svmlight format, with the queries of ranking data."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from weightpath.datasets.tables import read_bytes

__all__ = ["read_svmlight"]


def read_svmlight(
    file: str | PathLike[str] | IO[bytes],
    *,
    n_features: int | None = None,
    sparse: bool = False,
    zero_based: bool = False,
) -> tuple[Any, NDArray[np.float64], NDArray[np.int64] | None]:
    r"""Read a file in the svmlight format, as ranking data of the LETOR kind come in.

    A line is ``label qid:query 1:value 2:value ... # comment``; features that are left out are
    zero, comments are ignored. The reading is scikit-learn's
    :func:`~sklearn.datasets.load_svmlight_file`; in addition a broken line is named by its
    number, and queries that some lines have and others lack are an error.

    Parameters
    ----------
    file : path or binary file
        A path that ends in .gz, .bz2 or .xz is unpacked in memory.
    n_features : int, optional
        Number of columns; None takes the largest index of the file. Give it where several files
        share their features: the last ones may be zero in all rows of one of them.
    sparse : bool
        Return a CSR matrix instead of an array.
    zero_based : bool
        Whether the first feature has the index 0 instead of 1.

    Returns
    -------
    X : ndarray or CSR matrix of shape (n, p)
    y : ndarray of shape (n,)
    qid : ndarray of int of shape (n,), or None
        The query of each row; None if the file names none.

    Examples
    --------
    >>> import io
    >>> from weightpath.datasets import read_svmlight
    >>> lines = b"2 qid:1 1:0.5 3:1 # docid = 7\n0 qid:1 2:0.25\n1 qid:2 3:1\n"
    >>> X, y, qid = read_svmlight(io.BytesIO(lines))
    >>> X
    array([[0.5 , 0.  , 1.  ],
           [0.  , 0.25, 0.  ],
           [0.  , 0.  , 1.  ]])
    >>> y, qid
    (array([2., 0., 1.]), array([1, 1, 2]))
    """
    if hasattr(file, "read"):
        name, content = getattr(file, "name", "the file"), file.read()
    else:
        name, content = Path(file), read_bytes(file)
    if not isinstance(content, bytes):
        raise TypeError('file must be open for reading bytes: open(name, "rb").')
    try:
        X, y, qid = parse(content, n_features, zero_based)
    except ValueError as error:
        raise ValueError(describe(error, name, content, n_features, zero_based)) from error
    if y.size == 0:
        raise ValueError(f"{name} has no rows.")
    return (X if sparse else X.toarray()), y, (qid if qid.size else None)


def parse(
    content: bytes, n_features: int | None, zero_based: bool
) -> tuple[Any, NDArray[np.float64], NDArray[np.int64]]:
    """Return X, y and qid (empty if there is none); raise ValueError on anything odd."""
    X, y, qid = load_svmlight_file(
        io.BytesIO(content), n_features=n_features, zero_based=zero_based, query_id=True
    )
    if qid.size not in (0, y.size):
        raise ValueError("some rows have a qid and others have none")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise ValueError("a label or value is not finite")
    return X, y, qid


def describe(
    error: ValueError, name: object, content: bytes, n_features: int | None, zero_based: bool
) -> str:
    """Return what is wrong with the file, with the first line that is to blame.

    Each line is read as a separate file, so that there is one parser only.
    """
    with_queries = None
    for number, line in enumerate(content.split(b"\n"), start=1):
        try:
            _, y, qid = parse(line, n_features, zero_based)
        except ValueError as reason:
            shown = line.strip()[:60].decode("utf-8", "replace")
            return f"{name}, line {number}: {str(reason).rstrip('.')}: {shown!r}"
        if y.size == 0:
            continue
        if with_queries is None:
            with_queries = qid.size > 0
        elif with_queries != (qid.size > 0):
            has, before = ("a", "none") if qid.size else ("no", "one")
            return f"{name}, line {number}: {has} qid, where the rows before have {before}"
    return f"{name}: {error}"
