import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.kernels._columns import Columns

def exact_residuals(
    columns: Columns, target: ArrayLike, beta: ArrayLike, bias: float, ridge: float
) -> NDArray[np.float64]: ...
