import numpy as np
from numpy.typing import NDArray

from weightpath.engine._pair_order import PairOrder

class PairWatch(PairOrder):
    @property
    def residuals(self) -> NDArray[np.float64]: ...
    @property
    def n_watched_closely(self) -> int: ...
