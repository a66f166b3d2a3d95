from typing import final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._residuals import Residuals
from weightpath.kernels._feature_columns import FeatureColumns

@final
class FeatureResiduals(Residuals):
    def __init__(
        self,
        columns: FeatureColumns,
        residual: NDArray[np.float64],
        own: NDArray[np.float64],
        standing: NDArray[np.float64],
        target_slope: NDArray[np.float64],
        levels_move: bool,
    ) -> None: ...
    def restart(
        self,
        columns: FeatureColumns,
        residual: NDArray[np.float64],
        own: NDArray[np.float64],
        standing: NDArray[np.float64],
        target_slope: NDArray[np.float64],
        levels_move: bool,
    ) -> None: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
