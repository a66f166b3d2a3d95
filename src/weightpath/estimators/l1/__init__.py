"""Linear program machines: coefficients pay their absolute values."""

from weightpath.estimators.l1.l1_svc import L1SVC
from weightpath.estimators.l1.l1_svr import L1SVR

__all__ = ["L1SVC", "L1SVR"]
