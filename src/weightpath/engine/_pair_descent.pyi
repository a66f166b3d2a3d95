import numpy as np
from numpy.typing import NDArray

def sweep_table(
    K: NDArray[np.float64],
    n_lower: int,
    weight: NDArray[np.float64],
    coef: NDArray[np.float64],
    score: NDArray[np.float64],
    change: NDArray[np.float64],
    order: NDArray[np.int32],
    n_left: int,
    aside: float,
    tol: float,
    most: int,
    seed: int,
) -> tuple[int, float]: ...
