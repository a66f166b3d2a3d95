"""Errors and warnings of the library; each message says what happened and what to try."""

from __future__ import annotations

__all__ = [
    "ColumnError",
    "EventCapWarning",
    "InfeasiblePathError",
    "KernelNotPSDError",
    "KernelNotSymmetricError",
    "PathError",
    "PrecisionWarning",
    "UnboundedPathError",
]


class PathError(RuntimeError):
    """A path could not be followed to its end.

    Parameters
    ----------
    message : str
        What happened and what to try.
    problem : object, optional
        The problem that failed. ``error.save(file)`` writes it, so that it can be sent, loaded
        with :func:`weightpath.engine.load_problem` and become a regression test.
    """

    def __init__(self, message: str, problem=None):
        super().__init__(message)
        self.problem = problem

    def save(self, file) -> None:
        """Write the problem that failed to ``file`` (NumPy ``.npz``, no pickle)."""
        if self.problem is None:
            raise ValueError("This error carries no problem to save.")
        self.problem.save(file)


class InfeasiblePathError(PathError):
    """The constraint of the bias cannot be met somewhere on the path."""


class UnboundedPathError(PathError):
    """The dual is unbounded: no box stops a direction that costs nothing."""


class KernelNotPSDError(PathError, ValueError):
    """The kernel matrix is not positive semidefinite on the data."""


class ColumnError(PathError):
    """A kernel column could not be computed."""


class KernelNotSymmetricError(ColumnError, ValueError):
    """The kernel has two values for one pair of rows."""


class EventCapWarning(UserWarning):
    """A path was stopped by ``max_events`` before its end."""


class PrecisionWarning(UserWarning):
    """A problem is beyond double precision: rounding alone makes its solution inexact."""
