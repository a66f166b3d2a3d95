import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase
from weightpath.record._knot_sums import KnotSums
from weightpath.record.record import Record

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]

class BiasBounds:
    def __init__(
        self,
        start: Staircase,
        end: Staircase,
        low: NDArray[np.intp],
        high: NDArray[np.intp],
        noise: float,
    ) -> None: ...
    def along(
        self,
        sums: KnotSums,
        record: Record,
        segments: NDArray[np.intp],
        is_free: NDArray[np.bool_],
    ) -> tuple[Whole, Reals, Reals]: ...
    def envelope(
        self,
        response: Reals,
        knot: NDArray[np.intp],
        theta: float,
        rest: float,
        length: float,
        sign: int,
    ) -> tuple[Reals, Reals, Reals] | None: ...
