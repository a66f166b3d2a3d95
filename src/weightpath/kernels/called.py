"""Values of kernels that are Python functions, and of matrices that are given, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from weightpath.errors import Advice, ColumnError

__all__ = ["called_values", "real_values"]


def real_values(values: Any, what: str) -> NDArray[np.float64]:
    """Return kernel values as an array of floats; raise ``ColumnError`` if they are no numbers.

    NumPy would drop the imaginary part of a complex number and go on.
    """
    values = np.asarray(values.toarray() if issparse(values) else values)
    if values.dtype.kind == "c":
        raise ColumnError(
            f"{what} complex values, but a kernel has real ones.",
            advice=Advice("Repair the kernel."),
        )
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ColumnError(f"{what} values that are no real numbers ({error}).") from error


def called_values(
    function: Callable[[Any, Any], Any] | None, A: Any, B: Any
) -> NDArray[np.float64]:
    """Return ``function(A, B)``, a matrix of real numbers, one for each pair of rows."""
    assert function is not None
    values = real_values(function(A, B), "The kernel function returned")
    if values.shape != (A.shape[0], B.shape[0]):
        raise ColumnError(
            f"The kernel function returned an array of shape {values.shape} for "
            f"{A.shape[0]} and {B.shape[0]} rows; expected ({A.shape[0]}, {B.shape[0]})."
        )
    return values
