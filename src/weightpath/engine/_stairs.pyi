import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

class Stairs:
    n: int
    m: int
    def __init__(
        self,
        start: Staircase,
        end: Staircase,
        position: NDArray[np.int32],
        kappa: NDArray[np.float64],
    ) -> None: ...
