"""Exact solution paths for learning problems whose weights change."""

from importlib.metadata import version as _installed_version

from weightpath import datasets, errors, metrics, weights
from weightpath.applications import (
    CovariateShiftSVC,
    HeteroscedasticSVR,
    OnlineSVC,
    OnlineSVR,
    TransductiveSVC,
)
from weightpath.curves import Curve
from weightpath.errors import (
    ColumnError,
    EventCapWarning,
    InfeasiblePathError,
    KernelNotPSDError,
    KernelNotSymmetricError,
    PathError,
    PrecisionWarning,
    UnboundedPathError,
)
from weightpath.estimators import SVC, SVR, Lasso, OneClassSVM, QuantileSVR, RankingSVM
from weightpath.path import Solution, SolutionPath, load
from weightpath.selection import (
    Influence,
    LeaveOneOut,
    PathSearchCV,
    influence,
    leave_one_out,
)

__version__ = _installed_version("weightpath")

__all__ = [
    "SVC",
    "SVR",
    "ColumnError",
    "CovariateShiftSVC",
    "Curve",
    "EventCapWarning",
    "HeteroscedasticSVR",
    "InfeasiblePathError",
    "Influence",
    "KernelNotPSDError",
    "KernelNotSymmetricError",
    "Lasso",
    "LeaveOneOut",
    "OneClassSVM",
    "OnlineSVC",
    "OnlineSVR",
    "PathError",
    "PathSearchCV",
    "PrecisionWarning",
    "QuantileSVR",
    "RankingSVM",
    "Solution",
    "SolutionPath",
    "TransductiveSVC",
    "UnboundedPathError",
    "datasets",
    "errors",
    "influence",
    "leave_one_out",
    "load",
    "metrics",
    "weights",
]
