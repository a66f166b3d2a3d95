"""A problem in a file: to send, to load, to become a regression test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weightpath.engine.state import Options, State
from weightpath.problems import Staircase

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
        Coefficients where it failed; a place to start from.
    bias : float
        The bias there.
    ridge : float
        The ridge that was used.
    """

    columns: object
    start: Staircase
    end: Staircase
    beta: np.ndarray
    bias: float
    ridge: float

    @classmethod
    def of(cls, columns, start, end, state: State | None, options: Options) -> SavedProblem:
        """Return the problem of a path, at a state."""
        beta = np.zeros(len(start)) if state is None else state.beta
        bias = 0.0 if state is None else state.bias
        return cls(columns, start, end, beta, bias, options.ridge)

    @property
    def kernel_matrix(self) -> np.ndarray:
        """The kernel matrix, computed now."""
        return self.columns.submatrix(np.arange(len(self.start)))

    def save(self, file) -> None:
        """Write everything to ``file`` (``.npz``)."""
        arrays = {
            f"{end}_{name}": getattr(stair, name)
            for end, stair in (("start", self.start), ("end", self.end))
            for name in _FIELDS
        }
        np.savez_compressed(
            file,
            format=_FORMAT,
            kernel_matrix=self.kernel_matrix,
            totals=[self.start.total, self.end.total],
            has_bias=self.start.has_bias,
            beta=self.beta,
            bias=self.bias,
            ridge=self.ridge,
            **arrays,
        )


def load_problem(file) -> SavedProblem:
    """Read a problem that was written by ``error.save(file)``."""
    from weightpath.kernels import Kernel

    with np.load(file, allow_pickle=False) as data:
        if int(data["format"]) != _FORMAT:
            raise ValueError(f"Unknown format {int(data['format'])} of a saved problem.")
        ends = [
            Staircase(
                *(data[f"{end}_{name}"] for name in _FIELDS),
                float(data["totals"][k]),
                bool(data["has_bias"]),
            )
            for k, end in enumerate(("start", "end"))
        ]
        columns = Kernel("precomputed").columns(data["kernel_matrix"], 1.0)
        return SavedProblem(columns, *ends, data["beta"], float(data["bias"]), float(data["ridge"]))
