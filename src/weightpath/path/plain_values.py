"""Parameters as JSON can hold them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["decode", "encode"]

# Types of arrays that parameters may have.
_KINDS = "biufUSO"

# An array of texts has room for the longest in every entry. It may take this many bytes for each
# entry and character that the file has, and so many besides.
_BYTES_EACH, _BYTES_FREE = 64, 1 << 26


def encode(value: Any) -> Any:
    """Return ``value`` as JSON can hold it: dictionaries with any keys, tuples and arrays too."""
    if isinstance(value, dict):
        return {"dict": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [encode(item) for item in value]}
    if isinstance(value, list):
        return [encode(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"array": encode(value.tolist()), "dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ValueError(f"A path whose parameters include {value!r} cannot be saved.")


def decode(value: Any) -> Any:
    """Undo :func:`encode`; raise ``ValueError`` where nothing was encoded so."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    try:
        if "dict" in value:
            return {decode(key): decode(item) for key, item in value["dict"]}
        if "tuple" in value:
            return tuple(decode(item) for item in value["tuple"])
        return _array(decode(value["array"]), value["dtype"])
    except (KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"the parameters cannot be read ({error})") from error


def _array(content: Any, name: Any) -> NDArray[Any]:
    dtype = np.dtype(name) if isinstance(name, str) else None
    if dtype is None or dtype.kind not in _KINDS or dtype.names is not None or dtype.subdtype:
        raise ValueError(f"the parameters have an array of type {name!r}")
    if dtype.kind not in "US":
        return np.array(content, dtype=dtype)
    lengths = [len(item) for item in _leaves(content) if isinstance(item, (str, bytes))]
    longest, total = max(lengths, default=0), sum(lengths) + len(lengths)
    if 4 * longest * len(lengths) > _BYTES_FREE + _BYTES_EACH * total:
        raise ValueError("the parameters have texts of too different lengths")
    # Of the longest text, whatever length the file declares.
    return np.array(content, dtype=dtype.kind)


def _leaves(content: Any) -> Iterator[Any]:
    if not isinstance(content, list):
        yield content
        return
    for item in content:
        yield from _leaves(item)
