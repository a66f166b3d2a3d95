"""The uses of the paper: online learning, covariate shift, unequal noise, transduction."""

from weightpath.applications.covariate_shift import CovariateShiftSVC
from weightpath.applications.heteroscedastic_svr import HeteroscedasticSVR, Reweighting
from weightpath.applications.online_one_class_svm import OnlineOneClassSVM
from weightpath.applications.online_svc import OnlineSVC
from weightpath.applications.online_svr import OnlineSVR
from weightpath.applications.prequential import Prequential, prequential
from weightpath.applications.transduction_run import Step
from weightpath.applications.transductive_svc import TransductiveSVC

__all__ = [
    "CovariateShiftSVC",
    "HeteroscedasticSVR",
    "OnlineOneClassSVM",
    "OnlineSVC",
    "OnlineSVR",
    "Prequential",
    "Reweighting",
    "Step",
    "TransductiveSVC",
    "prequential",
]
