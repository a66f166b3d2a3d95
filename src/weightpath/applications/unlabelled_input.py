"""What goes into a fit with rows that have no label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse, vstack
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

__all__ = ["PartlyLabelled", "partly_labelled"]

UNLABELLED = -1


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """Rows of which some have a label.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, n_features)
        All rows.
    sign : ndarray of shape (n,)
        +1 for the second class, -1 for the first, 0 for rows without a label.
    classes : ndarray of shape (2,)
        The classes.
    """

    X: Any
    sign: NDArray[np.float64]
    classes: NDArray[Any]

    @property
    def labelled(self) -> NDArray[np.intp]:
        """Rows with a label."""
        return np.flatnonzero(self.sign != 0)

    @property
    def unlabelled(self) -> NDArray[np.intp]:
        """Rows without one."""
        return np.flatnonzero(self.sign == 0)


def partly_labelled(X: Any, y: Any, X_unlabelled: Any = None) -> PartlyLabelled:
    """Put the rows together and find the two classes.

    Parameters
    ----------
    X, X_unlabelled : array or CSR matrix
        Rows, checked; without the second those labelled -1 have no label.
    y : array-like of shape (len(X),)
        Labels of ``X``.
    """
    y = column_or_1d(y)
    if X_unlabelled is None:
        without = np.array([label == UNLABELLED for label in y.tolist()], dtype=bool)
    else:
        X = vstack([X, X_unlabelled], format="csr") if issparse(X) else np.vstack([X, X_unlabelled])
        without = np.zeros(len(y), dtype=bool)
    check_classification_targets(y[~without])
    classes, index = np.unique(y[~without], return_inverse=True)
    if len(classes) == 1 and without.any():
        # Labels of -1 and 1, as many use them: with one class there is nothing to transduce.
        warnings.warn(
            f"y has the labels -1 and {classes.tolist()[0]!r} only, taken as two classes: no row "
            "is without a label. A label of -1 marks a row without one, as in "
            "sklearn.semi_supervised, only where two other classes are there; where -1 is a class, "
            "give the rows without a label apart: fit(X, y, X_unlabelled=...).",
            UserWarning,
            stacklevel=4,
        )
        without = np.zeros(len(y), dtype=bool)
        classes, index = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: the "
            f"labelled rows have {len(classes)} classes, {classes.tolist()[:5]}."
        )
    if len(classes) < 2:
        raise ValueError(
            "TransductiveSVC needs two classes among the labelled rows; the number of classes has "
            f"to be two, got {len(classes)} class: {classes.tolist()}."
        )
    sign = np.zeros(X.shape[0])
    sign[np.flatnonzero(~without)] = 2.0 * index - 1.0
    return PartlyLabelled(X, sign, classes)
