"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.critical import CriticalRegion, Exit, critical_region
from weightpath.regions.maps import RegionMap, region_map
from weightpath.regions.ranges import WeightRanges, weight_ranges
from weightpath.regions.region import Region

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
