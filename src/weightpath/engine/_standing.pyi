import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine._margin import Margin
from weightpath.engine._stairs import Stairs
from weightpath.engine._watch import Watch
from weightpath.kernels._columns import Columns
from weightpath.problems import Staircase
from weightpath.record._record import RecordBuffer

class Standing:
    columns: Columns
    margin: Margin
    stairs: Stairs
    watch: Watch
    record: RecordBuffer
    theta: float
    bias: float
    bias_slope: float
    n_events: int
    n_exchanges: int
    n_zero: int
    n_shifts: int
    n_refreshes: int
    margin_sum: int
    largest_shift: float
    violation: float
    max_events: int
    zero_limit: int
    full_every: int
    refresh_every: int
    shift_limit: float
    residual_scale: float
    suspect: int
    initial_position: NDArray[np.int32]
    def __init__(
        self,
        columns: Columns,
        start: Staircase,
        end: Staircase,
        position: ArrayLike,
        beta: ArrayLike,
        bias: float,
        ridge: float = 0.0,
    ) -> None: ...
    @property
    def position(self) -> NDArray[np.int32]: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def target(self) -> NDArray[np.float64]: ...
    @property
    def total(self) -> float: ...
    @property
    def residuals(self) -> NDArray[np.float64]: ...
    @property
    def tolerance(self) -> float: ...
    def set_positions(self, position: ArrayLike) -> None: ...
    def shift(self, target: ArrayLike, total: float) -> None: ...
    def watch_rows(self, residual: ArrayLike) -> None: ...
