import numpy as np
from numpy.typing import NDArray

from weightpath.record.record import Record

def sweep_segments(
    K: NDArray[np.float64],
    first_of: NDArray[np.intp],
    second_of: NDArray[np.intp],
    knot0: NDArray[np.float64],
    knot1: NDArray[np.float64],
    record: Record,
    first: int,
    last: int,
    current: NDArray[np.float64],
    drift: NDArray[np.float64],
    value: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None: ...
