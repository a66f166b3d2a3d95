from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._margin import Margin
from weightpath.engine._residuals import Residuals

@final
class RowResiduals(Residuals):
    def __init__(
        self,
        residual: NDArray[np.float64],
        velocity: NDArray[np.float64],
        target_slope: NDArray[np.float64],
        levels_move: bool,
        margin: Margin | None = None,
        root: NDArray[np.float64] | None = None,
    ) -> None: ...
    def restart(
        self,
        residual: NDArray[np.float64],
        velocity: NDArray[np.float64],
        target_slope: NDArray[np.float64],
        levels_move: bool,
    ) -> None: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
