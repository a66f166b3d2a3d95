"""Prediction sets with guarantees, from exact paths."""

from weightpath.conformal.conditional import ConditionalConformal
from weightpath.conformal.cv_plus import CVPlus
from weightpath.conformal.full import FullConformal
from weightpath.conformal.jackknife import JackknifePlus
from weightpath.conformal.mapie import ConditionalMapieAdapter, MapieAdapter

__all__ = [
    "CVPlus",
    "ConditionalConformal",
    "ConditionalMapieAdapter",
    "FullConformal",
    "JackknifePlus",
    "MapieAdapter",
]
