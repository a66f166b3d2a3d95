"""What users hand to a path, checked: theta, and new rows as scikit-learn checks them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from weightpath.late_rows import has_rows, shape_of_rows
from weightpath.path.preparation import Preparation
from weightpath.record.status import STOPPED_ON_REQUEST

__all__ = ["check_points", "check_scalar", "check_theta", "names_of", "raw_names_of"]

# What scikit-learn checks names of columns against. It is called like a path in its messages.
_Columns: Any = type("SolutionPath", (BaseEstimator,), {"__doc__": "The columns of a path."})


def names_of(path: Any) -> NDArray[Any] | None:
    """Return the names of the columns that the kernel sees; ``None`` if they had none."""
    fixed = getattr(path, "params", {}).get("fixed")
    names = fixed.get("feature_names_in_") if isinstance(fixed, dict) else None
    # Those of a precomputed kernel, whose columns came and went with the rows, mean nothing.
    if names is None or np.shape(names) != (shape_of_rows(path)[1],):
        return None
    return np.asarray(names)


def raw_names_of(path: Any) -> NDArray[Any]:
    """Return the names of the columns that a path takes; ``AttributeError`` if they had none."""
    preparation: Preparation | None = path.preparation
    names = names_of(path)
    if preparation is not None and preparation.transformers:
        names = preparation.feature_names_in_
    if names is None:
        raise AttributeError("The training rows of this path had no names of columns.")
    return names


def check_points(path: Any, X: Any, nameless: bool = False) -> Any:
    """Return new rows as a float array or CSR matrix; raise unless they fit the path.

    Raw rows of a path with transformers are transformed.

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
    preparation: Preparation | None = getattr(path, "preparation", None)
    if preparation is not None:
        # The transformers check the names and the number of the raw columns.
        X = preparation.rows(X)
    names = names_of(path)
    if names is not None:
        columns.feature_names_in_ = names
    with warnings.catch_warnings():
        if nameless:
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        X = validate_data(columns, X, reset=False, accept_sparse="csr", dtype=np.float64)
    expected = shape_of_rows(path)[1] if has_rows(path) else X.shape[1]
    if X.shape[1] != expected:
        what = "training rows" if path.kernel.name == "precomputed" else "features"
        raise ValueError(
            f"X has {X.shape[1]} features, but this path is expecting {expected} {what} as input."
        )
    return X


def check_scalar(path: Any, theta: ArrayLike) -> float:
    """Return one theta of a path as a number."""
    if type(theta) is float and 0.0 <= theta <= path.theta[-1]:
        return theta
    at = check_theta(path, theta)
    if at.ndim:
        raise ValueError(f"theta must be one number in [0, 1], got an array of shape {at.shape}.")
    return float(at)


def check_theta(path: Any, theta: ArrayLike) -> NDArray[np.float64]:
    """Return a theta of a path, or several, as an array; raise unless the path goes so far."""
    message = f"theta must be a number in [0, 1], or a list of them; got {theta!r}."
    try:
        at = np.asarray(theta)
    except ValueError as error:
        raise ValueError(message) from error
    if at.dtype.kind not in "fiu" or at.ndim > 1:
        raise ValueError(message)
    at = at.astype(np.float64)
    if not ((at >= 0.0) & (at <= 1.0)).all():
        raise ValueError(f"theta must be in [0, 1]; got {theta!r}.")
    end = path.theta[-1]
    if (at > end).any():
        advice = "" if path.status == STOPPED_ON_REQUEST else " Raise max_events to go further."
        raise ValueError(
            f"theta={float(at.max())!r} is beyond the end of this path: it was stopped at "
            f"theta={float(end)!r} ({path.status}).{advice}"
        )
    return at
