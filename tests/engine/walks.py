"""What the engine's tests share: walks through problems, and how optimal every step of them is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from judges import optimality
from weightpath.engine import State, Trace, follow, solve
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading
from weightpath.problems import Staircase

__all__ = ["Leg", "columns_of", "target_scale", "walk", "walk_case"]

PRECOMPUTED = Kernel("precomputed")


@dataclass(frozen=True, eq=False)
class Leg:
    """One path: from a problem to the next one, on a dense kernel matrix."""

    K: np.ndarray
    start: Staircase
    end: Staircase
    before: State
    trace: Trace

    @cached_property
    def part(self) -> PathPart:
        """The path as the engine recorded it, the bias left where it was."""
        return self._part(settled=True)

    @cached_property
    def settled(self) -> PathPart:
        """The path with the bias in the middle of its interval."""
        return self._part(settled=False)

    @property
    def scale(self) -> float:
        """What violations are measured against."""
        return max(target_scale(self.start), target_scale(self.end))

    def worst_violation(self) -> float:
        """The largest violation over all breakpoints and mid-segments; relative."""
        return self.part.largest_kkt_violation()

    def judged_violation(self, theta: float) -> float:
        """The violation at one theta beyond what rounding explains, told by the judge."""
        stair = self.start.between(self.end, theta)
        found = optimality.violation(self.K, stair, self.part.beta(theta), self.part.bias(theta))
        return max(found.worst - found.noise, 0.0) / self.scale

    def values(self, theta: float) -> np.ndarray:
        """The unique part of the function, ``K beta``."""
        return self.K @ self.part.beta(theta)

    def _part(self, settled: bool) -> PathPart:
        reading = Reading("svc", np.ones(len(self.start)))
        return PathPart(
            PRECOMPUTED, self.K, None, self.start, self.end, self.trace.record, reading, settled
        )


def target_scale(stair: Staircase) -> float:
    """Return the largest target or finite level, or 1 where all are zero."""
    return stair.residual_scale or 1.0


def columns_of(K):
    """Return the engine's columns of a dense matrix."""
    return PRECOMPUTED.columns(np.ascontiguousarray(K, dtype=np.float64), 1.0)


def walk(K, staircases, options=None, state=None) -> list[Leg]:
    """Solve the first problem and follow the path through all of them."""
    columns = columns_of(K)
    if state is None:
        state = solve(columns, staircases[0], options=options)
    legs = []
    for start, end in pairwise(staircases):
        trace = follow(columns, start, end, state, options)
        legs.append(Leg(K, start, end, state, trace))
        state = trace.state
    return legs


def walk_case(case, options=None) -> list[Leg]:
    """Walk through all weight vectors of a case."""
    return walk(case.K, case.staircases(), options)
