"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.critical_region import CriticalRegion, Exit, critical_region
from weightpath.regions.region_map import Region, RegionMap, region_map
from weightpath.regions.weight_ranges import WeightRanges, weight_ranges

__all__ = [
    "CriticalRegion",
    "Exit",
    "Region",
    "RegionMap",
    "WeightRanges",
    "critical_region",
    "region_map",
    "weight_ranges",
]
