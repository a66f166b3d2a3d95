from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.kernels._heritable_columns import HeritableColumns
from weightpath.kernels.kernel import Kernel

KINDS: dict[str, int]

class RowPanels:
    def __init__(self, X: NDArray[np.float64], n_more: int) -> None: ...

class DenseKernelColumns(HeritableColumns):
    kernel: Kernel
    def __init__(
        self,
        X: NDArray[np.float64],
        kernel: Kernel,
        cache_mb: float,
        rows: NDArray[np.intp] | None = ...,
    ) -> None: ...
    @property
    def features(self) -> NDArray[np.float64] | None: ...
    def sibling(self, X: NDArray[np.float64]) -> DenseKernelColumns: ...

class SparseKernelColumns(HeritableColumns):
    kernel: Kernel
    def __init__(self, X: Any, kernel: Kernel, cache_mb: float) -> None: ...
    @property
    def features(self) -> Any: ...
    def sibling(self, X: Any) -> SparseKernelColumns: ...

class CallableColumns(HeritableColumns):
    X: Any
    function: Callable[[Any, Any], ArrayLike]
    def __init__(
        self, X: Any, function: Callable[[Any, Any], ArrayLike], cache_mb: float
    ) -> None: ...
    def sibling(self, X: Any) -> CallableColumns: ...
    def values(self, A: Any, B: Any) -> NDArray[np.float64]: ...

def kernel_sums(
    kernel: Kernel,
    X: NDArray[np.float64],
    rows: NDArray[np.intp],
    points: NDArray[np.float64],
    coef: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def exp_nonpositive(x: ArrayLike) -> NDArray[np.float64]: ...
