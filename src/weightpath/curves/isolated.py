"""Values of a metric at the isolated theta of a path, by the code that traces its curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from weightpath.curves.curve import Curve
from weightpath.curves.points import with_points

__all__ = ["StandingPath", "with_isolated_values"]


class StandingPath:
    """A path on which nothing moves: it stays at the solution of another one at a single theta.

    A metric that is traced along it has one value. So ties, votes and signs at an isolated theta
    are treated as everywhere else.

    Parameters
    ----------
    path : SolutionPath
        The other path.
    at : float
        Where on it.
    """

    def __init__(self, path, at: float):
        self.classes, self.pairs = path.classes, path.pairs
        self.theta = np.array([0.0, 1.0])
        self._path, self._at = path, at
        self._rows, self._values = None, np.empty((0, 0))

    def iter_segments(
        self, X, block_mb: float = 64.0, part: int = 0
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield one segment, as ``SolutionPath.iter_segments`` does, with slopes of zero."""
        if self._rows is not X:
            # The values of all parts come at once, and the parts are asked for one by one.
            values = self._path.decision_function(X, self._at)
            self._rows, self._values = X, values.reshape(len(values), -1)
        value = self._values[:, part][None]
        yield self.theta[:1], self.theta[1:], value, np.zeros_like(value)


def with_isolated_values(curve: Curve, path, trace: Callable[[StandingPath], Curve]) -> Curve:
    """Return a curve with its values at the isolated theta of the path.

    Parameters
    ----------
    curve : Curve
        The metric between these theta.
    path : SolutionPath
        The path.
    trace : callable
        Traces the same metric along any path.

    Returns
    -------
    Curve
        With a point wherever the value at an isolated theta is not that of the curve.
    """
    theta = path.isolated_theta
    values = np.array([trace(StandingPath(path, float(at))).values[0] for at in theta])
    return with_points(curve, theta, values)
