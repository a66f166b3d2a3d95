"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.critical_region import CriticalRegion, Exit, critical_region
from weightpath.regions.region_map import Region, RegionMap, region_map
from weightpath.regions.roc import RocHull, roc_hull
from weightpath.regions.surface import Surface, SurfaceBest
from weightpath.regions.weight_ranges import WeightRanges, weight_ranges

__all__ = [
    "CriticalRegion",
    "Exit",
    "Region",
    "RegionMap",
    "RocHull",
    "Surface",
    "SurfaceBest",
    "WeightRanges",
    "critical_region",
    "region_map",
    "roc_hull",
    "weight_ranges",
]
