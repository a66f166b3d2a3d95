"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.critical import CriticalRegion, Exit, critical_region
from weightpath.regions.maps import RegionMap, region_map
from weightpath.regions.ranges import WeightRanges, weight_ranges
from weightpath.regions.region import Region
from weightpath.regions.roc import RocHull, roc_hull
from weightpath.regions.surface import Surface, SurfaceBest

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
