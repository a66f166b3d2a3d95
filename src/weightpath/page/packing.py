"""Arrays as text: base64 of their bytes, whole numbers in as few bytes as they need."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["embedded_json", "packed", "packed_size"]

# Types of the script's arrays, with the largest whole number that each can hold.
_WHOLE = (("u1", 2**8 - 1), ("u2", 2**16 - 1), ("u4", 2**32 - 1))

# What would end the element that the text stands in, or a line of a script, is written otherwise.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def packed(array: Any) -> dict[str, Any]:
    """Return a one-dimensional array as a type, a length and a text.

    Whole numbers, which must not be negative, take one, two or four bytes, other numbers eight. Of
    an array whose entries are all the same only the first is written.

    Examples
    --------
    >>> from weightpath.page.packing import packed
    >>> packed([3, 4, 5])
    {'t': 'u1', 'n': 3, 'd': 'AwQF'}
    >>> packed([0.5, 0.5, 0.5])
    {'t': 'f8', 'n': 3, 'd': 'AAAAAAAA4D8='}
    """
    flat: NDArray[Any] = np.ravel(np.asarray(array))
    kind = "f8" if flat.dtype.kind == "f" else _whole_type(flat)
    own = flat.astype(f"<{kind}")
    bits = own.view(f"<u{own.itemsize}")
    shown = own[:1] if own.size and (bits == bits[0]).all() else own
    text = base64.b64encode(shown.tobytes()).decode("ascii")
    return {"t": kind, "n": int(flat.size), "d": text}


def packed_size(packs: Any) -> int:
    """Return how many characters all arrays in nested lists and dictionaries take."""
    if isinstance(packs, dict):
        if set(packs) == {"t", "n", "d"}:
            return len(packs["d"])
        return sum(map(packed_size, packs.values()))
    return sum(map(packed_size, packs)) if isinstance(packs, list) else 0


def embedded_json(data: Any) -> str:
    """Return JSON that stays within the element of a page that it is written into."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A lone surrogate, which names from damaged files may have, has no UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8").translate(_ESCAPES)


def _whole_type(array: NDArray[Any]) -> str:
    top = int(array.max(initial=0))
    if int(array.min(initial=0)) < 0 or top > _WHOLE[-1][1]:
        raise ValueError(f"Whole numbers from 0 to {_WHOLE[-1][1]} are expected on a page.")
    return next(name for name, largest in _WHOLE if top <= largest)
