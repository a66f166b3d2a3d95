"""A problem in a file: to send, to load, to become a regression test."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.trace import Options
from weightpath.files import read_arrays, write_arrays
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State
from weightpath.record.stored_ends import check_finite, need, read_ends

__all__ = ["SavedProblem", "load_problem"]

_FORMAT = 1
_FIELDS = ("target", "knots", "levels")


@dataclass(frozen=True, eq=False)
class SavedProblem:
    """A path problem with its kernel matrix.

    Attributes
    ----------
    columns : Columns
        The kernel matrix.
    start, end : Staircase
        The ends of the path.
    beta : ndarray of shape (n,)
        Coefficients where it failed, to start from.
    bias : float
        The bias there.
    ridge : float
        The ridge that was used.
    """

    columns: Columns
    start: Staircase
    end: Staircase
    beta: NDArray[np.float64]
    bias: float
    ridge: float

    @classmethod
    def of(
        cls,
        columns: Columns,
        start: Staircase,
        end: Staircase,
        state: State | None,
        options: Options,
    ) -> SavedProblem:
        """Return the problem of a path, at a state."""
        beta = np.zeros(len(start)) if state is None else state.beta
        bias = 0.0 if state is None else state.bias
        return cls(columns, start, end, beta, bias, options.ridge)

    @property
    def kernel_matrix(self) -> NDArray[np.float64]:
        """The kernel matrix, computed now."""
        return self.columns.submatrix(np.arange(len(self.start)))

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write everything to ``file``, a name or an open binary file (NumPy's ``.npz``)."""
        arrays = {
            f"{end}_{name}": getattr(stair, name)
            for end, stair in (("start", self.start), ("end", self.end))
            for name in _FIELDS
        }
        write_arrays(
            file,
            {
                "format": _FORMAT,
                "kernel_matrix": self.kernel_matrix,
                "totals": np.array([self.start.total, self.end.total]),
                "has_bias": self.start.has_bias,
                "beta": self.beta,
                "bias": float(self.bias),
                "ridge": float(self.ridge),
                **arrays,
            },
        )


def load_problem(file: str | PathLike[str] | IO[bytes]) -> SavedProblem:
    """Read a problem that was written by ``error.save(file)``.

    Raises
    ------
    ValueError
        If the file is damaged, or was not written by ``error.save``.
    """
    try:
        return _read(read_arrays(file, packed=True))
    except ValueError as error:
        raise ValueError(
            f"{file!r} is not a file written by error.save, or it is damaged: {error}"
        ) from error


def _read(arrays: dict[str, NDArray[Any]]) -> SavedProblem:
    from weightpath.kernels import Kernel

    version = int(_scalar(arrays, "format", "iu"))
    need(version == _FORMAT, f"unknown format {version} of a saved problem")
    matrix, totals, beta = (_numbers(arrays, name) for name in ("kernel_matrix", "totals", "beta"))
    n = matrix.shape[0] if matrix.ndim == 2 else 0
    need(n > 0 and matrix.shape == (n, n), "the kernel matrix is not square")
    need(totals.shape == (2,) and beta.shape == (n,), "totals or coefficients have another length")
    has_bias = bool(_scalar(arrays, "has_bias", "b"))
    bias, ridge = (float(_scalar(arrays, name, "fiu")) for name in ("bias", "ridge"))
    need(np.isfinite(bias) and 0.0 <= ridge < np.inf, "the bias or the ridge is no number")
    ends = read_ends(arrays, n, totals.tolist(), has_bias)
    columns = Kernel("precomputed").columns(matrix, 1.0)
    return SavedProblem(columns, *ends, beta, bias, ridge)


def _scalar(arrays: dict[str, NDArray[Any]], name: str, kind: str) -> Any:
    """Return a single value of a file, of one of these kinds."""
    need(name in arrays and arrays[name].ndim == 0, f"{name} is missing or no single value")
    need(arrays[name].dtype.kind in kind, f"{name} has a value of another type")
    return arrays[name].item()


def _numbers(arrays: dict[str, NDArray[Any]], name: str) -> NDArray[np.float64]:
    """Return an array of finite numbers of a file."""
    need(name in arrays and arrays[name].dtype.kind == "f", f"{name} holds no numbers")
    check_finite(arrays[name], name)
    return arrays[name]
