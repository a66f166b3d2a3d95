"""Inference after selection: p-values and intervals that know how the features were chosen."""

from weightpath.inference.lasso_inference import SelectiveInference, selective

__all__ = ["SelectiveInference", "selective"]
