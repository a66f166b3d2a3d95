"""Prediction sets with guarantees, from exact paths."""

from weightpath.conformal.conditional import ConditionalConformal
from weightpath.conformal.full import FullConformal

__all__ = ["ConditionalConformal", "FullConformal"]
