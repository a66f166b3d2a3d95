"""Exact solution paths for learning problems whose weights change.

Names are loaded when they are first used: the command line answers ``--help`` without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weightpath import datasets, errors, inference, metrics, weights
    from weightpath.applications import (
        CovariateShiftSVC,
        HeteroscedasticSVR,
        OnlineOneClassSVM,
        OnlineSVC,
        OnlineSVR,
        TransductiveSVC,
    )
    from weightpath.curves import Curve
    from weightpath.errors import (
        BreakpointWarning,
        ColumnError,
        EventCapWarning,
        InfeasiblePathError,
        KernelNotPSDError,
        KernelNotSymmetricError,
        PathError,
        PrecisionWarning,
        UnboundedPathError,
    )
    from weightpath.estimators import (
        L1SVC,
        L1SVR,
        SVC,
        SVR,
        BasisPursuit,
        Gradient,
        Lasso,
        NuSVC,
        NuSVR,
        OneClassSVM,
        QuantileSVR,
        RankingSVM,
        RemovalReceipt,
        move,
        path_to,
        reweight,
    )
    from weightpath.path import (
        LinearProgramPath,
        ProgramSolution,
        Solution,
        SolutionPath,
        load,
    )
    from weightpath.pursuit import PursuitPath, PursuitSolution
    from weightpath.regions import (
        CriticalRegion,
        Region,
        RegionMap,
        RocHull,
        Surface,
        WeightRanges,
    )
    from weightpath.regions.maps import region_map
    from weightpath.regions.ranges import weight_ranges
    from weightpath.regions.roc import roc_hull
    from weightpath.selection import (
        DataValues,
        ManyPaths,
        PathSearchCV,
        RegionSearchCV,
        StopAt,
        data_banzhaf,
        data_shapley,
        follow_many,
    )
    from weightpath.selection.influence import Influence, influence
    from weightpath.selection.leave_one_out import LeaveOneOut, leave_one_out

    __version__: str

__all__ = [
    "L1SVC",
    "L1SVR",
    "SVC",
    "SVR",
    "BasisPursuit",
    "BreakpointWarning",
    "ColumnError",
    "CovariateShiftSVC",
    "CriticalRegion",
    "Curve",
    "DataValues",
    "EventCapWarning",
    "Gradient",
    "HeteroscedasticSVR",
    "InfeasiblePathError",
    "Influence",
    "KernelNotPSDError",
    "KernelNotSymmetricError",
    "Lasso",
    "LeaveOneOut",
    "LinearProgramPath",
    "ManyPaths",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineOneClassSVM",
    "OnlineSVC",
    "OnlineSVR",
    "PathError",
    "PathSearchCV",
    "PrecisionWarning",
    "ProgramSolution",
    "PursuitPath",
    "PursuitSolution",
    "QuantileSVR",
    "RankingSVM",
    "Region",
    "RegionMap",
    "RegionSearchCV",
    "RemovalReceipt",
    "RocHull",
    "Solution",
    "SolutionPath",
    "StopAt",
    "Surface",
    "TransductiveSVC",
    "UnboundedPathError",
    "WeightRanges",
    "data_banzhaf",
    "data_shapley",
    "datasets",
    "errors",
    "follow_many",
    "inference",
    "influence",
    "leave_one_out",
    "load",
    "metrics",
    "move",
    "path_to",
    "region_map",
    "reweight",
    "roc_hull",
    "weight_ranges",
    "weights",
]

# Where the names above are: what a package of the library exports and ``__all__`` names. A test
# compares it with the imports for type checkers.
_HOMES = {
    "applications": (
        "CovariateShiftSVC",
        "HeteroscedasticSVR",
        "OnlineOneClassSVM",
        "OnlineSVC",
        "OnlineSVR",
        "TransductiveSVC",
    ),
    "curves": ("Curve",),
    "errors": (
        "BreakpointWarning",
        "ColumnError",
        "EventCapWarning",
        "InfeasiblePathError",
        "KernelNotPSDError",
        "KernelNotSymmetricError",
        "PathError",
        "PrecisionWarning",
        "UnboundedPathError",
    ),
    "estimators": (
        "L1SVC",
        "L1SVR",
        "SVC",
        "SVR",
        "BasisPursuit",
        "Gradient",
        "Lasso",
        "NuSVC",
        "NuSVR",
        "OneClassSVM",
        "QuantileSVR",
        "RankingSVM",
        "RemovalReceipt",
        "move",
        "path_to",
        "reweight",
    ),
    "path": ("LinearProgramPath", "ProgramSolution", "Solution", "SolutionPath", "load"),
    "pursuit": ("PursuitPath", "PursuitSolution"),
    "regions": ("CriticalRegion", "Region", "RegionMap", "RocHull", "Surface", "WeightRanges"),
    "regions.maps": ("region_map",),
    "regions.ranges": ("weight_ranges",),
    "regions.roc": ("roc_hull",),
    "selection": (
        "DataValues",
        "ManyPaths",
        "PathSearchCV",
        "RegionSearchCV",
        "StopAt",
        "data_banzhaf",
        "data_shapley",
        "follow_many",
    ),
    # In a package each function of these has the name of its module, which confuses type checkers.
    "selection.influence": ("Influence", "influence"),
    "selection.leave_one_out": ("LeaveOneOut", "leave_one_out"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def _package(name: str) -> Any:
    """Return a package of the library, such as ``weightpath.engine``."""
    missing = AttributeError(f"module 'weightpath' has no attribute {name!r}")
    if name.startswith("_"):
        raise missing
    try:
        return import_module(f"weightpath.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"weightpath.{name}":
            raise
        raise missing from None


if not TYPE_CHECKING:  # with it no misspelt name would be an error of types

    def __getattr__(name: str) -> Any:
        if name in _HOME_OF:
            value = getattr(import_module(f"weightpath.{_HOME_OF[name]}"), name)
        elif name == "__version__":
            from importlib.metadata import version

            value = version("weightpath")
        else:
            value = _package(name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
