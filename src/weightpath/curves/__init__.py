"""Curves: a validation metric as an exact function of the position on a path."""

from weightpath.curves.curve import Best, Curve
from weightpath.curves.trace import METRICS, trace_curve

__all__ = ["METRICS", "Best", "Curve", "trace_curve"]
