"""Curves: exact functions of the position on a path, and their algebra."""

from weightpath.curves.combine import join_curves, mean_curve
from weightpath.curves.curve import Best, Curve
from weightpath.curves.standard_error import one_standard_error, standard_error

__all__ = [
    "Best",
    "Curve",
    "join_curves",
    "mean_curve",
    "one_standard_error",
    "standard_error",
]
