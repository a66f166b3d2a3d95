import numpy as np
from numpy.typing import NDArray

from weightpath.path._violations import ProblemLine
from weightpath.record.record import Record

def add_columns(
    K: NDArray[np.float64],
    slot: NDArray[np.intp],
    coef: NDArray[np.float64],
    share: NDArray[np.float64],
) -> None: ...

class SegmentSets:
    def __init__(self, line: ProblemLine, record: Record) -> None: ...
