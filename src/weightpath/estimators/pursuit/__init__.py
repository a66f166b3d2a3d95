"""Basis pursuit: the least weighted sum of absolute coefficients that fits exactly."""

from weightpath.estimators.pursuit.basis_pursuit import BasisPursuit

__all__ = ["BasisPursuit"]
