"""All competitors; a new one is a file here and a line below."""

from __future__ import annotations

from benchmarks.contest.solvers.base import PathSolver, Solver, StepSolver, TimeIsUpError
from benchmarks.contest.solvers.celer_path import CelerPath
from benchmarks.contest.solvers.daqp_steps import DaqpSteps
from benchmarks.contest.solvers.intelex_refits import IntelexRefits
from benchmarks.contest.solvers.lars import LarsPath
from benchmarks.contest.solvers.piqp_steps import PiqpSteps
from benchmarks.contest.solvers.qpoases_steps import QpoasesSteps
from benchmarks.contest.solvers.seeded_smo import SeededSMO
from benchmarks.contest.solvers.sklearn_refits import SklearnRefits
from benchmarks.contest.solvers.svmpath import SvmPath
from benchmarks.contest.solvers.weightpath_path import WeightpathSolver

__all__ = ["OURS", "RIVALS", "PathSolver", "Solver", "StepSolver", "TimeIsUpError"]

OURS = WeightpathSolver

RIVALS: tuple[type[Solver], ...] = (
    SklearnRefits,
    IntelexRefits,
    SeededSMO,
    QpoasesSteps,
    DaqpSteps,
    PiqpSteps,
    SvmPath,
    LarsPath,
    CelerPath,
)
