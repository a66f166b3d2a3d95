"""Inference after selection: p-values and intervals that know how the features were chosen."""

from weightpath.inference.selective import SelectiveInference, selective

__all__ = ["SelectiveInference", "selective"]
