from typing import Any, Self

from numpy.typing import ArrayLike

from weightpath.kernels._cached_columns import CachedColumns

class HeritableColumns(CachedColumns):
    def handover(self, X_new: Any, source: ArrayLike, keep: bool = True) -> Self: ...
    def slide(self, X_new: Any, n_gone: int, n_new: int) -> Self: ...
