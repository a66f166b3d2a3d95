import numpy as np
from numpy.typing import NDArray

class Watch:
    n: int

class RowWatch(Watch):
    def __init__(
        self,
        residual: NDArray[np.float64],
        velocity: NDArray[np.float64],
        target_slope: NDArray[np.float64],
        levels_move: bool,
    ) -> None: ...
    @property
    def residuals(self) -> NDArray[np.float64]: ...
