"""Inference after selection: p-values and intervals that know how the features were chosen."""

from weightpath.inference.lasso_inference import selective
from weightpath.inference.selective_table import SelectiveInference

__all__ = ["SelectiveInference", "selective"]
