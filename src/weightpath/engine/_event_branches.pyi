from typing import Any, final

from weightpath.engine._branches import BranchRunner
from weightpath.engine.branch_goals import BranchGoals

@final
class EventRunner(BranchRunner):
    def events_of(self, goals: BranchGoals) -> list[Any]: ...
