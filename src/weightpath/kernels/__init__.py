"""Kernels: their formulas, and the columns of their matrices that the engine works on."""

from weightpath.kernels.columns import Columns, columns_for
from weightpath.kernels.kernel import KERNEL_NAMES, Kernel

__all__ = ["KERNEL_NAMES", "Columns", "Kernel", "columns_for"]
