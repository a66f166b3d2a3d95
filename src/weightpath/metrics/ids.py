"""Names that rows share, such as those of queries or groups, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["encode_ids"]


def encode_ids(ids: Any, n_rows: int, option: str, kind: str) -> NDArray[np.intp]:
    """Number the ids in the order in which they first occur.

    Parameters
    ----------
    ids : array-like of shape (n_rows,)
        One for every row: numbers, words, or anything else that is hashable.
    n_rows : int
        How many there must be.
    option, kind : str
        The name of the option and what it holds, for messages.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        Counted from 0.
    """
    known = isinstance(ids, np.ndarray) or hasattr(ids, "__array__")
    ids = np.asarray(ids) if known else list(ids)
    shape = np.shape(ids) if known else (len(ids),)
    if shape != (n_rows,):
        raise ValueError(
            f"{option} must have shape ({n_rows},), one {kind} for each row; got {shape}."
        )
    labels = ids.tolist() if isinstance(ids, np.ndarray) else ids
    number: dict[Any, int] = {}
    try:
        code = [number.setdefault(label, len(number)) for label in labels]
    except TypeError as error:
        raise ValueError(f"{option} must have hashable ids: {error}.") from error
    if any(label is None or label != label for label in number):
        raise ValueError(f"{option} must not have missing values: every row belongs to a {kind}.")
    return np.array(code, dtype=np.intp)
