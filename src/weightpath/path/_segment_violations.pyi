import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase
from weightpath.record.record import Record

class SegmentJudge:
    worst: float
    def __init__(
        self,
        start: Staircase,
        end: Staircase,
        kappa: NDArray[np.float64],
        record: Record,
        interval: NDArray[np.int64],
        relative: bool,
    ) -> None: ...
    def enter(self, segment: int) -> NDArray[np.int64]: ...
    def look_at(
        self,
        first: int,
        theta: NDArray[np.float64],
        scale: NDArray[np.float64],
        K: NDArray[np.float64],
        slot: NDArray[np.intp],
        share: NDArray[np.float64],
        carried: NDArray[np.float64],
        margins: NDArray[np.float64] | None = None,
    ) -> int: ...
    def coefficients(self, first: int, theta: NDArray[np.float64]) -> NDArray[np.float64]: ...
