"""Selection: weights chosen by exact validation curves."""

from weightpath.selection.influence import Influence, influence
from weightpath.selection.leave_one_out import LeaveOneOut, leave_one_out
from weightpath.selection.many_paths import ManyPaths, follow_many
from weightpath.selection.region_search import RegionSearchCV
from weightpath.selection.search import PathSearchCV
from weightpath.selection.stop_rules import StopAt

__all__ = [
    "Influence",
    "LeaveOneOut",
    "ManyPaths",
    "PathSearchCV",
    "RegionSearchCV",
    "StopAt",
    "follow_many",
    "influence",
    "leave_one_out",
]
