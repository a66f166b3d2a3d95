"""Pictures of paths, curves and planes; matplotlib is imported only when something is drawn."""

from weightpath.page import write_html
from weightpath.plotting.curve_display import CurveDisplay, plot_curve
from weightpath.plotting.path_display import PathDisplay, plot_path
from weightpath.plotting.plane_display import (
    MapDisplay,
    SurfaceDisplay,
    plot_map,
    plot_surface,
)
from weightpath.plotting.roc_display import RocDisplay, plot_roc_hull
from weightpath.plotting.values_display import ValuesDisplay

__all__ = [
    "CurveDisplay",
    "MapDisplay",
    "PathDisplay",
    "RocDisplay",
    "SurfaceDisplay",
    "ValuesDisplay",
    "plot_curve",
    "plot_map",
    "plot_path",
    "plot_roc_hull",
    "plot_surface",
    "write_html",
]
