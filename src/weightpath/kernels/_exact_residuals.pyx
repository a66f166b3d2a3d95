# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Residuals in which only the last rounding counts.

With large features a residual is a small difference of large sums, and a double leaves it few
digits. Here the sums have twice as many. They are those of the kernel's values; of rows of features
those of the rows themselves.
"""

import numpy as np

from weightpath.kernels._columns cimport Columns
from weightpath.kernels._feature_columns cimport FeatureColumns
from weightpath.kernels._feature_rows cimport FeatureRows, feature_rows

cdef extern from "exact_residuals.h" nogil:
    ctypedef struct wp_exact:
        double value, rest
    void wp_exact_add(wp_exact*, double)
    void wp_exact_add_product(wp_exact*, double, double)
    double wp_exact_value(const wp_exact*)
    void exact_subtract_column(Py_ssize_t, double, const double*, wp_exact*)
    void exact_add_row(const feature_rows*, Py_ssize_t, double, wp_exact*)
    void exact_subtract_dots(const feature_rows*, Py_ssize_t, const wp_exact*, wp_exact*)


def exact_residuals(Columns columns, target, beta, double bias, double ridge):
    """Return ``target - (K + ridge I) @ beta - bias``, rounded once.

    Parameters
    ----------
    columns : Columns
        The kernel matrix ``K``, of rows of their own and not of pairs.
    target, beta : ndarray of shape (n,)
    bias, ridge : float
    """
    cdef const double[::1] t = np.ascontiguousarray(target, dtype=np.float64)
    cdef const double[::1] v = np.ascontiguousarray(beta, dtype=np.float64)
    cdef Py_ssize_t i, n = columns.n
    cdef int status = 0
    if t.shape[0] != n or v.shape[0] != n:
        raise ValueError(f"Expected vectors of length {n}, got {t.shape[0]} and {v.shape[0]}.")
    pairs, result = np.zeros((n, 2)), np.empty(n)
    cdef double[:, ::1] sums = pairs
    cdef double[::1] out = result
    if n == 0:
        return result
    cdef wp_exact* sum = <wp_exact*> &sums[0, 0]
    for i in range(n):
        wp_exact_add(&sum[i], t[i])
        wp_exact_add(&sum[i], -bias)
        wp_exact_add_product(&sum[i], -ridge, v[i])
    if isinstance(columns, FeatureColumns):
        _subtract_rows((<FeatureColumns> columns).rows, v, sum)
    else:
        status = _subtract_columns(columns, v, sum)
    if status < 0:
        columns.raise_error()
    for i in range(n):
        out[i] = wp_exact_value(&sum[i])
    return result


cdef _subtract_rows(FeatureRows rows, const double[::1] v, wp_exact* sum):
    cdef Py_ssize_t i
    cdef double[:, ::1] sums = np.zeros((rows.p, 2))
    cdef wp_exact* normal = <wp_exact*> &sums[0, 0]
    with nogil:
        for i in range(rows.n):
            if v[i] != 0.0:
                exact_add_row(&rows.rows, i, v[i], normal)
        exact_subtract_dots(&rows.rows, rows.n, normal, sum)


cdef int _subtract_columns(Columns columns, const double[::1] v, wp_exact* sum):
    cdef Py_ssize_t i
    cdef const double* column
    with nogil:
        for i in range(columns.n):
            if v[i] == 0.0:
                continue
            column = columns.pin(i)
            if column == NULL:
                return -1
            exact_subtract_column(columns.n, v[i], column, sum)
            columns.unpin(i)
    return 0
