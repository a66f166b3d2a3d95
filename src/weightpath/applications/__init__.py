"""The uses of the paper: online learning, covariate shift, unequal noise, transduction."""

from weightpath.applications.heteroscedastic_svr import HeteroscedasticSVR, Reweighting
from weightpath.applications.online_svc import OnlineSVC
from weightpath.applications.online_svr import OnlineSVR
from weightpath.applications.prequential import Prequential, prequential

__all__ = [
    "HeteroscedasticSVR",
    "OnlineSVC",
    "OnlineSVR",
    "Prequential",
    "Reweighting",
    "prequential",
]
