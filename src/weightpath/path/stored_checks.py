"""Whether what a file says is a path, before anything is computed with it.

Native code trusts indices, and NumPy allocates what shapes ask for. So everything that is read is
checked here first; every failure is a ``ValueError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels import Kernel
from weightpath.path.row_types import ROW_TYPES
from weightpath.problems import kinds
from weightpath.problems.position import n_positions
from weightpath.record.checks import check_types
from weightpath.record.record import Record
from weightpath.record.stored_ends import check_finite, check_range, need

__all__ = [
    "check_about",
    "check_classes",
    "check_matrix",
    "check_moments",
    "check_names",
    "check_part",
    "check_positions",
]

Array = NDArray[Any]

# A kernel matrix may miss being symmetric by this fraction of its largest entry; an estimator takes
# the mean of both halves.
_SYMMETRIC_PART = 1e-6

_LARGEST_INT32 = np.iinfo(np.int32).max

_STAIRS = tuple(
    f"{end}_{name}" for end in ("start", "end") for name in ("target", "knots", "levels")
)
_ROWS = tuple(name for rows in ROW_TYPES.values() for name in rows.array_names)
_JUMPS = ("jump_theta", "jump_bias")
_MOMENTS = tuple(
    f"{end}_{name}" for end in ("first", "last") for name in ("beta", "position", "bias")
)
_DENSE, _SPARSE = ("X",), ("X_data", "X_indices", "X_indptr", "X_shape")


def check_about(about: Any) -> None:
    """Check the description: which fields there are, and what they are."""
    need(isinstance(about, dict), "the description is no table")
    kernel, parts, status = (about.get(name) for name in ("kernel", "parts", "status"))
    need(isinstance(kernel, dict), "the kernel is not described")
    names = {"name", "gamma", "degree", "coef0"}
    need(set(kernel) == names and isinstance(kernel["name"], str), "the kernel is not described")
    numbers = [kernel[name] for name in sorted(names - {"name"})]
    need(all(map(_is_number, numbers)), "the kernel has bad parameters")
    need(0 <= kernel["degree"] <= _LARGEST_INT32, "the degree of the kernel is out of range")
    need(isinstance(parts, list) and parts, "there are no subproblems")
    for part in parts:
        need(isinstance(part, dict), "a subproblem is not described")
        kind, total = part.get("kind"), part.get("total")
        need(isinstance(kind, str) and kind in kinds(), "a subproblem has an unknown kind")
        need(
            isinstance(part.get("has_bias"), bool),
            "a subproblem does not say whether it has a bias",
        )
        ridge = part.get("ridge")
        need(_is_number(ridge) and ridge >= 0, "the ridge of a subproblem is not a number >= 0")
        need(isinstance(total, list) and len(total) == 2, "a subproblem has no total")
        need(all(map(_is_number, total)), "the total of a subproblem is not a number")
    need(isinstance(status, list) and len(status) == 2, "there is no status")
    need(all(isinstance(word, str) for word in status), "the status is no text")
    need(isinstance(about.get("object_classes"), bool), "the classes are not described")
    need("params" in about and "pairs" in about, "parameters or pairs are missing")


def check_names(arrays: Mapping[str, Array], n_parts: int) -> None:
    """Check that all arrays are known and that none of those every path has is missing."""
    dense, sparse = (all(name in arrays for name in names) for names in (_DENSE, _SPARSE))
    need(dense != sparse, "the training matrix is missing")
    own = (*Record.names(), "sign", "rows", *_STAIRS, *_ROWS, *_JUMPS, *_MOMENTS)
    known = {"about", "classes", "preparation", *(_DENSE if dense else _SPARSE)}
    known.update(f"part{k}_{name}" for k in range(n_parts) for name in own)
    unknown = sorted(set(arrays) - known)
    need(not unknown, f"there is an unknown array {unknown[:1]}")
    need(all(f"part{k}_sign" in arrays for k in range(n_parts)), "a subproblem has no signs")


def check_matrix(arrays: Mapping[str, Array], kernel_name: str) -> tuple[int, int]:
    """Check the training matrix; return its shape."""
    if "X" in arrays:
        X = arrays["X"]
        need(X.ndim == 2 and X.dtype.kind == "f", "the training matrix is no matrix")
        check_finite(X, "the training matrix")
        n, p = X.shape
    else:
        n, p = _check_sparse(*(arrays[name] for name in _SPARSE))
    need(n > 0 and p > 0, "the training matrix is empty")
    if kernel_name == "precomputed":
        need("X" in arrays and n == p, "the kernel matrix is not square")
        apart, largest = np.abs(X - X.T).max(), np.abs(X).max()
        need(apart <= _SYMMETRIC_PART * largest, "the kernel matrix is not symmetric")
    return n, p


def _check_sparse(data: Array, indices: Array, indptr: Array, shape: Array) -> tuple[int, int]:
    for array in (indices, indptr, shape):
        need(array.ndim == 1 and array.dtype.kind in "iu", "the sparse matrix has bad indices")
    need(shape.shape == (2,) and (shape > 0).all(), "the sparse matrix has a bad shape")
    n, p = (int(size) for size in shape)
    need(p <= _LARGEST_INT32 and indptr.size == n + 1, "the sparse matrix has a bad shape")
    need(data.ndim == 1 and data.dtype.kind == "f", "the sparse matrix has bad values")
    need(
        data.shape == indices.shape,
        "the sparse matrix has a different number of values than of indices",
    )
    need(indptr[0] == 0 and indptr[-1] == data.size, "the rows of the sparse matrix are not whole")
    need((indptr[1:] >= indptr[:-1]).all(), "the rows of the sparse matrix overlap")
    check_range(indices, p, "the columns of the sparse matrix")
    check_finite(data, "the sparse matrix")
    return n, p


def check_classes(classes: Array | None, pairs: Any, n_parts: int) -> None:
    """Check the labels of a classifier, and the classes of each subproblem."""
    n_classes = 0
    if classes is not None:
        n_classes = classes.size
        need(classes.ndim == 1 and n_classes >= 2, "the classes are no list")
        need(np.unique(classes).size == n_classes, "there are equal classes")
        if classes.dtype.kind == "f":
            check_finite(classes, "the list of classes")
        need(pairs is not None or n_classes == 2, "the subproblems of the classes are missing")
    if pairs is None:
        need(n_parts == 1, "the classes of the subproblems are missing")
        return
    need(n_classes > 0 and isinstance(pairs, list), "the classes of the subproblems are missing")
    need(len(pairs) == n_parts, "the numbers of subproblems and of pairs of classes differ")
    for pair in pairs:
        need(isinstance(pair, list) and len(pair) == 2, "a pair of classes is no pair")
        whole = all(isinstance(k, int) and not isinstance(k, bool) for k in pair)
        need(whole and pair[0] != pair[1], "a pair of classes is no pair")
        need(all(0 <= k < n_classes for k in pair), "a pair names a class that is not there")


def check_part(
    own: Mapping[str, Array], about: dict[str, Any], shape: tuple[int, int], kernel: Kernel
) -> int:
    """Check the arrays of one subproblem except its staircases; return its number of rows.

    ``own`` has the arrays by their names in the subproblem.
    """
    kind = kinds()[about["kind"]]
    for rows_are, rows in ROW_TYPES.items():
        found = any(name in own for name in rows.array_names)
        wanted = rows_are == kind.rows_are and bool(rows.array_names)
        need(found == wanted, f"the rows of a subproblem are {rows_are}, or should be and are not")
    if kind.rows_are != "instances":
        need("rows" not in own and not about["has_bias"], "the subproblem has rows or a bias")
    n = ROW_TYPES[kind.rows_are].check_arrays(own, shape, kernel)
    sign = own["sign"]
    need(sign.shape == (n,) and sign.dtype.kind == "f", "the signs of a subproblem are no list")
    need(np.isin(sign, (-1.0, 0.0, 1.0)).all(), "the signs of a subproblem are no signs")
    check_types(own)
    return n


def check_positions(own: Mapping[str, Array], kind: str, n_knots: int) -> None:
    """Check that positions are those of staircases with so many knots."""
    pairs = kinds()[kind].rows_are == "pairs"
    need(n_knots == 2 or not pairs, "pairs of documents have other knots than two")
    for name in ("initial_position", "event_from", "event_to"):
        need(name in own, f"there is no {name}")
        check_range(own[name], n_positions(n_knots), f"{name} of a subproblem")


def check_moments(own: Mapping[str, Array], n: int, n_knots: int) -> None:
    """Check the solutions at single theta: where the bias jumps, and at the ends."""
    theta, bias = (own.get(name, np.empty(0)) for name in _JUMPS)
    for name, array in zip(_JUMPS, (theta, bias), strict=True):
        need(array.ndim == 1 and array.dtype.kind == "f", f"{name} of a subproblem is no list")
        check_finite(array, f"{name} of a subproblem")
    need(theta.size == bias.size, "the theta at which the bias jumps have no biases")
    need((np.diff(theta) > 0).all(), "the theta at which the bias jumps do not increase")
    need(((theta >= 0) & (theta <= 1)).all(), "the bias jumps outside of the path")
    for end in ("first", "last"):
        names = [f"{end}_{name}" for name in ("beta", "position", "bias")]
        found = [name in own for name in names]
        need(all(found) or not any(found), f"the {end} solution of a subproblem is not whole")
        if not any(found):
            continue
        beta, position, bias = (own[name] for name in names)
        for array, size, kind in ((beta, n, "f"), (position, n, "iu"), (bias, 1, "f")):
            need(array.shape == (size,), f"the {end} solution of a subproblem has another size")
            need(
                array.dtype.kind in kind, f"the {end} solution of a subproblem has no such numbers"
            )
            check_finite(array, f"the {end} solution of a subproblem")
        check_range(
            position, n_positions(n_knots), f"the positions of the {end} solution of a subproblem"
        )


def _is_number(value: Any) -> bool:
    """Whether a value of the description is a finite number; large whole numbers are none."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False
