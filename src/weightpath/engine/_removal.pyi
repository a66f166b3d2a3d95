import numpy as np
from numpy.typing import NDArray

from weightpath.engine._loop import Loop
from weightpath.kernels._columns import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

class RemovalLoop(Loop):
    has_free_member: bool
    def __init__(
        self, columns: Columns, stair: Staircase, state: State, ridge: float = 0.0
    ) -> None: ...
    def without(self, rows: NDArray[np.intp], total: float) -> str: ...
    def changes(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]: ...
    @property
    def arrived(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def residuals_at(self, rows: NDArray[np.intp]) -> NDArray[np.float64]: ...
