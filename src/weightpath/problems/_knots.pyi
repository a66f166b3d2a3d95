import numpy as np
from numpy.typing import NDArray

def largest_sizes(
    target: NDArray[np.float64],
    knots: NDArray[np.float64],
    levels: NDArray[np.float64],
    far: float,
) -> tuple[float, float]: ...
def hinge_rows(
    sign: NDArray[np.float64],
    weight: NDArray[np.float64],
    margin: NDArray[np.float64],
    far: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[float, float]]: ...
def rows_closeness(
    knots: NDArray[np.float64],
    beta: NDArray[np.float64],
    kappa: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.float64]: ...
def rows_nearest_knots(
    knots: NDArray[np.float64],
    beta: NDArray[np.float64],
    kappa: NDArray[np.float64],
    tolerance: float,
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]: ...
def sort_out_rows(
    knots: NDArray[np.float64],
    levels: NDArray[np.float64],
    position: NDArray[np.int32],
    residual: NDArray[np.float64],
) -> None: ...
