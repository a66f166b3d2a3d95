"""Parametric simplex for machines whose coefficients pay their absolute values."""

from weightpath.engine.simplex.design import Design
from weightpath.engine.simplex.solving import (
    Basis,
    ProgramTrace,
    first_basis,
    follow_program,
    solve_program,
)

__all__ = ["Basis", "Design", "ProgramTrace", "first_basis", "follow_program", "solve_program"]
