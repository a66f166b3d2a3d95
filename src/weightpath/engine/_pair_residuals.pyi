from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._quiet_queries import QuietQueries
from weightpath.engine._residuals import Residuals
from weightpath.problems import PreferencePairs

@final
class PairResiduals(Residuals):
    def __init__(
        self,
        pairs: PreferencePairs,
        difference: NDArray[np.float64],
        speed: NDArray[np.float64],
        target_end: NDArray[np.float64],
        target_slope: NDArray[np.float64],
    ) -> None: ...
    @property
    def queries(self) -> QuietQueries: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
