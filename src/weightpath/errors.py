"""Errors and warnings of the library; each message says what happened and what to try."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Protocol

__all__ = [
    "Advice",
    "BreakpointWarning",
    "ColumnError",
    "EventCapWarning",
    "InfeasiblePathError",
    "KernelNotPSDError",
    "KernelNotSymmetricError",
    "PathError",
    "PrecisionWarning",
    "UnboundedPathError",
]

File = str | os.PathLike[str] | IO[bytes]


class Saveable(Protocol):
    """A problem that writes itself to a file."""

    def save(self, file: File) -> None:
        """Write everything to ``file``."""


@dataclass(frozen=True)
class Advice:
    """What to try, in words that suit both Python and the command line.

    Parameters
    ----------
    text : str
        A sentence with the names of settings in braces.
    settings : mapping of str to str, number or None
        The value to give to each of these settings; None where only its name is said.

    Examples
    --------
    >>> from weightpath.errors import Advice
    >>> print(Advice("Try {ridge}, or a smaller C.", {"ridge": 1e-8}))
    Try ridge=1e-8, or a smaller C.
    """

    text: str
    settings: Mapping[str, str | float | None] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.worded(_as_keyword)

    def worded(self, write: Callable[[str, str | float | None], str]) -> str:
        """Return the sentence; ``write(name, value)`` says how a setting is written."""
        return self.text.format(
            **{name: write(name, value) for name, value in self.settings.items()}
        )

    @staticmethod
    def plain(value: str | float) -> str:
        """Return a value with two digits, as in 1e-8."""
        return f"{value:.2g}".replace("e-0", "e-") if isinstance(value, float) else str(value)


def _as_keyword(name: str, value: str | float | None) -> str:
    if value is None:
        return name
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={Advice.plain(value)}"


class PathError(RuntimeError):
    """A path could not be followed to its end.

    Parameters
    ----------
    message : str
        What happened.
    problem : object, optional
        The problem that failed. ``error.save(file)`` writes it, so that it can be sent, loaded
        with :func:`weightpath.engine.load_problem` and become a regression test.
    advice : Advice, optional
        What to try.
    theta : float, optional
        Where on the path it happened.
    """

    def __init__(
        self,
        message: str,
        problem: Saveable | None = None,
        *,
        advice: Advice | None = None,
        theta: float | None = None,
    ):
        super().__init__(message)
        self.problem = problem
        self.advice = advice
        self.theta = theta

    @property
    def message(self) -> str:
        """What happened, without advice."""
        return str(self.args[0])

    def __str__(self) -> str:
        said = [self.message]
        if self.advice is not None:
            said.append(str(self.advice))
        if self.problem is not None:
            said.append("error.save(file) keeps the problem.")
        return " ".join(said)

    def save(self, file: File) -> None:
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


class BreakpointWarning(UserWarning):
    """A gradient was asked for where the solution has a kink or a jump: it is one-sided."""


class EventCapWarning(UserWarning):
    """A path was stopped by ``max_events`` before its end."""


class PrecisionWarning(UserWarning):
    """A problem is beyond double precision: rounding alone makes its solution inexact."""
