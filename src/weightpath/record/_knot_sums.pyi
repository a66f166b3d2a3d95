import numpy as np
from numpy.typing import NDArray

from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.record import Record

class KnotSums:
    def __init__(
        self, columns: Columns, start: Staircase, end: Staircase, record: Record, ridge: float
    ) -> None: ...
    def on(self, segment: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]: ...
    @property
    def knot_of_entry(self) -> NDArray[np.int64]: ...
