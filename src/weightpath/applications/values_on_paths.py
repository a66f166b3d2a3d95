"""Decision values of the same rows along many paths, with kernel values that are kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weightpath.curves.decision_path import Block
from weightpath.estimators.training_set import Rows, TrainingSet
from weightpath.path import PathPart
from weightpath.path.segment_values import iter_values, rows_in_use

__all__ = ["ValuesOnPaths"]

# Memory for the values of one block of segments, in MB.
BLOCK_MB = 64.0


class ValuesOnPaths:
    """Decision values of some training rows, segment by segment.

    Parameters
    ----------
    training : TrainingSet
        All training rows.
    rows : ndarray of int
        The rows whose values are asked for.
    memory_mb : float
        Kernel values are kept if all of them fit; otherwise every path computes them again.
    """

    def __init__(self, training: TrainingSet, rows: Rows, memory_mb: float) -> None:
        self.training, self.points = training, training.X[rows]
        n = len(training)
        self.keeps = not training.is_precomputed and 8e-6 * n * len(rows) <= memory_mb
        # In the order of their first use: the system gives memory to what is written only.
        self.kept = np.empty((n, len(rows)) if self.keeps else (0, 0))
        self.order = np.empty(0, dtype=np.intp)
        self.place = np.full(n, -1, dtype=np.intp)

    def along(self, part: PathPart) -> Iterator[Block]:
        """Yield the ends of segments, values at their left ends, and slopes."""
        if not self.keeps:
            yield from part.iter_values(self.points, BLOCK_MB)
            return
        self._keep(rows_in_use(part.start, part.end, part.record))
        K, order = self.kept[: self.order.size], self.order
        yield from iter_values(
            K,
            (self.place, np.full_like(self.place, -1)),
            lambda coef: coef[:, order] @ K,
            (part.start, part.end),
            part.record,
            part.replay,
            BLOCK_MB,
        )

    def _keep(self, used: NDArray[np.intp]) -> None:
        new = used[self.place[used] < 0]
        if new.size:
            first, last = self.order.size, self.order.size + new.size
            self.kept[first:last] = self.training.kernel.between(self.training.X[new], self.points)
            self.place[new] = np.arange(first, last)
            self.order = np.append(self.order, new)
