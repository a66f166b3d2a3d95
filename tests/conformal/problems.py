"""Generated problems with ties and duplicates, for conformal prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

__all__ = ["CalibrationProblem", "calibration_problem", "regression_rows"]


@dataclass(frozen=True)
class CalibrationProblem:
    """Calibration rows with scores, one new row, and the settings of a conditional cutoff."""

    X: np.ndarray
    scores: np.ndarray
    x: np.ndarray
    kernel: str
    gamma: float
    C: float
    alpha: float
    randomize: bool

    @property
    def matrix(self) -> np.ndarray:
        """The kernel matrix with the new row last."""
        rows = np.vstack([self.X, self.x])
        if self.kernel == "linear":
            return linear_kernel(rows)
        return rbf_kernel(rows, gamma=self.gamma)


def calibration_problem(seed: int) -> CalibrationProblem:
    """Return one problem: rows on a grid or repeated, whole scores, new rows seen before."""
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(5, 40)), int(rng.integers(1, 4))
    X = _rows(rng, n, width)
    scores = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 4, n).astype(float)
    if rng.random() < 0.3:
        scores = np.abs(scores)
    x = X[rng.integers(n)][None] if rng.random() < 0.4 else rng.normal(size=(1, width))
    return CalibrationProblem(
        X,
        scores,
        x,
        str(rng.choice(["rbf", "rbf", "linear"])),
        float(10 ** rng.uniform(-1, 1)),
        float(10 ** rng.uniform(-2, 2)),
        float(rng.choice([0.05, 0.1, 0.2, 0.25, 0.5, 0.37])),
        bool(rng.random() < 0.4),
    )


def regression_rows(seed: int, n: int | None = None):
    """Return training rows with targets and one new row, mostly with ties."""
    rng = np.random.default_rng(seed)
    n, width = n or int(rng.integers(2, 25)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, width)) if rng.random() < 0.6 else rng.integers(0, 3, (n, width)) * 1.0
    y = 2 * rng.normal(size=n) if rng.random() < 0.6 else rng.integers(0, 4, n) * 1.0
    x = X[:1].copy() if rng.random() < 0.3 else rng.normal(size=(1, width))
    return X, y, x, rng


def _rows(rng, n, width):
    kind = rng.integers(4)
    if kind == 1:
        return rng.integers(0, 3, (n, width)).astype(float)
    if kind == 2:
        few = max(2, n // 3)
        return rng.normal(size=(few, width))[rng.integers(0, few, n)]
    if kind == 3 and rng.random() < 0.3:
        # One and the same row: the kernel says nothing, only the intercept is left.
        return np.zeros((n, width))
    return rng.normal(size=(n, width))
