from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.curves._measure import Measure

class Order(Measure):
    def __init__(self, *measure: Any, resolution: float) -> None: ...
    def follow(
        self,
        left: NDArray[np.float64],
        right: NDArray[np.float64],
        value: NDArray[np.float64],
        slope: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
