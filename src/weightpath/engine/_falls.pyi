import numpy as np
from numpy.typing import NDArray

def fall_of_knots(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    kappa: NDArray[np.float64],
    scale: float,
    far: float,
) -> float: ...
def fall_of_levels(
    before: NDArray[np.float64], after: NDArray[np.float64], scale: float
) -> float: ...
