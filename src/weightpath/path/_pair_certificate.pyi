import numpy as np
from numpy.typing import NDArray

def largest_violation(
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
    upper_start: NDArray[np.intp],
    lower_start: NDArray[np.intp],
    position: NDArray[np.int8],
    weight: NDArray[np.float64],
    value: NDArray[np.float64],
    target: float,
) -> float: ...
