# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Rows of features that are read where they lie, in an array or in a mapped file.

They are never copied: neither to another precision, nor where some rows of an array are meant.
"""

import numpy as np

# Rows that are looked at between two calls into native code, by the mean of all.
cdef Py_ssize_t SOME = 4096


cdef class FeatureRows:
    """Rows of an array (final).

    Parameters
    ----------
    X : ndarray of shape (m, p)
        In single or double precision; the numbers of each row lie together.
    index : ndarray of intp of shape (n,) or None, default=None
        The rows that are meant; all if not given.

    Attributes
    ----------
    n, p : int
        How many rows and features there are.
    X : ndarray of shape (m, p)
        The array.
    """

    def __init__(self, X, index=None):
        if X.dtype != np.float32:
            X = np.asarray(X, dtype=np.float64)
        if X.strides[1] != X.itemsize or X.strides[0] < X.itemsize * X.shape[1]:
            X = np.ascontiguousarray(X)
        self.X = X
        self.p = self.rows.width = X.shape[1]
        self.rows.stride = X.strides[0] // X.itemsize
        self.n = X.shape[0]
        self.rows.wide, self.rows.narrow, self.rows.index = NULL, NULL, NULL
        if index is not None:
            self.index = np.ascontiguousarray(index, dtype=np.intp)
            self.n = self.index.shape[0]
            if self.n and not 0 <= np.min(index) <= np.max(index) < X.shape[0]:
                raise IndexError(f"Rows of an array of {X.shape[0]} rows were named that it lacks.")
            self.rows.index = &self.index[0] if self.n else NULL
        if X.shape[0] == 0 or self.p == 0:
            raise ValueError("There is nothing to read in an array without rows or features.")
        if X.dtype == np.float32:
            self.narrow = X
            self.rows.narrow = &self.narrow[0, 0]
        else:
            self.wide = X
            self.rows.wide = &self.wide[0, 0]

    @property
    def positions(self):
        """Which row of the array each row is."""
        return np.arange(self.n) if self.rows.index == NULL else np.asarray(self.index)

    def gathered(self):
        """Return the rows as an array of their own, in the precision that they have."""
        return self.X if self.rows.index == NULL else self.X[np.asarray(self.index)]

    def chosen(self, rows):
        """Return some of the rows, as others of the same array."""
        return FeatureRows(self.X, self.positions[rows])

    def mean(self):
        """Return the mean of the rows; where there are very many, that of every so manieth."""
        cdef Py_ssize_t k, count = min(self.n, SOME)
        result = np.zeros(self.p)
        cdef double[::1] out = result
        for k in range(count):
            feature_add(&self.rows, k * (self.n // count), 1.0, &out[0])
        return result / count

    def squares(self, center=None, Py_ssize_t first=0):
        """Return the squared distances of the rows, from ``first`` on, from a point or zero."""
        cdef const double[::1] middle = center if center is not None else np.empty(0)
        result = np.empty(self.n - first)
        cdef double[::1] out = result
        if self.n > first:
            feature_squares(&self.rows, first, self.n - first,
                            NULL if center is None else &middle[0], &out[0])
        return result
