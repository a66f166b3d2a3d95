"""Problems: what is optimised, never how. Every problem is a :class:`Staircase`."""

from weightpath.problems.classification import hinge_sets, hinge_staircase
from weightpath.problems.staircase import Staircase

__all__ = ["Staircase", "hinge_sets", "hinge_staircase"]
