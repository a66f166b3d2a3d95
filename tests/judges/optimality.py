r"""How far a point is from optimal, recomputed from a dense kernel matrix.

Each pair :math:`(\beta_i, r_i)` must lie on its staircase, a curve of axis-parallel pieces. Its
distance from that curve is measured in the maximum norm after multiplying the distances in
:math:`\beta` by ``scale``, the largest diagonal entry of ``K``: moving one coefficient by
:math:`d` moves no residual by more than ``scale * |d|``. So everything is in units of the residual,
the box is included (a curve ends vertically at a bound), and no tolerance decides whether a
coefficient "is at" a knot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Violation", "box_excess", "rounding_noise", "staircase_distance", "violation"]


@dataclass(frozen=True)
class Violation:
    """The distances of one point from optimality, in units of the residual.

    Attributes
    ----------
    staircase : ndarray of shape (n,)
        Distance of each ``(beta_i, r_i)`` from its staircase.
    box : ndarray of shape (n,)
        How far each ``beta_i`` is outside its bounds, times the scale.
    total : float
        ``|sum(beta) - e|`` times the scale; zero without a bias.
    noise : float
        The size of rounding errors that cannot be avoided in the residuals.
    """

    staircase: np.ndarray
    box: np.ndarray
    total: float
    noise: float

    @property
    def worst(self) -> float:
        """The largest of all distances."""
        parts = np.concatenate([self.staircase, self.box, [self.total]])
        return float("inf") if np.isnan(parts).any() else float(parts.max())


def violation(K, staircase, beta, bias=0.0) -> Violation:
    """Return how far ``(beta, bias)`` is from optimal for ``staircase``.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix.
    staircase : Staircase
        The problem.
    beta : ndarray of shape (n,)
        The coefficients.
    bias : float, default=0.0
        The bias; not used by a problem without one.
    """
    K = np.asarray(K, dtype=np.float64)
    beta = np.asarray(beta, dtype=np.float64)
    scale = max(float(K.diagonal().max(initial=0.0)), np.finfo(float).tiny)
    residual = staircase.target - K @ beta
    total = 0.0
    if staircase.has_bias:
        residual = residual - bias
        total = abs(float(np.sum(beta)) - staircase.total) * scale
    return Violation(
        staircase_distance(staircase, beta, residual, scale),
        box_excess(staircase, beta) * scale,
        total,
        rounding_noise(K, beta),
    )


def staircase_distance(staircase, beta, residual, scale=1.0) -> np.ndarray:
    """Return the distance of each ``(beta_i, r_i)`` from its staircase.

    The norm is ``max(scale * |d beta|, |d r|)``; the distance from a union of segments is the
    smallest of the distances from the segments.
    """
    n, m = staircase.knots.shape
    side = np.full((n, 1), np.inf)
    edges = np.hstack([-side, staircase.knots, side])
    best = np.full(n, np.inf)
    for q in range(m + 1):
        level = staircase.levels[:, q]
        across = outside_interval(beta, edges[:, q], edges[:, q + 1])
        with np.errstate(invalid="ignore"):
            away = np.where(np.isfinite(level), np.abs(residual - level), np.inf)
        best = np.minimum(best, np.maximum(scale * across, away))
    for j in range(m):
        across = np.abs(beta - staircase.knots[:, j])
        away = outside_interval(residual, staircase.levels[:, j], staircase.levels[:, j + 1])
        best = np.minimum(best, np.maximum(scale * across, away))
    return best


def outside_interval(value, low, high) -> np.ndarray:
    """Return the distance of ``value`` from the interval ``[low, high]``."""
    return np.maximum(np.maximum(low - value, value - high), 0.0)


def box_excess(staircase, beta) -> np.ndarray:
    """Return how far each coefficient is beyond an outermost knot whose outer level is infinite."""
    low = np.where(np.isneginf(staircase.levels[:, 0]), staircase.knots[:, 0], -np.inf)
    high = np.where(np.isposinf(staircase.levels[:, -1]), staircase.knots[:, -1], np.inf)
    return outside_interval(np.asarray(beta, dtype=np.float64), low, high)


def rounding_noise(K, beta) -> float:
    """Return ``8 eps max(|K| |beta|)``: residuals cannot be known better than this."""
    return float(8.0 * np.finfo(float).eps * np.max(np.abs(K) @ np.abs(beta), initial=0.0))
