from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine._loop_state import LoopState
from weightpath.engine.results import Result
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import Positions

@final
class Loop:
    @property
    def state(self) -> LoopState: ...
    def __init__(self, columns: Columns, has_bias: bool, ridge: float = 0.0) -> None: ...
    def reset(
        self,
        start: Staircase,
        end: Staircase,
        position: Positions,
        beta: ArrayLike,
        bias: float,
        margin: NDArray[np.intp],
    ) -> int: ...
    def run(self, callback: Callable[[float, int, int], object] | None = None) -> Result: ...
    def go_on(
        self,
        start: Staircase,
        end: Staircase,
        position: Positions,
        beta: ArrayLike,
        bias: float,
    ) -> None: ...
    def heir(self, columns: Columns, number: NDArray[np.intp]) -> Loop: ...
    def rest(self) -> None: ...
    def finish(self, full: bool = True) -> float: ...
    def close(self) -> None: ...
