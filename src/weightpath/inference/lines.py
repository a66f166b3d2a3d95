r"""The line of targets on which a test statistic moves and all that is independent of it stays.

With the selected features :math:`X_A` (centred where there is an intercept), weights W and
:math:`\eta_j = W X_A (X_A' W X_A)^{-1} e_j`, the statistic :math:`\eta_j'y` is the coefficient of
feature j in the least-squares fit with the selected features. For :math:`y \sim N(\mu, \Sigma)` and
:math:`c = \Sigma\eta_j / \eta_j'\Sigma\eta_j`, the part :math:`a = y - c\,\eta_j'y` is independent
of it. On the line :math:`y(z) = a + c z` the statistic is z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["StatisticLine", "lines_of"]

Reals = NDArray[np.float64]

# Selected features whose smallest singular value, each scaled to unit length, is below this are
# dependent: the coefficients of their least-squares fit are not defined.
_DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class StatisticLine:
    """The targets along which one statistic moves.

    Attributes
    ----------
    base, slope : ndarray of shape (n,)
        The targets are ``base + slope * z``.
    statistic : float
        The observed z.
    scale : float
        The standard deviation of the statistic.
    moves : ndarray of shape (k,) or None
        How fast the coefficients of the selected features move along the line while no other one is
        selected. Then no other one ever enters: the slope is a combination of the selected
        features. ``None`` where it is not.
    """

    base: Reals
    slope: Reals
    statistic: float
    scale: float
    moves: Reals | None

    def targets(self, z: float) -> Reals:
        """Return the targets at ``z``."""
        return self.base + z * self.slope


def lines_of(
    X: Reals, y: Reals, weight: Reals, centred: bool, selected: NDArray[np.intp], sigma: Reals
) -> list[StatisticLine]:
    """Return the line of the statistic of each selected feature.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The features.
    y, weight : ndarray of shape (n,)
        Targets, and weights of the observations.
    centred : bool
        Whether there is an intercept.
    selected : ndarray of int
        The selected features.
    sigma : ndarray of shape (n,)
        The standard deviation of each target.
    """
    chosen = X[:, selected]
    share = weight / weight.sum()
    if centred:
        chosen = chosen - share @ chosen
    root = np.sqrt(share)[:, None]
    length = np.linalg.norm(root * chosen, axis=0)
    if (length == 0.0).any():
        raise ValueError("A selected feature is constant: it has no coefficient to infer.")
    q, triangle = np.linalg.qr(root * chosen / length)
    if np.linalg.svd(triangle, compute_uv=False).min(initial=np.inf) <= _DEPENDENT:
        raise ValueError(
            "The selected features depend on one another, so that their least-squares coefficients "
            "are not defined. Remove duplicates, or raise alpha until fewer are selected."
        )
    # The columns are the eta of the statistics.
    eta = root * np.linalg.solve(triangle, q.T).T / length
    spread = weight * sigma**2
    is_in_span = bool(np.ptp(spread) <= 4.0 * np.finfo(float).eps * spread.max())
    lines = []
    for own in eta.T:
        variance = float((sigma * own) @ (sigma * own))
        slope = sigma**2 * own / variance
        statistic = float(own @ y)
        moves = eta.T @ slope if is_in_span else None
        scale = float(np.sqrt(variance))
        lines.append(StatisticLine(y - slope * statistic, slope, statistic, scale, moves))
    return lines
