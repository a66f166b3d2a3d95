from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine._branches import BranchRunner
from weightpath.engine.branch_goals import BranchGoals
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

@final
class ChainRunner(BranchRunner):
    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        state: State,
        ridge: float,
        absent: NDArray[np.bool_],
    ) -> None: ...
    def follow_chain(
        self, goals: BranchGoals, first: int, last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Any]]: ...
    @property
    def solution(
        self,
    ) -> tuple[NDArray[np.float64], float, NDArray[np.int32], NDArray[np.float64], float]: ...
