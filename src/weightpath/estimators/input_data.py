"""From the data of a user to what an estimator keeps: checked and read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from weightpath.estimators._row_weights import first_wrong
from weightpath.estimators.checks import check_number, check_symmetric, check_whole_number
from weightpath.estimators.kernel_choice import choose_kernel
from weightpath.estimators.sklearn_arguments import check_sklearn_arguments
from weightpath.estimators.training_set import TrainingSet, own_csr, own_dense
from weightpath.frozen import freeze, is_safe_to_keep

__all__ = [
    "check_arrivals",
    "check_instances",
    "check_settings",
    "is_plain",
    "is_precomputed",
    "keep_X",
    "keep_X_y",
    "make_training_set",
]

_MATRIX: dict[str, Any] = {"accept_sparse": "csr", "dtype": np.float64, "order": "C"}


def is_precomputed(model: Any) -> bool:
    """Whether an estimator takes kernel values instead of features."""
    kernel = getattr(model, "kernel", None)
    return isinstance(kernel, str) and kernel == "precomputed"


def check_settings(model: Any, X: Any) -> None:
    """Check the parameters of an estimator as far as possible without its data."""
    check_whole_number("max_events", model.max_events, 1)
    check_number("ridge", model.ridge, strict=False)
    check_sklearn_arguments(model)
    if is_precomputed(model) and issparse(X):
        raise TypeError("A precomputed kernel matrix cannot be sparse; give X.toarray().")


def keep_X(model: Any, X: Any, **options: Any) -> Any:  # noqa: N802
    """Return training instances of a new fit, checked; they cannot be written to."""
    as_given = {**_MATRIX, "dtype": _precisions(model, X)}
    checked = validate_data(model, X, copy=not is_safe_to_keep(X), **as_given, **options)
    return own_csr(checked) if issparse(checked) else own_dense(checked, X)


def keep_X_y(model: Any, X: Any, y: Any, **options: Any) -> tuple[Any, NDArray[Any]]:  # noqa: N802
    """Return training instances with labels or targets, as :func:`keep_X`."""
    as_given = {**_MATRIX, "dtype": _precisions(model, X)}
    checked, y = validate_data(model, X, y, copy=not is_safe_to_keep(X), **as_given, **options)
    return (own_csr(checked) if issparse(checked) else own_dense(checked, X)), y


def _precisions(model: Any, X: Any) -> Any:
    """Return the types of numbers that instances may have: others become the first.

    A linear kernel computes in double precision with dense rows in single precision as they are.
    """
    kernel = getattr(model, "kernel", None)
    is_linear = isinstance(kernel, str) and kernel == "linear"
    return (np.float64, np.float32) if is_linear and not issparse(X) else np.float64


def make_training_set(
    model: Any,
    X: Any,
    labels: NDArray[Any],
    sample_weight: NDArray[np.float64],
    per_row: Mapping[str, NDArray[Any]] | None = None,
) -> TrainingSet:
    """Return kept instances with the kernel that the parameters of an estimator name."""
    if is_precomputed(model):
        X = freeze(check_symmetric(X))
    kernel = choose_kernel(model, X, sample_weight)
    return TrainingSet(X, kernel, labels, float(model.ridge), per_row or {})


def is_plain(model: Any, X: Any) -> bool:
    """Whether instances are an array that a fitted model takes as it is; most are.

    Whatever is not is left to scikit-learn's checks, which take far longer.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype != np.float64:
        return False
    known = model.__dict__
    return (
        X.flags.c_contiguous
        and X.shape[0] > 0
        and X.shape[1] == known.get("n_features_in_")
        and "feature_names_in_" not in known
        and first_wrong(X.reshape(-1))[0] < 0
    )


def check_instances(model: Any, X: Any) -> Any:
    """Return instances in the form in which a fitted model takes them, checked."""
    if "_fitted" in model.__dict__ and is_plain(model, X):
        return X
    check_is_fitted(model)
    return validate_data(model, X, reset=False, **_MATRIX)


def check_arrivals(model: Any, training: TrainingSet, X: Any) -> Any:
    """Return new instances of a training set; for a precomputed kernel rows of its matrix."""
    if training.is_precomputed:
        return check_array(X, dtype=np.float64, order="C", input_name="X")
    return check_instances(model, X)
