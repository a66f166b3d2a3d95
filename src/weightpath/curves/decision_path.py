"""What curves need of a path: decision values that are linear in theta, segment by segment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "DecisionPath"]

# Consecutive segments: left ends, right ends, and one row of values and slopes for each segment.
Block = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class DecisionPath(Protocol):
    """A path, or whatever has its decision values; see :class:`weightpath.SolutionPath`."""

    @property
    def theta(self) -> NDArray[np.float64]:
        """Breakpoints, increasing; the first and the last are the ends of every curve."""

    def iter_segments(self, X: Any, block_mb: float = 64.0, part: int = 0) -> Iterator[Block]:
        """Yield the decision values of one subproblem at rows ``X``, in blocks of segments."""
