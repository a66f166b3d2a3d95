"""Values of a curve at the isolated theta of a path, by the code that traces it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.curve import Curve
from weightpath.curves.decision_path import Block, DecisionPath
from weightpath.curves.points import with_points

__all__ = ["StandingPath", "with_isolated_values"]


class StandingPath:
    """A path on which nothing moves: its decision values are the same at every theta.

    Whatever is traced along it has one value. So ties, votes and signs at a single theta are
    treated as everywhere else.

    Parameters
    ----------
    values : callable
        From rows to their decision values, of shape (n_rows,) or (n_rows, n_subproblems).
    """

    def __init__(self, values: Callable[[Any], NDArray[np.float64]]):
        self.theta = np.array([0.0, 1.0])
        self._values = values
        self._rows: Any = None
        self._table = np.empty((0, 0))

    def iter_segments(self, X: Any, block_mb: float = 64.0, part: int = 0) -> Iterator[Block]:
        """Yield one segment, as ``SolutionPath.iter_segments`` does, with slopes of zero."""
        if self._rows is not X:
            # The values of all subproblems come at once, and they are asked for one by one.
            values = self._values(X)
            self._rows, self._table = X, values.reshape(len(values), -1)
        value = self._table[:, part][None]
        yield self.theta[:1], self.theta[1:], value, np.zeros_like(value)


class _IsolatedPath(DecisionPath, Protocol):
    @property
    def isolated_theta(self) -> NDArray[np.float64]: ...

    def subproblem_values(self, X: Any, theta: float) -> NDArray[np.float64]: ...


def with_isolated_values(
    curve: Curve, path: _IsolatedPath, trace: Callable[[DecisionPath], Curve]
) -> Curve:
    """Return a curve with its values at the isolated theta of the path.

    Parameters
    ----------
    curve : Curve
        What was traced along the path.
    path : SolutionPath
        The path.
    trace : callable
        Traces the same along any path.

    Returns
    -------
    Curve
        With a point wherever the value at an isolated theta is not that of the curve.
    """
    theta = path.isolated_theta
    standing = [StandingPath(partial(_values_at, path, float(at))) for at in theta]
    return with_points(curve, theta, np.array([trace(one).values[0] for one in standing]))


def _values_at(path: _IsolatedPath, theta: float, X: Any) -> NDArray[np.float64]:
    return path.subproblem_values(X, theta)
