"""Paths in files: NumPy ``.npz`` with plain arrays and one JSON text, no pickle.

The transformers of a path of a pipeline are one more array, the bytes that skops has written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from weightpath.files import read_arrays, write_arrays
from weightpath.frozen import freeze
from weightpath.kernels import Kernel
from weightpath.path import stored_checks as checks
from weightpath.path.moment import Moment
from weightpath.path.part import PathPart
from weightpath.path.plain_values import decode, encode
from weightpath.path.preparation import Preparation
from weightpath.path.reading import Reading
from weightpath.path.row_types import ROW_TYPES
from weightpath.path.solution_path import SolutionPath
from weightpath.record.record import Record
from weightpath.record.status import Status
from weightpath.record.stored_ends import need, read_ends
from weightpath.skops_files import UntrustedTypesError

if TYPE_CHECKING:
    from weightpath.path.programs.linear_program_path import LinearProgramPath

__all__ = [
    "FORMAT",
    "FORMAT_OF_PROGRAMS",
    "FORMAT_WITH_TRANSFORMERS",
    "load",
    "matrix_arrays",
    "plain_classes",
    "read_matrix",
    "read_preparation",
    "save",
]

Arrays = dict[str, NDArray[Any]]
File = str | PathLike[str] | IO[bytes]

# The version of the format, raised when a file written from now on can no longer be read by earlier
# versions of this module. Formats 1 (kernel sums), 2 (features) and 3 (pairs) are those of 0.1;
# they differ from 4 in having no shape of the training matrix, no solutions at the ends and at
# single theta, and no distances from the end.
FORMAT = 4

# The same with the transformers of a pipeline; only a path that has some is saved in it.
FORMAT_WITH_TRANSFORMERS = 5

# Paths of linear program machines; see :mod:`weightpath.path.programs.storage`.
FORMAT_OF_PROGRAMS = 6


def save(path: SolutionPath, file: File) -> None:
    """Write ``path`` to ``file``, a name or an open binary file.

    An existing file is replaced only when the new one is complete. The transformers of a path of a
    pipeline are written by skops.
    """
    if path.kernel.name == "callable":
        raise ValueError(
            "A path with a callable kernel cannot be saved: its function cannot be written to a "
            'file. Use kernel="precomputed" with the matrix of its values.'
        )
    arrays: dict[str, Any] = matrix_arrays(path.X)
    if path.classes is not None:
        arrays["classes"] = plain_classes(np.asarray(path.classes))
    for k, part in enumerate(path.parts):
        arrays.update({f"part{k}_{name}": array for name, array in _part_arrays(part).items()})
    if path.preparation is not None:
        arrays["preparation"] = np.frombuffer(path.preparation.to_bytes(), dtype=np.uint8)
    about = {
        "format": FORMAT if path.preparation is None else FORMAT_WITH_TRANSFORMERS,
        "shape": list(path.X.shape),
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
    write_arrays(file, arrays)


def load(file: File, trusted: Sequence[str] = ()) -> SolutionPath | LinearProgramPath:
    """Read a path that :meth:`SolutionPath.save` has written.

    Parameters
    ----------
    file : path-like or open binary file
        What was written. Nothing in it is run: the transformers of a pipeline are read by skops,
        and only types that are known to be harmless are made.
    trusted : sequence of str, default=()
        Names of further types, or functions, of transformers that you trust, such as
        ``"my_package.MyTransformer"``.

    Returns
    -------
    SolutionPath or LinearProgramPath

    Raises
    ------
    ValueError
        If the file is damaged, or was not written by :meth:`SolutionPath.save`; if its transformers
        have types that are not trusted, which it names.
    """
    try:
        arrays = read_arrays(file)
        about = _description(arrays)
    except (ValueError, RecursionError) as error:
        raise ValueError(_refusal(file, error)) from error
    version = about["format"]
    if version > FORMAT_OF_PROGRAMS:
        raise ValueError(
            f"{file!r} has format {version}, but this version of weightpath reads formats up to "
            f"{FORMAT_OF_PROGRAMS}. Install a newer weightpath."
        )
    try:
        if version == FORMAT_OF_PROGRAMS:
            from weightpath.path.programs.storage import read_program

            program: LinearProgramPath = read_program(arrays, about, trusted)
            return program
        return _read(arrays, about, trusted)
    except UntrustedTypesError as error:
        raise ValueError(f"{file!r} was not read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(_refusal(file, error)) from error


def _refusal(file: File, error: Exception) -> str:
    return f"{file!r} is not a file written by SolutionPath.save, or it is damaged: {error}"


def _description(arrays: Arrays) -> dict[str, Any]:
    """Return the description of a path, with a version of the format and nothing else checked."""
    text = arrays.get("about")
    need(text is not None and text.ndim == 0 and text.dtype.kind == "U", "there is no path")
    about: Any = json.loads(text.item())  # type: ignore[union-attr]
    need(isinstance(about, dict), "the description is no table")
    version = about.get("format")
    whole = isinstance(version, int) and not isinstance(version, bool)
    need(whole and version >= 1, "the format has no version")
    return dict(about)


def _read(arrays: Arrays, about: dict[str, Any], trusted: Sequence[str]) -> SolutionPath:
    """Return the path of a file; ``ValueError`` unless everything fits together."""
    checks.check_about(about)
    checks.check_names(arrays, len(about["parts"]))
    path: SolutionPath = read_path(arrays, about, trusted, SolutionPath, _read_part)
    return path


def read_path(
    arrays: Arrays, about: dict[str, Any], trusted: Sequence[str], kind: Any, read_part: Any
) -> Any:
    """Return a path of some kind, whose parts ``read_part`` makes of the arrays.

    The description was checked; ``ValueError`` unless everything fits together.
    """
    kernel = Kernel.from_dict(about["kernel"])
    shape = checks.check_matrix(arrays, kernel.name)
    need(about.get("shape", list(shape)) == list(shape), "the training matrix is another")
    classes, pairs = arrays.get("classes"), about["pairs"]
    checks.check_classes(classes, pairs, len(about["parts"]))
    params = decode(about["params"])
    need(isinstance(params, dict), "the parameters are no table")
    X = read_matrix(arrays)
    if classes is not None and about["object_classes"]:
        classes = classes.astype(object)
    return kind(
        [read_part(kernel, X, arrays, k, part) for k, part in enumerate(about["parts"])],
        X,
        kernel,
        classes=classes,
        pairs=pairs,
        params=params,
        status=Status(*about["status"]),
        preparation=read_preparation(arrays, trusted),
    )


def read_preparation(arrays: Arrays, trusted: Sequence[str]) -> Preparation | None:
    """Return the transformers of a file; ``None`` if it has none."""
    data = arrays.get("preparation")
    if data is None:
        return None
    need(data.ndim == 1 and data.dtype == np.uint8, "the transformers are no bytes")
    return Preparation.from_bytes(data.tobytes(), trusted)


def plain_classes(classes: NDArray[Any]) -> NDArray[Any]:
    """Return class labels without Python objects."""
    if classes.dtype != object:
        return classes
    plain = np.array(classes.tolist())
    if plain.dtype == object:
        raise ValueError("Class labels that are neither numbers nor texts cannot be saved.")
    return plain


def matrix_arrays(X: Any) -> Arrays:
    """Return the training matrix, dense or sparse, as arrays."""
    if not sparse.issparse(X):
        return {"X": np.asarray(X)}
    X = X.tocsr()
    return {
        "X_data": X.data,
        "X_indices": X.indices,
        "X_indptr": X.indptr,
        "X_shape": np.array(X.shape),
    }


def read_matrix(arrays: Arrays) -> Any:
    """Return the training matrix, read-only."""
    if "X" in arrays:
        return freeze(np.ascontiguousarray(arrays["X"], dtype=np.float64))
    data = arrays["X_data"].astype(np.float64)
    shape = tuple(int(size) for size in arrays["X_shape"])
    index = np.int32 if data.size <= np.iinfo(np.int32).max else np.int64
    columns, rows = (arrays[name].astype(index) for name in ("X_indices", "X_indptr"))
    X = sparse.csr_matrix((data, columns, rows), shape)
    X.sum_duplicates()
    return freeze(X)


def _part_arrays(part: PathPart) -> Arrays:
    arrays: Arrays = {**part.record.to_arrays(), "sign": part.reading.sign}
    if part.rows is not None:
        arrays["rows"] = part.rows
    if part.evaluation is not None:
        arrays.update(part.evaluation.to_arrays())
    for end, staircase in (("start", part.start), ("end", part.end)):
        for name in ("target", "knots", "levels"):
            arrays[f"{end}_{name}"] = getattr(staircase, name)
    arrays["jump_theta"], arrays["jump_bias"] = part.jumps
    for end, moment in zip(("first", "last"), part.ends, strict=True):
        if moment is not None:
            arrays[f"{end}_beta"] = moment.beta
            arrays[f"{end}_position"] = moment.position.astype(np.int64)
            arrays[f"{end}_bias"] = np.array([moment.bias])
    return arrays


def _read_moment(own: Arrays, end: str) -> Moment | None:
    """Return the solution at one end, ``None`` if the file has none."""
    if f"{end}_beta" not in own:
        return None
    position = own[f"{end}_position"].astype(np.int64)
    beta, bias = own[f"{end}_beta"].astype(np.float64), float(own[f"{end}_bias"][0])
    return Moment(freeze(beta), bias, freeze(position))


def _read_part(kernel: Kernel, X: Any, arrays: Arrays, k: int, about: dict[str, Any]) -> PathPart:
    prefix = f"part{k}_"
    own = {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}
    n = checks.check_part(own, about, X.shape, kernel)
    start, end = read_ends(own, n, about["total"], about["has_bias"])
    checks.check_positions(own, about["kind"], start.n_knots)
    checks.check_moments(own, n, start.n_knots)
    reading = Reading(about["kind"], own["sign"])
    record = Record.from_arrays(own)
    need(record.n_rows == n, "the record of a subproblem has other rows")
    record.validate()
    rows = freeze(own["rows"].astype(np.intp)) if "rows" in own else None
    ridge = about["ridge"]
    evaluation = ROW_TYPES[reading.meaning.rows_are].from_arrays(own)
    nowhere = np.empty(0)
    jumps = (
        freeze(own.get("jump_theta", nowhere).copy()),
        freeze(own.get("jump_bias", nowhere).copy()),
    )
    ends = _read_moment(own, "first"), _read_moment(own, "last")
    return PathPart(
        kernel, X, rows, start, end, record, reading, True, ridge, evaluation, jumps, ends
    )
