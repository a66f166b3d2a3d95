from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.branch_goals import BranchGoals
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

# A ``BranchRunner``, whose own methods are not for chains.
@final
class ChainRunner:
    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        state: State,
        ridge: float,
        absent: NDArray[np.bool_],
    ) -> None: ...
    def limit_events(self, max_events: int) -> None: ...
    def follow_chain(
        self, goals: BranchGoals, first: int, last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Any]]: ...
    @property
    def solution(
        self,
    ) -> tuple[NDArray[np.float64], float, NDArray[np.int32], NDArray[np.float64], float]: ...
