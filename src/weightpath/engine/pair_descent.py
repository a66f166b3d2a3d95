r"""An approximate solution of a ranking problem, for the exact one to start from.

Coordinate descent on the dual, table by table: while the pairs of a table are swept, only the
scores of its documents are kept up to date, and afterwards one product brings those of all
documents up to date. Pairs that are clearly at a bound are laid aside. Weights begin small, where
all pairs are at their bounds, and grow by factors; the coefficients grow with them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._pair_descent import sweep_table
from weightpath.kernels.pairs import PairColumns

__all__ = ["descend"]

# Sweeps over the pairs of a table in one visit.
SWEEPS = 10

# Epochs (visits of all tables) at one scale of the weights, on the way and at the end. Where that
# is not enough, the exact solver goes on from a worse start.
EPOCHS_BETWEEN, EPOCHS = 20, 200

# Weights grow by this factor at a time, from this fraction of those at which the first pair is
# satisfied.
GROWTH, START = 10.0, 0.5

# Kernel matrices of tables are kept if they take no more than this in all, in MB.
KEEP_MB = 400


class Descent:
    """Where coordinate descent stands.

    Parameters
    ----------
    columns : PairColumns
        The pairs' matrix.
    """

    def __init__(self, columns: PairColumns) -> None:
        self.columns, self.pairs = columns, columns.pairs
        pairs = self.pairs
        self.coef = np.zeros(len(pairs))
        self.score = np.zeros(pairs.n_documents)
        self.random = np.random.default_rng(0)
        sizes = np.diff(pairs.upper_start) + np.diff(pairs.lower_start)
        self.keeps = 8e-6 * float(np.sum(sizes.astype(float) ** 2)) <= KEEP_MB
        self.kept: dict[int, NDArray[np.float64]] = {}

    def _table(self, k: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the documents of a table, uppers first, and their kernel matrix."""
        pairs = self.pairs
        document = np.concatenate(
            [
                pairs.upper[pairs.upper_start[k] : pairs.upper_start[k + 1]],
                pairs.lower[pairs.lower_start[k] : pairs.lower_start[k + 1]],
            ]
        )
        if k in self.kept:
            return document, self.kept[k]
        matrix = self.columns.documents.submatrix(document)
        if self.keeps:
            self.kept[k] = matrix
        return document, matrix

    def restart(self, coef: NDArray[np.float64]) -> None:
        """Go to given coefficients."""
        self.coef = coef
        self.score = self.columns.points(coef)

    def run(
        self,
        weight: NDArray[np.float64],
        tol: float,
        epochs: int,
        tell: Callable[[int, float], object],
    ) -> float:
        """Descend at these weights; return the largest gradient a pair could still follow."""
        pairs = self.pairs
        order, left = self._everybody()
        aside = np.inf
        worst = np.inf
        for epoch in range(epochs):
            worst = 0.0
            for k in self.random.permutation(pairs.n_tables):
                worst = max(worst, self._visit(k, weight, order, left, aside, tol))
            tell(epoch, worst)
            aside = worst
            if worst <= tol:
                if not np.isfinite(aside) or self._violation(weight) <= tol:
                    break
                order, left = self._everybody()
                aside = np.inf
        return worst

    def _everybody(self) -> tuple[list[NDArray[np.int32]], NDArray[np.intp]]:
        pairs = self.pairs
        order = [np.arange(n, dtype=np.int32) for n in np.diff(pairs.pair_start)]
        return order, np.diff(pairs.pair_start)

    def _visit(
        self,
        k: int,
        weight: NDArray[np.float64],
        order: list[NDArray[np.int32]],
        left: NDArray[np.intp],
        aside: float,
        tol: float,
    ) -> float:
        pairs = self.pairs
        document, matrix = self._table(k)
        own = slice(pairs.pair_start[k], pairs.pair_start[k + 1])
        change = np.zeros(len(document))
        n_lower = pairs.lower_start[k + 1] - pairs.lower_start[k]
        left[k], worst = sweep_table(
            matrix,
            n_lower,
            weight[own],
            self.coef[own],
            self.score[document],
            change,
            order[k],
            left[k],
            aside,
            tol,
            SWEEPS,
            int(self.random.integers(1 << 62)),
        )
        if change.any():
            total = np.zeros(pairs.n_documents)
            total[document] = change
            self.score += self.columns.documents.product(total)
        return worst

    def _violation(self, weight: NDArray[np.float64]) -> float:
        gradient = 1.0 - self.pairs.differences(self.score)
        rising = np.where(self.coef < weight, gradient, 0.0)
        falling = np.where(self.coef > 0.0, -gradient, 0.0)
        return float(np.maximum(rising, falling).max(initial=0.0))


def descend(
    columns: PairColumns,
    weight: NDArray[np.float64],
    tol: float = 1e-3,
    callback: Callable[[float, int, float], object] | None = None,
) -> NDArray[np.float64]:
    """Return approximate coefficients.

    Parameters
    ----------
    columns : PairColumns
        The pairs' matrix.
    weight : ndarray of shape (n_pairs,)
        Bounds of the coefficients.
    tol : float, default=1e-3
        No pair should be able to follow a gradient larger than this at the end.
    callback : callable or None, default=None
        Called after every epoch as ``callback(fraction, epoch, worst)``: the fraction of the scales
        that is done, the epoch at the present one, and the largest gradient met.
    """
    descent = Descent(columns)
    reach = float(columns.product(weight).max(initial=0.0))
    scale = min(1.0, START / reach) if reach > 0 else 1.0
    steps = int(np.ceil(np.log(1.0 / scale) / np.log(GROWTH))) if scale < 1.0 else 0
    scales = scale ** (1.0 - np.arange(steps + 1) / max(steps, 1)) if steps else np.ones(1)
    scales[-1] = 1.0
    descent.restart(scales[0] * weight)
    for s in range(1, len(scales)):
        last = s == len(scales) - 1
        here = scales[s] * weight
        descent.restart(np.minimum(descent.coef * (scales[s] / scales[s - 1]), here))

        def tell(epoch: int, worst: float, s: int = s) -> None:
            if callback is not None:
                callback((s - 1) / steps, epoch, worst)

        descent.run(here, tol if last else 10 * tol, EPOCHS if last else EPOCHS_BETWEEN, tell)
    return descent.coef
