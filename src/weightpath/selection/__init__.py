"""Selection: weights chosen by exact validation curves."""

from weightpath.selection.influence import Influence, influence
from weightpath.selection.leave_one_out import LeaveOneOut, leave_one_out
from weightpath.selection.search import PathSearchCV

__all__ = ["Influence", "LeaveOneOut", "PathSearchCV", "influence", "leave_one_out"]
