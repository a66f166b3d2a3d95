"""Paths: exact solutions as functions of theta, immutable, readable without the engine."""

from weightpath.path.part import PathPart
from weightpath.path.preparation import Preparation
from weightpath.path.programs import LinearProgramPath, ProgramSolution
from weightpath.path.reading import Reading
from weightpath.path.solution import Solution
from weightpath.path.solution_path import SolutionPath
from weightpath.path.storage import load

__all__ = [
    "LinearProgramPath",
    "PathPart",
    "Preparation",
    "ProgramSolution",
    "Reading",
    "Solution",
    "SolutionPath",
    "load",
]
