"""Curves: a validation metric as an exact function of the position on a path."""

from weightpath.curves.combine import join_curves, mean_curve
from weightpath.curves.curve import Best, Curve
from weightpath.curves.standard_error import one_standard_error, standard_error
from weightpath.curves.trace import METRICS, trace_curve

__all__ = [
    "METRICS",
    "Best",
    "Curve",
    "join_curves",
    "mean_curve",
    "one_standard_error",
    "standard_error",
    "trace_curve",
]
