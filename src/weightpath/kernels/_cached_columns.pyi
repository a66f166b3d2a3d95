import numpy as np
from numpy.typing import NDArray

from weightpath.kernels._columns import Columns

class CachedColumns(Columns):
    cache_mb: float
    @property
    def capacity(self) -> int: ...
    @property
    def n_bytes(self) -> int: ...
    @property
    def is_full(self) -> bool: ...
    def whole(self) -> NDArray[np.float64] | None: ...
