"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.region_map import Region, RegionMap, region_map
from weightpath.regions.roc import RocHull, roc_hull
from weightpath.regions.surface import Surface, SurfaceBest

__all__ = [
    "Region",
    "RegionMap",
    "RocHull",
    "Surface",
    "SurfaceBest",
    "region_map",
    "roc_hull",
]
