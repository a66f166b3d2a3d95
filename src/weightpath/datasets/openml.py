"""Data sets from OpenML, by scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

__all__ = ["fetch_numbers"]


def fetch_numbers(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features and target of version 1 of an OpenML data set, as numbers.

    scikit-learn keeps the download in its own data folder. OSError or ValueError tell that there
    is no connection, or no such data.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # each attempt warns; the last one raises
        fetched = datasets.fetch_openml(
            name, version=1, as_frame=False, parser="liac-arff", n_retries=1
        )
    data = np.array(fetched.data, dtype=float)
    # A nominal column holds positions in its list of categories: what is meant are the categories,
    # and they need not be listed in order.
    for feature, categories in fetched.categories.items():
        column = fetched.feature_names.index(feature)
        meant = np.array([value.strip("'\"") for value in categories], dtype=float)
        data[:, column] = meant[data[:, column].astype(int)]
    target = np.array([str(value).strip("'\"") for value in fetched.target], dtype=float)
    return data, target
