"""Read-only arrays, which can be shared."""

from __future__ import annotations

import mmap
from copy import copy
from dataclasses import MISSING, fields
from functools import update_wrapper
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

__all__ = ["freeze", "freeze_all", "frozen_view", "is_safe_to_keep", "quick_init"]

Kind = TypeVar("Kind", bound=type[Any])


def freeze(X: Any) -> Any:
    """Make an array or a sparse matrix read-only, in place, and return it."""
    for array in _arrays_of(X):
        array.setflags(write=False)
    return X


def freeze_all(thing: Any) -> None:
    """Make all arrays read-only that an object of this library holds, however deep."""
    if isinstance(thing, np.ndarray) or issparse(thing):
        freeze(thing)
    elif isinstance(thing, dict):
        freeze_all(list(thing.values()))
    elif isinstance(thing, (list, tuple)):
        for item in thing:
            freeze_all(item)
    elif type(thing).__module__.partition(".")[0] == "weightpath":
        freeze_all(getattr(thing, "__dict__", {}))


def quick_init(kind: Kind) -> Kind:
    """Let a frozen dataclass write its fields straight into its ``__dict__``.

    What Python generates asks ``object.__setattr__`` for each field. Several objects of such
    classes are made for every path, however short.
    """
    known: dict[str, Any] = {"_MISSING": MISSING}
    parameters, lines = [], []
    for own in fields(kind):
        name, value = own.name, own.name
        if own.default is not MISSING:
            known[f"_{name}"] = own.default
            parameters.append(f"{name}=_{name}")
        elif own.default_factory is not MISSING:
            known[f"_{name}"] = own.default_factory
            parameters.append(f"{name}=_MISSING")
            value = f"_{name}() if {name} is _MISSING else {name}"
        else:
            parameters.append(name)
        lines.append(f"    known[{name!r}] = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    head = f"def __init__(self, {', '.join(parameters)}):\n    known = self.__dict__\n"
    exec(head + "\n".join(lines), known)
    # Whoever asks for the signature sees that of the dataclass.
    kind.__init__ = update_wrapper(known["__init__"], kind.__init__)
    return kind


def frozen_view(X: Any) -> Any:
    """Return a read-only view of an array or a sparse matrix; itself if it is read-only."""
    if not any(array.flags.writeable for array in _arrays_of(X)):
        return X
    if not issparse(X):
        return freeze(X.view())
    view = copy(X)
    for name in ("data", "indices", "indptr"):
        setattr(view, name, getattr(X, name).view())
    return freeze(view)


def is_safe_to_keep(X: Any) -> bool:
    """Whether a matrix can be kept without a copy: it is read-only, or it is mapped.

    A read-only view of a writable array is not safe: a data frame returns such views of its
    memory.
    """
    arrays = _arrays_of(X)
    return bool(arrays) and all(_is_fixed(array) for array in arrays)


def _is_fixed(array: Any) -> bool:
    owner = array
    while isinstance(owner, np.ndarray):
        if isinstance(owner, np.memmap):
            return True
        if owner.base is None:
            return not (array.flags.writeable or owner.flags.writeable)
        owner = owner.base
    # The memory belongs to something else; bytes are fixed, and so is what a mapped file holds.
    return isinstance(owner, (bytes, mmap.mmap))


def _arrays_of(X: Any) -> tuple[NDArray[Any], ...]:
    """Return the arrays that hold a matrix: itself, or the three of a CSR or CSC matrix."""
    if issparse(X):
        return (X.data, X.indices, X.indptr) if X.format in ("csr", "csc") else ()
    return (X,) if isinstance(X, np.ndarray) else ()
