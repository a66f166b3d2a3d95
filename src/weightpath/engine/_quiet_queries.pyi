from typing import final

from weightpath.engine._pair_order import PairOrder
from weightpath.problems import PreferencePairs

@final
class QuietQueries:
    @property
    def n(self) -> int: ...
    @property
    def n_settled(self) -> int: ...
    @property
    def n_scanned(self) -> int: ...
    def __init__(self, pairs: PreferencePairs, order: PairOrder) -> None: ...
