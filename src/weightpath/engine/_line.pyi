from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

@final
class Line:
    def reset(self, start: Staircase, end: Staircase, reuse: bool = False) -> None: ...
    def shift(self, target: NDArray[np.float64], total: float) -> None: ...
    def targets(self, theta: float) -> NDArray[np.float64]: ...
