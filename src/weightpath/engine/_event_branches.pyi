from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.branch_goals import BranchGoals
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

# A ``BranchRunner``.
@final
class EventRunner:
    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        state: State,
        ridge: float = 0.0,
        absent: NDArray[np.bool_] | None = None,
    ) -> None: ...
    def limit_events(self, max_events: int) -> None: ...
    def events_of(self, goals: BranchGoals) -> list[Any]: ...
