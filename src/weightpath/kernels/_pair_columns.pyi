from numpy.typing import ArrayLike

from weightpath.kernels._columns import Columns
from weightpath.problems import PreferencePairs

class PairColumns(Columns):
    documents: Columns
    pairs: PreferencePairs
    def __init__(self, documents: Columns, pairs: PreferencePairs, diagonal: ArrayLike) -> None: ...
    @property
    def structure(self) -> PreferencePairs: ...
    @property
    def is_suspect(self) -> bool: ...
    @property
    def n_bytes(self) -> int: ...
