import numpy as np
from numpy.typing import ArrayLike, NDArray

KINDS: tuple[str, ...]
UNIT: float

class Measure:
    def __init__(
        self,
        kind: str,
        offset: ArrayLike,
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        rest: NDArray[np.float64],
        factor: NDArray[np.float64],
        norm: NDArray[np.float64],
        share: NDArray[np.float64],
        discount: NDArray[np.float64],
        limit: float,
    ) -> None: ...
