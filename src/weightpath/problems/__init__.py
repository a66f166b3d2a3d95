"""Problems: what is optimised, never how. Every problem is a :class:`Staircase`."""

from weightpath.problems.classification import hinge_sets, hinge_staircase
from weightpath.problems.one_class import one_class_staircase
from weightpath.problems.pairs import PreferencePairs
from weightpath.problems.ranking import ranking_staircase
from weightpath.problems.regression import pinball_staircase, tube_sets, tube_staircase
from weightpath.problems.sparse_linear import lasso_staircase
from weightpath.problems.staircase import Staircase

__all__ = [
    "PreferencePairs",
    "Staircase",
    "hinge_sets",
    "hinge_staircase",
    "lasso_staircase",
    "one_class_staircase",
    "pinball_staircase",
    "ranking_staircase",
    "tube_sets",
    "tube_staircase",
]
