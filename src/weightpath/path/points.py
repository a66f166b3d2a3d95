"""New rows for a path, checked as a fitted estimator of scikit-learn checks them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

__all__ = ["check_points", "names_of"]

# What scikit-learn checks names of columns against. It is called like a path in its messages.
_Columns: Any = type("SolutionPath", (BaseEstimator,), {"__doc__": "The columns of a path."})


def names_of(path: Any) -> NDArray[Any] | None:
    """Return the names of the columns of the training rows; ``None`` if they had none."""
    fixed = getattr(path, "params", {}).get("fixed")
    names = fixed.get("feature_names_in_") if isinstance(fixed, dict) else None
    # Those of a precomputed kernel, whose columns came and went with the rows, mean nothing.
    if names is None or np.shape(names) != (path.X.shape[1],):
        return None
    return np.asarray(names)


def check_points(path: Any, X: Any, nameless: bool = False) -> Any:
    """Return new rows as a float array or CSR matrix; raise unless they fit the path.

    Parameters
    ----------
    path : SolutionPath
        Or anything with its ``iter_segments``; without training rows the width is not checked.
    X : array-like, data frame or sparse matrix of shape (n_points, n_features)
        For a precomputed kernel its values between points and training rows. The names of its
        columns must be those of the training rows; if only one of them has names there is a
        warning.
    nameless : bool, default=False
        Whether the rows were checked before and have lost their names: then there is no warning.
    """
    columns = _Columns()
    names = names_of(path)
    if names is not None:
        columns.feature_names_in_ = names
    with warnings.catch_warnings():
        if nameless:
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        X = validate_data(columns, X, reset=False, accept_sparse="csr", dtype=np.float64)
    expected = path.X.shape[1] if hasattr(path, "X") else X.shape[1]
    if X.shape[1] != expected:
        what = "training rows" if path.kernel.name == "precomputed" else "features"
        raise ValueError(
            f"X has {X.shape[1]} features, but this path is expecting {expected} {what} as input."
        )
    return X
