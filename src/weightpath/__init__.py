"""Exact solution paths for learning problems whose weights change."""

from weightpath import datasets, errors
from weightpath.curves import Curve
from weightpath.errors import (
    ColumnError,
    EventCapWarning,
    InfeasiblePathError,
    KernelNotPSDError,
    PathError,
    UnboundedPathError,
)
from weightpath.estimators import SVC, SVR, Lasso, OneClassSVM, QuantileSVR
from weightpath.path import Solution, SolutionPath, load
from weightpath.selection import (
    Influence,
    LeaveOneOut,
    PathSearchCV,
    influence,
    leave_one_out,
)

__version__ = "0.1.0"

__all__ = [
    "SVC",
    "SVR",
    "ColumnError",
    "Curve",
    "EventCapWarning",
    "InfeasiblePathError",
    "Influence",
    "KernelNotPSDError",
    "Lasso",
    "LeaveOneOut",
    "OneClassSVM",
    "PathError",
    "PathSearchCV",
    "QuantileSVR",
    "Solution",
    "SolutionPath",
    "UnboundedPathError",
    "datasets",
    "errors",
    "influence",
    "leave_one_out",
    "load",
]
