"""Rows of features, read where they lie."""

cdef extern from "kernels/feature_rows.h" nogil:
    ctypedef struct feature_rows:
        const double* wide
        const float* narrow
        Py_ssize_t stride
        Py_ssize_t width
        const Py_ssize_t* index
    double feature_dot(const feature_rows*, Py_ssize_t, const double*)
    void feature_dots(const feature_rows*, const Py_ssize_t*, Py_ssize_t, const double*, double*)
    void feature_dots_of_two(const feature_rows*, const Py_ssize_t*, Py_ssize_t, const double*,
                             const double*, double*, double*)
    void feature_add(const feature_rows*, Py_ssize_t, double, double*)
    void feature_sums(const feature_rows*, Py_ssize_t, const double*, const double*, double*,
                      double*, double*)
    void feature_squares(const feature_rows*, Py_ssize_t, Py_ssize_t, const double*, double*)
    void feature_copy(const feature_rows*, Py_ssize_t, double*)


cdef class FeatureRows:
    cdef readonly Py_ssize_t n, p
    cdef readonly object X
    cdef feature_rows rows
    cdef const double[:, :] wide
    cdef const float[:, :] narrow
    cdef const Py_ssize_t[::1] index
