import numpy as np
from numpy.typing import NDArray

from weightpath.problems.position import Positions

def place_rows(
    knots: NDArray[np.float64],
    levels: NDArray[np.float64],
    beta: NDArray[np.float64],
    kappa: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.int32]: ...
def optimal_residual(
    levels: NDArray[np.float64],
    position: Positions,
    residual: NDArray[np.float64],
    fraction: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def largest_size(values: NDArray[np.float64]) -> float: ...
def survey_rows(
    target: NDArray[np.float64], knots: NDArray[np.float64], levels: NDArray[np.float64]
) -> tuple[float, float, bool]: ...
def put_within_bounds(
    knots: NDArray[np.float64], levels: NDArray[np.float64], beta: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def are_within_bounds(
    knots: NDArray[np.float64], levels: NDArray[np.float64], beta: NDArray[np.float64]
) -> bool: ...
