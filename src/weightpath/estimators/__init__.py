"""Estimators: they validate, build a problem, trace paths and keep the solution."""

from weightpath.estimators.gradient import Gradient
from weightpath.estimators.l1 import L1SVC, L1SVR
from weightpath.estimators.lasso import Lasso
from weightpath.estimators.nu import NuSVC, NuSVR
from weightpath.estimators.one_class_svm import OneClassSVM
from weightpath.estimators.pipelines import move, path_to, reweight
from weightpath.estimators.pursuit import BasisPursuit
from weightpath.estimators.quantile_svr import QuantileSVR
from weightpath.estimators.ranking import RankingSVM
from weightpath.estimators.receipts import RemovalReceipt
from weightpath.estimators.snapshot import rebuild
from weightpath.estimators.svc import SVC
from weightpath.estimators.svr import SVR

__all__ = [
    "L1SVC",
    "L1SVR",
    "SVC",
    "SVR",
    "BasisPursuit",
    "Gradient",
    "Lasso",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "QuantileSVR",
    "RankingSVM",
    "RemovalReceipt",
    "move",
    "path_to",
    "rebuild",
    "reweight",
]

# The estimators that a saved path may name.
ESTIMATORS = ("SVC", "SVR", "QuantileSVR", "OneClassSVM", "RankingSVM", "Lasso", "L1SVC", "L1SVR")
