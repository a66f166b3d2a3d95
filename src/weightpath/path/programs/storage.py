"""Paths of linear program machines in files; see :mod:`weightpath.path.storage`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.files import write_arrays
from weightpath.frozen import freeze
from weightpath.kernels import Kernel
from weightpath.path import stored_checks as checks
from weightpath.path.plain_values import encode
from weightpath.path.programs.linear_program_path import LinearProgramPath
from weightpath.path.programs.part import ProgramPart
from weightpath.path.reading import Reading
from weightpath.path.storage import (
    FORMAT_OF_PROGRAMS,
    File,
    matrix_arrays,
    plain_classes,
    read_path,
)
from weightpath.problems.position import n_positions
from weightpath.problems.program import Program
from weightpath.record.program_record import ProgramRecord
from weightpath.record.stored_ends import check_range, need, read_ends

__all__ = ["read_program", "save_program"]

Arrays = dict[str, NDArray[Any]]

_ENDS = tuple(
    f"{end}_{name}" for end in ("start", "end") for name in ("target", "knots", "levels", "penalty")
)
_OWN = (*(own.name for own in fields(ProgramRecord)), *_ENDS, "sign", "rows")


def save_program(path: LinearProgramPath, file: File) -> None:
    """Write ``path`` to ``file``; see :meth:`weightpath.LinearProgramPath.save`."""
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
        "format": FORMAT_OF_PROGRAMS,
        "shape": list(path.X.shape),
        "kernel": path.kernel.to_dict(),
        "params": encode(path.params),
        "pairs": path.pairs,
        "status": [str(path.status), getattr(path.status, "message", "")],
        "object_classes": path.classes is not None and np.asarray(path.classes).dtype == object,
        "parts": [
            {"kind": part.reading.kind, "has_bias": True, "ridge": 0.0, "total": [0.0, 0.0]}
            for part in path.parts
        ],
    }
    arrays["about"] = np.array(json.dumps(about))
    write_arrays(file, arrays)


def read_program(arrays: Arrays, about: dict[str, Any], trusted: Sequence[str]) -> Any:
    """Return the path of a file; ``ValueError`` unless everything fits together."""
    checks.check_about(about)
    need("shape" in about, "the training matrix is another")
    return read_path(arrays, about, trusted, LinearProgramPath, _read_part)


def _part_arrays(part: ProgramPart) -> Arrays:
    arrays: Arrays = {**part.record.to_arrays(), "sign": part.reading.sign}
    if part.rows is not None:
        arrays["rows"] = part.rows
    for end, program in (("start", part.start), ("end", part.end)):
        for name in ("target", "knots", "levels"):
            arrays[f"{end}_{name}"] = getattr(program.stair, name)
        arrays[f"{end}_penalty"] = program.penalty
    return arrays


def _read_part(kernel: Kernel, X: Any, arrays: Arrays, k: int, about: Any) -> ProgramPart:
    prefix = f"part{k}_"
    own = {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}
    need(set(own) <= set(_OWN), "a subproblem has an unknown array")
    need(set(_OWN) - {"rows"} <= set(own), "a subproblem lacks an array")
    rows = None
    if "rows" in own:
        need(own["rows"].ndim == 1 and own["rows"].dtype.kind in "iu", "rows are no list")
        check_range(own["rows"], X.shape[0], "rows")
        rows = freeze(own["rows"].astype(np.intp))
    n = X.shape[0] if rows is None else len(rows)
    p = X.shape[1] if kernel.name == "linear" else n
    stairs = read_ends(own, n, about["total"], about["has_bias"])
    need(own["sign"].shape == (n,) and own["sign"].dtype.kind == "f", "signs are no list")
    penalties = [own[f"{end}_penalty"] for end in ("start", "end")]
    for penalty in penalties:
        need(penalty.shape == (p,) and penalty.dtype.kind == "f", "penalties are no list")
        need(np.isfinite(penalty).all() and (penalty >= 0).all(), "a penalty is no number")
    record = ProgramRecord.from_arrays(own, n, p)
    _check_positions(record, stairs[0].n_knots)
    start, end = (Program(s, q.copy()) for s, q in zip(stairs, penalties, strict=True))
    reading = Reading(about["kind"], own["sign"])
    return ProgramPart(kernel, X, rows, start, end, record, reading)


def _check_positions(record: ProgramRecord, n_knots: int) -> None:
    """Raise unless all positions and signs exist."""
    most = n_positions(n_knots)
    check_range(record.initial_position, most, "positions")
    for change in (record.event_from, record.event_to):
        check_range(change[~record.event_is_column], most, "positions")
        check_range(change[record.event_is_column] + 1, 3, "signs")
    check_range(record.column_sign + 1, 3, "signs")
