from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.problems import PreferencePairs

@final
class PairOrder:
    @property
    def n(self) -> int: ...
    def __init__(
        self,
        pairs: PreferencePairs,
        difference: NDArray[np.float64],
        target_end: NDArray[np.float64],
        target_slope: NDArray[np.float64],
    ) -> None: ...
