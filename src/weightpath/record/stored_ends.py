"""Whether arrays of a file are the two ends of a path; every failure is a ``ValueError``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

__all__ = ["check_finite", "check_range", "need", "read_ends"]


def need(fact: object, message: str) -> None:
    """Raise ``ValueError`` with a message unless something is true."""
    if not fact:
        raise ValueError(message)


def check_range(index: NDArray[Any], size: int, what: str) -> None:
    """Raise unless all indices are in ``0 ... size - 1``."""
    inside = index.size == 0 or (index.min() >= 0 and index.max() < size)
    need(inside, f"{what} are out of range")


def check_finite(array: NDArray[Any], what: str) -> None:
    """Raise unless all numbers are finite."""
    need(np.isfinite(array).all(), f"{what} has values that are not finite")


def read_ends(
    arrays: Mapping[str, NDArray[Any]], n: int, totals: Sequence[float], has_bias: bool
) -> tuple[Staircase, Staircase]:
    """Return the staircases of ``n`` rows at both ends of a path, checked."""
    _check_stairs(arrays, n)
    start, end = (
        Staircase(
            arrays[f"{end}_target"],
            arrays[f"{end}_knots"],
            arrays[f"{end}_levels"],
            total,
            has_bias,
        )
        for end, total in zip(("start", "end"), totals, strict=True)
    )
    _check_ends(start, end)
    return start, end


def _check_ends(start: Staircase, end: Staircase) -> None:
    """Raise unless two staircases are the ends of one path."""
    for stair in (start, end):
        for name, rises in (("knots", stair.knots), ("levels", stair.levels)):
            need((rises[:, 1:] >= rises[:, :-1]).all(), f"the {name} do not increase")
    same = np.where(np.isinf(start.levels), start.levels, 0.0)
    other = np.where(np.isinf(end.levels), end.levels, 0.0)
    need(np.array_equal(same, other), "a level is infinite at one end only")


def _shapes(n: int, m: int) -> dict[str, tuple[int, ...]]:
    return {"target": (n,), "knots": (n, m), "levels": (n, m + 1)}


def _check_stairs(arrays: Mapping[str, NDArray[Any]], n: int) -> None:
    """Check types, shapes and finiteness of both staircases."""
    names = [f"{end}_{name}" for end in ("start", "end") for name in _shapes(n, 0)]
    missing = [name for name in names if name not in arrays]
    need(not missing, f"there is no {missing[:1]}")
    knots = arrays["start_knots"]
    need(knots.ndim == 2 and knots.shape[1] > 0, "there are no knots")
    m = int(knots.shape[1])
    for end in ("start", "end"):
        for name, shape in _shapes(n, m).items():
            array = arrays[f"{end}_{name}"]
            need(array.shape == shape, f"{end}_{name} has the shape {array.shape}")
            need(array.dtype.kind == "f", f"{end}_{name} holds no real numbers")
            if name == "levels":
                need(not np.isnan(array).any(), "a level is NaN")
            else:
                check_finite(array, f"{end}_{name}")
