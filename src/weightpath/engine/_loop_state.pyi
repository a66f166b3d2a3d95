from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._counts import Counts
from weightpath.engine._guard import Guard
from weightpath.engine._line import Line
from weightpath.engine._margin import Margin
from weightpath.engine._pair_residuals import PairResiduals
from weightpath.engine._row_residuals import RowResiduals
from weightpath.engine._scales import Scales
from weightpath.engine._stairs import Stairs
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.problems.position import Positions
from weightpath.record._record import Recorder

@final
class Workspace:
    def __init__(self, n_rows: int, length: int) -> None: ...

@final
class LoopState:
    @property
    def columns(self) -> Columns: ...
    @property
    def line(self) -> Line: ...
    @property
    def stairs(self) -> Stairs: ...
    @property
    def margin(self) -> Margin: ...
    @property
    def residuals(self) -> RowResiduals | PairResiduals: ...
    @property
    def scales(self) -> Scales: ...
    @property
    def guard(self) -> Guard: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def recorder(self) -> Recorder: ...
    @property
    def has_bias(self) -> bool: ...
    @property
    def theta(self) -> float: ...
    @property
    def bias(self) -> float: ...
    @property
    def initial_position(self) -> NDArray[np.int32]: ...
    @property
    def position(self) -> NDArray[np.int32]: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    def __init__(self, columns: Columns, has_bias: bool, ridge: float) -> None: ...
    def reset(
        self,
        start: Staircase,
        end: Staircase,
        position: Positions,
        beta: NDArray[np.float64],
        bias: float,
    ) -> None: ...
    def go_on(
        self,
        start: Staircase,
        end: Staircase,
        position: Positions,
        beta: NDArray[np.float64],
        bias: float,
    ) -> None: ...
    def let_sleep(self, sleeps: bool | None) -> None: ...
    def renumber(
        self, columns: Columns, shift: int, number: NDArray[np.intp] | None = None
    ) -> None: ...
    def solution(
        self,
    ) -> tuple[
        NDArray[np.float64],
        float,
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.intp],
        float,
        int,
        float,
    ]: ...
    @property
    def carried(self) -> tuple[int, float]: ...
    @property
    def has_shifts(self) -> bool: ...
    def carry(self, n_since: int, peak: float) -> None: ...
    def begin(
        self,
        position: Positions | None,
        residual: NDArray[np.float64],
        product: Callable[[Positions], NDArray[np.float64]] | None = None,
    ) -> None: ...
