import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

class ProblemLine:
    def __init__(self, start: Staircase, end: Staircase, kappa: NDArray[np.float64]) -> None: ...

def residual_scales(
    start: Staircase, end: Staircase, theta: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def relative_violations(
    start: Staircase,
    end: Staircase,
    theta: NDArray[np.float64],
    beta: NDArray[np.float64],
    bias: NDArray[np.float64],
    response: NDArray[np.float64],
    kappa: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> NDArray[np.float64]: ...
