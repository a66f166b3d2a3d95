from numpy.typing import ArrayLike

from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

def solution_on_known_sets(
    columns: Columns, stair: Staircase, beta: ArrayLike, bias: float, ridge: float, most_free: int
) -> State | None: ...

class KnownSets:
    def __init__(
        self, columns: Columns, stair: Staircase, beta: ArrayLike, bias: float, ridge: float
    ) -> None: ...
