"""Prediction sets with guarantees, from exact paths."""

from weightpath.conformal.conditional import ConditionalConformal

__all__ = ["ConditionalConformal"]
