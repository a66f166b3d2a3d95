"""Regions: the solution as a function of several parameters at once."""

from weightpath.regions.region_map import Region, RegionMap, region_map

__all__ = ["Region", "RegionMap", "region_map"]
