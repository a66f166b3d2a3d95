"""Why the loop stopped, as sentences with advice."""

from __future__ import annotations

from enum import Enum

from weightpath.errors import Advice

__all__ = ["Result"]

_ILL_CONDITIONED = Advice(
    "The kernel matrix may be too ill-conditioned for double precision: try {ridge}, a smaller C "
    "or a larger gamma.",
    {"ridge": 1e-8},
)


class Result(Enum):
    """Why the loop stopped: each member carries its sentence, and what to try.

    Examples
    --------
    >>> from weightpath.engine.results import Result
    >>> Result.TIES.sentence(0.5)
    'The path could not be followed beyond theta = 0.5 (ties).'
    >>> print(Result.INFEASIBLE.advice)
    Keep some weight in every class.
    """

    END = ("The end of the line was reached.",)
    CAP = (
        "The event cap was reached at theta = {theta:.6g}.",
        Advice("Raise {max_events} to go further.", {"max_events": None}),
    )
    REQUEST = ("The path was stopped at theta = {theta:.6g} on request.",)
    INFEASIBLE = (
        "No solution exists beyond theta = {theta:.6g}: the sum constraint of the bias cannot be "
        "met there (for instance all weights of one class vanish).",
        Advice("Keep some weight in every class."),
    )
    UNBOUNDED = (
        "The problem is unbounded at theta = {theta:.6g}: dependent columns with nothing to stop "
        "them.",
        Advice("Use positive penalties, or a small {ridge}.", {"ridge": None}),
    )
    TIES = (
        "The path could not be followed beyond theta = {theta:.6g} (ties).",
        _ILL_CONDITIONED,
    )
    ASTRAY = (
        "The path could not be followed beyond theta = {theta:.6g} (rounding errors grew too "
        "large).",
        _ILL_CONDITIONED,
    )
    STALE = (
        "The residuals at theta = {theta:.6g} carry rounding errors of far larger coefficients.",
        _ILL_CONDITIONED,
    )
    INDEFINITE = (
        "A pivot of the margin system is negative at theta = {theta:.6g}: the kernel matrix is not "
        "positive semidefinite.",
        Advice("Use another kernel, or a larger {ridge}.", {"ridge": None}),
    )

    def __init__(self, words: str, advice: Advice | None = None):
        self._words = words
        self.advice = advice

    def sentence(self, theta: float) -> str:
        """Return what happened at this theta."""
        return self._words.format(theta=theta)
