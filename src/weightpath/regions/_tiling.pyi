import numpy as np
from numpy.typing import NDArray

STEP: np.dtype[np.void]

class Tiling:
    def __init__(
        self,
        K: NDArray[np.float64],
        target: NDArray[np.float64],
        knots: NDArray[np.float64],
        levels: NDArray[np.float64],
        kappa: NDArray[np.float64],
        idle: NDArray[np.int8],
        total: NDArray[np.float64],
        has_bias: bool,
    ) -> None: ...
    @property
    def n_regions(self) -> int: ...
    @property
    def n_lost(self) -> int: ...
    @property
    def area(self) -> float: ...
    def begin(self, position: NDArray[np.int8], x: float, y: float) -> bool: ...
    def advance(self, crossings: int, most_regions: int) -> bool: ...
    def arrays(
        self,
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.void],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int32],
    ]: ...
    def return_to(
        self, position: NDArray[np.int8], parent: NDArray[np.int32], step: NDArray[np.void]
    ) -> None: ...
    def values(self, first: int, last: int) -> NDArray[np.float64]: ...
