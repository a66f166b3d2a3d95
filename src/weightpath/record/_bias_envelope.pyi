import numpy as np
from numpy.typing import NDArray

from weightpath.problems import Staircase

class BiasBounds:
    def __init__(
        self,
        start: Staircase,
        end: Staircase,
        low: NDArray[np.intp],
        high: NDArray[np.intp],
        noise: float,
    ) -> None: ...
    def envelope(
        self,
        response: NDArray[np.float64],
        knot: NDArray[np.intp],
        theta: float,
        rest: float,
        length: float,
        sign: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None: ...
    def tightest(
        self,
        response: NDArray[np.float64],
        knot: NDArray[np.intp],
        theta: float,
        rest: float,
        sign: int,
    ) -> float: ...
