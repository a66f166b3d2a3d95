from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from weightpath.engine.branch_goals import BranchGoals, Watch
from weightpath.kernels import Columns
from weightpath.problems import Staircase
from weightpath.record.state import State

# A ``Loop``, as the runner uses it.
@final
class BranchLoop: ...

@final
class Sheaf: ...

@final
class Harvest:
    def __init__(self, goals: BranchGoals, first: int, last: int) -> None: ...
    def stop(self) -> None: ...
    def ends(self) -> dict[str, NDArray[Any]]: ...
    def loose(self) -> list[Any]: ...
    def moved(self) -> dict[str, NDArray[Any]]: ...

class BranchRunner:
    failed: int
    def __init__(
        self,
        columns: Columns,
        stair: Staircase,
        state: State,
        ridge: float = 0.0,
        absent: NDArray[np.bool_] | None = None,
    ) -> None: ...
    def twin(self, columns: Columns) -> BranchRunner: ...
    def limit_events(self, max_events: int) -> None: ...
    def follow(
        self,
        goals: BranchGoals,
        first: int,
        last: int,
        stop: Watch | None = None,
    ) -> tuple[dict[str, NDArray[Any]], list[Any]]: ...
    def help(self, goals: BranchGoals, harvest: Harvest, stop: Watch | None = None) -> None: ...
    def start(self, goals: BranchGoals, harvest: Harvest) -> None: ...
    def join(self) -> None: ...
