"""Selection: weights chosen by exact validation curves."""

from weightpath.selection.data_values import data_banzhaf, data_shapley
from weightpath.selection.influence import Influence, influence
from weightpath.selection.leave_one_out import LeaveOneOut, leave_one_out
from weightpath.selection.many_paths import ManyPaths, follow_many
from weightpath.selection.region_search import RegionSearchCV
from weightpath.selection.search import PathSearchCV
from weightpath.selection.stop_rules import StopAt
from weightpath.selection.value_table import DataValues

__all__ = [
    "DataValues",
    "Influence",
    "LeaveOneOut",
    "ManyPaths",
    "PathSearchCV",
    "RegionSearchCV",
    "StopAt",
    "data_banzhaf",
    "data_shapley",
    "follow_many",
    "influence",
    "leave_one_out",
]
