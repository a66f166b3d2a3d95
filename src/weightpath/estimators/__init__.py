"""Estimators: they validate, build a problem, trace paths and keep the solution."""

from weightpath.estimators.snapshot import rebuild
from weightpath.estimators.svc import SVC

__all__ = ["SVC", "rebuild"]

# The estimators that a saved path may name.
ESTIMATORS = ("SVC",)
