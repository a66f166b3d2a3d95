"""Pictures of paths and curves; matplotlib is imported only when something is drawn."""

from weightpath.page import write_html
from weightpath.plotting.curve_display import CurveDisplay, plot_curve
from weightpath.plotting.path_display import PathDisplay, plot_path

__all__ = ["CurveDisplay", "PathDisplay", "plot_curve", "plot_path", "write_html"]
