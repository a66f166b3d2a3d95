"""Paths in files: NumPy ``.npz`` with plain arrays and one JSON text, no pickle."""

from __future__ import annotations

import json
import os
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy import sparse

from weightpath.engine.record import Record
from weightpath.engine.status import Status
from weightpath.kernels import Kernel
from weightpath.path.evaluation import FeatureRows
from weightpath.path.pair_rows import PairRows
from weightpath.path.part import PathPart
from weightpath.path.reading import Reading
from weightpath.path.solution_path import SolutionPath
from weightpath.problems import Staircase

__all__ = ["FORMAT", "load", "save"]

# Raised when a file written from now on can no longer be read by earlier versions of this module:
# 2 for problems on features, 3 for problems on pairs; all others are still written as 1.
FORMAT = 3
_FORMATS = {type(None): 1, FeatureRows: 2, PairRows: FORMAT}


def save(path: SolutionPath, file) -> None:
    """Write ``path`` to ``file``, a name or an open binary file."""
    if path.kernel.name == "callable":
        raise ValueError(
            "A path with a callable kernel cannot be saved: its function cannot be written to a "
            'file. Use kernel="precomputed" with the matrix of its values.'
        )
    arrays: dict[str, Any] = _matrix_arrays(path.X)
    if path.classes is not None:
        arrays["classes"] = _plain(np.asarray(path.classes))
    for k, part in enumerate(path.parts):
        arrays.update({f"part{k}_{name}": array for name, array in _part_arrays(part).items()})
    about = {
        "format": max(_FORMATS[type(part.evaluation)] for part in path.parts),
        "kernel": path.kernel.to_dict(),
        "params": encode(path.params),
        "pairs": path.pairs,
        "status": [str(path.status), getattr(path.status, "message", "")],
        "object_classes": path.classes is not None and np.asarray(path.classes).dtype == object,
        "parts": [
            {
                "kind": part.reading.kind,
                "has_bias": part.start.has_bias,
                "ridge": part.ridge,
                "total": [part.start.total, part.end.total],
            }
            for part in path.parts
        ],
    }
    arrays["about"] = np.array(json.dumps(about))
    if isinstance(file, (str, os.PathLike)):
        # Opened here, as NumPy would add a suffix to the name.
        with open(file, "wb") as stream:
            np.savez(stream, **arrays)
    else:
        np.savez(file, **arrays)


def load(file) -> SolutionPath:
    """Read a path that :meth:`SolutionPath.save` has written."""
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = dict(stored)
        about = json.loads(arrays["about"].item())
        version = about["format"]
    except (BadZipFile, KeyError, TypeError, ValueError, AttributeError, EOFError) as error:
        raise ValueError(f"{file!r} is not a file written by SolutionPath.save.") from error
    if version > FORMAT:
        raise ValueError(
            f"{file!r} has format {version}, but this version of weightpath reads formats up to "
            f"{FORMAT}. Install a newer weightpath."
        )
    kernel = Kernel.from_dict(about["kernel"])
    X = _read_matrix(arrays)
    classes = arrays.get("classes")
    if classes is not None and about["object_classes"]:
        classes = classes.astype(object)
    return SolutionPath(
        [_read_part(kernel, X, arrays, k, part) for k, part in enumerate(about["parts"])],
        X,
        kernel,
        classes=classes,
        pairs=about["pairs"],
        params=decode(about["params"]),
        status=Status(*about["status"]),
    )


def encode(value):
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


def decode(value):
    """Undo :func:`encode`."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if isinstance(value, dict):
        if "dict" in value:
            return {decode(key): decode(item) for key, item in value["dict"]}
        if "tuple" in value:
            return tuple(decode(item) for item in value["tuple"])
        return np.array(decode(value["array"]), dtype=value["dtype"])
    return value


def _plain(classes: np.ndarray) -> np.ndarray:
    """Return class labels without Python objects."""
    if classes.dtype != object:
        return classes
    plain = np.array(classes.tolist())
    if plain.dtype == object:
        raise ValueError("Class labels that are neither numbers nor texts cannot be saved.")
    return plain


def _matrix_arrays(X) -> dict[str, np.ndarray]:
    if not sparse.issparse(X):
        return {"X": np.asarray(X)}
    X = X.tocsr()
    return {
        "X_data": X.data,
        "X_indices": X.indices,
        "X_indptr": X.indptr,
        "X_shape": np.array(X.shape),
    }


def _read_matrix(arrays):
    if "X" in arrays:
        return arrays["X"]
    shape = tuple(int(size) for size in arrays["X_shape"])
    return sparse.csr_matrix((arrays["X_data"], arrays["X_indices"], arrays["X_indptr"]), shape)


def _part_arrays(part: PathPart) -> dict[str, np.ndarray]:
    arrays = {**part.record.to_arrays(), "sign": part.reading.sign}
    if part.rows is not None:
        arrays["rows"] = part.rows
    if part.evaluation is not None:
        arrays.update(part.evaluation.to_arrays())
    for end, staircase in (("start", part.start), ("end", part.end)):
        for name in ("target", "knots", "levels"):
            arrays[f"{end}_{name}"] = getattr(staircase, name)
    return arrays


def _read_part(kernel, X, arrays, k, about) -> PathPart:
    prefix = f"part{k}_"
    own = {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}
    start, end = (
        Staircase(
            own[f"{end}_target"],
            own[f"{end}_knots"],
            own[f"{end}_levels"],
            total,
            about["has_bias"],
        )
        for end, total in zip(("start", "end"), about["total"], strict=True)
    )
    reading = Reading(about["kind"], own["sign"])
    record = Record.from_arrays(own)
    rows, ridge = own.get("rows"), about["ridge"]
    evaluation = FeatureRows.from_arrays(own) or PairRows.from_arrays(own)
    return PathPart(kernel, X, rows, start, end, record, reading, True, ridge, evaluation)
