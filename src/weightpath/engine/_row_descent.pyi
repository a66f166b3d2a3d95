from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

class RowDescent:
    n_epochs: int
    gap: float
    bias: float
    def __init__(
        self,
        X: Any,
        stair: Staircase,
        beta: NDArray[np.float64],
        bias: float,
        ridge: float = ...,
    ) -> None: ...
    def run(
        self,
        tolerance: float,
        max_epochs: int,
        callback: Callable[[int, float], object] | None = ...,
    ) -> bool: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
