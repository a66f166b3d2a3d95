"""Paths of linear program machines: records read anywhere, and their certificates."""

from weightpath.path.programs.linear_program_path import LinearProgramPath
from weightpath.path.programs.part import ProgramPart, columns_of
from weightpath.path.programs.solution import ProgramSolution

__all__ = ["LinearProgramPath", "ProgramPart", "ProgramSolution", "columns_of"]
