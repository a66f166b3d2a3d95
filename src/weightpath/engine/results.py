"""Why the loop stopped, as sentences with advice."""

from __future__ import annotations

from enum import Enum

__all__ = ["Result"]

_ILL_CONDITIONED = (
    "The kernel matrix may be too ill-conditioned for double precision: try ridge=1e-8, a smaller "
    "C or a larger gamma. error.save(file) keeps the problem."
)


class Result(Enum):
    """Why the loop stopped: each member carries its sentence, what happened and what to try.

    Examples
    --------
    >>> from weightpath.engine.results import Result
    >>> Result.END.sentence(1.0)
    'The end of the line was reached.'
    """

    END = "The end of the line was reached."
    CAP = "The event cap was reached at theta = {theta:.6g}. Raise max_events to go further."
    REQUEST = "The path was stopped at theta = {theta:.6g} on request."
    INFEASIBLE = (
        "No solution exists beyond theta = {theta:.6g}: the sum constraint of the bias cannot be "
        "met there (for instance all weights of one class vanish). Keep some weight in every class."
    )
    UNBOUNDED = (
        "The problem is unbounded at theta = {theta:.6g}: dependent columns with nothing to stop "
        "them. Use positive penalties, or a small ridge."
    )
    TIES = "The path could not be followed beyond theta = {theta:.6g} (ties). " + _ILL_CONDITIONED
    ASTRAY = (
        "The path could not be followed beyond theta = {theta:.6g} (astray). " + _ILL_CONDITIONED
    )
    INDEFINITE = (
        "A pivot of the margin system is negative at theta = {theta:.6g}: the kernel matrix is not "
        "positive semidefinite. Use another kernel, or a larger ridge."
    )

    def sentence(self, theta: float) -> str:
        """Return what happened at this theta and what to try."""
        return self.value.format(theta=theta)
