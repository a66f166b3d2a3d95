from weightpath.kernels._columns cimport Columns
from weightpath.kernels._feature_rows cimport FeatureRows

cdef extern from "kernels/pinned_slots.h" nogil:
    ctypedef struct pinned_slots:
        Py_ssize_t n_slots


cdef class FeatureColumns(Columns):
    cdef readonly FeatureRows rows
    cdef readonly object kernel
    cdef readonly double cache_mb
    # A point in the middle of the rows, and how far each row is from it.
    cdef double[::1] center, distance
    # The coefficients of the last product, their sum of rows, as it is added up with what it
    # rounds off, that of the absolute terms, and how often it was brought up to date only.
    cdef double[::1] last, normal, sum, lost, sizes, change, growth, rounded
    cdef Py_ssize_t updates
    # The largest of these absolute terms since the sum was made afresh.
    cdef double peak
    # Rows in single precision that are in use.
    cdef pinned_slots slots
    cdef Py_ssize_t _compare(self, const double* v) noexcept nogil
    cdef void _sum_up(self, const double* v, Py_ssize_t n_changed) noexcept nogil
    cdef void _sum_afresh(self, const double* v) noexcept nogil
    cdef void _add_changes(self) noexcept nogil
    cdef double _largest_size(self) noexcept nogil
