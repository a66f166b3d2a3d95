"""Basis pursuit, a linear program: its solution, and its path while the weights move."""

from weightpath.pursuit.path import PursuitPath
from weightpath.pursuit.program import Program, Solved
from weightpath.pursuit.solution import PursuitSolution

__all__ = ["Program", "PursuitPath", "PursuitSolution", "Solved"]
