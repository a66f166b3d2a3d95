"""A walk from one set of weights to the next and on, in straight legs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.engine import COMPLETE
from weightpath.errors import Advice, PathError
from weightpath.estimators.checks import check_weights
from weightpath.estimators.pipelines import last_step, reweight
from weightpath.path import SolutionPath
from weightpath.problems.staircase import mix

__all__ = ["NamedPolyline", "Polyline", "named_polyline", "polyline", "walk"]


@dataclass(frozen=True, eq=False)
class Polyline:
    """Sets of weights, and the straight lines between neighbours.

    Leg j reaches from j to j + 1 on the scale of theta.

    Parameters
    ----------
    corners : tuple of ndarray of shape (n_weights,)
        Two or more sets of weights.
    """

    corners: tuple[NDArray[np.float64], ...]

    def __len__(self) -> int:
        return len(self.corners) - 1

    def place(self, theta: float) -> tuple[int, float]:
        """The leg on which theta lies, and its position on that leg, from 0 to 1."""
        leg = min(int(theta), len(self) - 1)
        return leg, theta - leg

    def at(self, theta: float) -> NDArray[np.float64] | None:
        """The weights at theta."""
        leg, position = self.place(theta)
        return mix(self.corners[leg], self.corners[leg + 1], position)

    def restricted(self, rows: NDArray[np.intp]) -> Polyline:
        """The same walk for some of the rows."""
        return Polyline(tuple(corner[rows] for corner in self.corners))


@dataclass(frozen=True, eq=False)
class NamedPolyline(Polyline):
    """A walk between weightings of pairs, given by names or functions, which suit any rows."""

    corners: tuple[Any, ...]

    def at(self, theta: float) -> None:
        """Not known without a model."""
        return

    def restricted(self, rows: NDArray[np.intp]) -> NamedPolyline:
        """The same walk."""
        return self


def named_polyline(start: Any, end: Any, patterns: Sequence[Any] | None) -> NamedPolyline:
    """Check the corners of a walk between weightings of pairs."""
    named = _corners(start, end, patterns)
    for name, value in named.items():
        if not (isinstance(value, str) or callable(value)):
            raise TypeError(
                f'{name} must be "uniform", "relevance" or a function of the relevances of '
                "both documents: pairs differ from fold to fold, so an array cannot say their "
                "weights."
            )
    return NamedPolyline(tuple(named.values()))


def polyline(
    start: Any, end: Any, patterns: Sequence[Any] | None, n_weights: int | None
) -> Polyline:
    """Check what the caller gave: two ends, or a list of patterns.

    Parameters
    ----------
    start, end : array-like of shape (n_weights,) or None
        The ends of a single leg.
    patterns : sequence of array-like of shape (n_weights,) or None
        Two or more corners.
    n_weights : int or None
        How many weights a corner has; ``None`` where only a fit knows it, so that all corners must
        have as many as the first.

    Returns
    -------
    Polyline
        Its corners are checked and copied.
    """
    named = _corners(start, end, patterns)
    if n_weights is None:
        n_weights = np.size(next(iter(named.values())))
    return Polyline(tuple(check_weights(name, value, n_weights) for name, value in named.items()))


def _corners(start: Any, end: Any, patterns: Sequence[Any] | None) -> dict[str, Any]:
    """Return the corners by name."""
    if patterns is None:
        if start is None or end is None:
            raise TypeError(
                "fit needs the weights to walk between: start=... and end=..., or patterns=[...] "
                "for several legs."
            )
        named = {"start": start, "end": end}
    else:
        if start is not None or end is not None:
            raise TypeError("Give either start and end, or patterns: they exclude each other.")
        named = {f"patterns[{k}]": pattern for k, pattern in enumerate(patterns)}
        if len(named) < 2:
            raise ValueError(f"patterns must be two sets of weights or more, got {len(named)}.")
    for name, value in named.items():
        if value is None:
            raise ValueError(f"{name} is None: give its weights.")
    return named


def walk(model: Any, line: Polyline) -> Iterator[SolutionPath]:
    """Take a model, or a pipeline, at the first corner along all legs, and yield their paths."""
    for leg, corner in enumerate(line.corners[1:]):
        path = reweight(model, corner)
        if path.status != COMPLETE:
            raise PathError(
                f"The path was stopped at theta={leg + path.theta[-1]:.6g} of {len(line)} by the "
                "event cap, so its curve has no end.",
                advice=Advice("Raise {max_events}.", {"max_events": last_step(model).max_events}),
                theta=leg + float(path.theta[-1]),
            )
        yield path
