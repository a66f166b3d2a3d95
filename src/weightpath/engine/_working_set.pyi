from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weightpath.kernels._columns import Columns
from weightpath.problems import Staircase

class WorkingSet:
    n_steps: int
    gap: float
    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        beta: NDArray[np.float64],
        gradient: NDArray[np.float64],
        ridge: float = ...,
    ) -> None: ...
    def run(
        self,
        tolerance: float,
        max_steps: int,
        callback: Callable[[int, float], object] | None = ...,
    ) -> bool: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def bias(self) -> float: ...
    @property
    def is_finite(self) -> bool: ...
