from typing import Any

import numpy as np
from numpy.typing import NDArray

def first_wrong(weight: NDArray[np.float64]) -> tuple[int, int]: ...
def class_products(
    C: float,
    factor: NDArray[np.float64],
    label: NDArray[Any],
    weight: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def class_totals(
    label: NDArray[Any], weight: NDArray[np.float64], n_classes: int
) -> NDArray[np.float64]: ...
