"""The lasso: one coefficient and one penalty for each feature."""

from weightpath.estimators.lasso.lasso import Lasso

__all__ = ["Lasso"]
