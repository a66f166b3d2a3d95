"""The classes of rows by what a kind of problem says its rows are."""

from __future__ import annotations

from weightpath.path.evaluation import FeatureRows
from weightpath.path.pair_rows import PairRows
from weightpath.path.rows import KernelRows, Rows

__all__ = ["ROW_TYPES"]

ROW_TYPES: dict[str, type[Rows]] = {
    "instances": KernelRows,
    "features": FeatureRows,
    "pairs": PairRows,
}
