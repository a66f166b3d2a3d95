from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.kernels._columns import Columns
from weightpath.kernels._feature_rows import FeatureRows
from weightpath.kernels.kernel import Kernel

class FeatureColumns(Columns):
    rows: FeatureRows
    kernel: Kernel
    cache_mb: float
    def __init__(
        self,
        rows: FeatureRows,
        kernel: Kernel,
        cache_mb: float,
        *,
        diagonal: NDArray[np.float64] | None = ...,
        center: NDArray[np.float64] | None = ...,
        distance: NDArray[np.float64] | None = ...,
    ) -> None: ...
    @property
    def features(self) -> FeatureRows: ...
    @property
    def n_bytes(self) -> int: ...
    def long_form(self) -> Columns: ...
    def only(self, index: ArrayLike | slice) -> FeatureColumns | None: ...
    def handover(self, X_new: Any, source: ArrayLike, keep: bool = True) -> FeatureColumns: ...
    def slide(self, X_new: Any, n_gone: int, n_new: int) -> FeatureColumns: ...
