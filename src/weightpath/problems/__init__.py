"""Problems: what is optimised, never how. Every problem is a :class:`Staircase` and a Kind."""

from weightpath.problems.hinge import hinge_sets, hinge_staircase
from weightpath.problems.kind import Kind, Wording, kinds, register_kind
from weightpath.problems.lasso import lasso_staircase
from weightpath.problems.one_class import one_class_staircase
from weightpath.problems.pairs import PreferencePairs, ranking_staircase
from weightpath.problems.pinball import pinball_staircase
from weightpath.problems.program import Program
from weightpath.problems.staircase import Staircase
from weightpath.problems.tube import tube_sets, tube_staircase

__all__ = [
    "Kind",
    "PreferencePairs",
    "Program",
    "Staircase",
    "Wording",
    "hinge_sets",
    "hinge_staircase",
    "kinds",
    "lasso_staircase",
    "one_class_staircase",
    "pinball_staircase",
    "ranking_staircase",
    "register_kind",
    "tube_sets",
    "tube_staircase",
]
