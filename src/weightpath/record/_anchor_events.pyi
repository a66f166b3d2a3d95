import numpy as np
from numpy.typing import NDArray

from weightpath.record.record import Record

Whole = NDArray[np.int64]

class AnchorlessEvents:
    def __init__(self, record: Record, free: NDArray[np.bool_], knot: Whole) -> None: ...
    def rewrite(self) -> tuple[NDArray[np.float64], Whole, Whole, Whole]: ...
