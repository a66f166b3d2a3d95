"""Kernels: their formulas, and the columns of their matrices that the engine works on."""

from weightpath.kernels.columns import Columns, StoredColumns, columns_for, columns_to_follow
from weightpath.kernels.kernel import KERNEL_NAMES, Kernel

__all__ = ["KERNEL_NAMES", "Columns", "Kernel", "StoredColumns", "columns_for", "columns_to_follow"]
