"""Support vector machines whose parameter ``nu`` is a share of the weight."""

from weightpath.estimators.nu.nu_svc import NuSVC
from weightpath.estimators.nu.nu_svr import NuSVR

__all__ = ["NuSVC", "NuSVR"]
