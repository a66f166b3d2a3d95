"""What a competitor has to offer.

A :class:`StepSolver` is led along the path: it starts at the first place and moves from there to
others, one at a time. A :class:`PathSolver` does the whole path in one call. The clock is outside:
``start``, ``move`` and ``trace`` are timed, reading the answers is not.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import ClassVar

import numpy as np

from benchmarks.contest.judge import Solution
from benchmarks.contest.problems import Problem


class TimeIsUpError(Exception):
    """The solver was stopped after the seconds it was given."""


class Solver:
    """One competitor.

    Attributes
    ----------
    name : str
        As it is asked for.
    label : str
        For people.
    how : str
        From nothing at every place ("cold"), from the place before ("warm"), or "path".
    families : tuple of str
        The families of problems that it can solve.
    module : str or None
        The module without which it cannot run.
    remedy : str
        How to get it.
    rehearse : bool
        Whether it runs a tiny problem first, so that lazy imports and compiling are not timed.
    failures : int
        How often it said itself that it had failed.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    how: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    module: ClassVar[str | None] = None
    remedy: ClassVar[str] = ""
    rehearse: ClassVar[bool] = True
    failures: int = 0

    def missing(self) -> str | None:
        """Why it cannot run here, with what to do about it; ``None`` if it can."""
        if self.module is None or find_spec(self.module) is not None:
            return None
        return f"not installed: {self.remedy}"

    def start(self, problem: Problem, cap: float) -> None:
        """Get ready and solve at theta = 0; no single call shall take much more than ``cap`` s."""
        raise NotImplementedError


class StepSolver(Solver):
    """A competitor that is asked at one place after the other."""

    def move(self, theta: float) -> None:
        """Solve at another place."""
        raise NotImplementedError

    def solution(self) -> Solution:
        """Return the answer at the place where it stands."""
        raise NotImplementedError


class PathSolver(Solver):
    """A competitor that does the whole path in one call.

    Attributes
    ----------
    begins_apart : bool
        Whether ``start`` solves something; else its time belongs to the path.
    seconds : float or None
        Its own measurement of ``trace``, where it runs in another process.
    """

    how = "path"
    begins_apart: bool = False
    seconds: float | None = None

    def trace(self, breakpoints: np.ndarray) -> None:
        """Do the whole path; those who find no breakpoints themselves go to these."""
        raise NotImplementedError

    def reach(self) -> float:
        """How far it came: 1 is the end."""
        return 1.0

    def solution_at(self, theta: float) -> Solution:
        """Return the answer at any place up to ``reach()``."""
        raise NotImplementedError
