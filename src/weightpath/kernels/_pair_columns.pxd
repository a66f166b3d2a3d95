"""The operator of pairs of documents."""

from weightpath.kernels._columns cimport Columns

cdef extern from "kernels/pinned_slots.h" nogil:
    ctypedef struct pinned_slots:
        Py_ssize_t n_slots


cdef class PairColumns(Columns):
    cdef readonly Columns documents
    cdef readonly object pairs
    cdef const int[::1] first, second, upper, lower
    cdef const Py_ssize_t[::1] upper_start, lower_start
    cdef double[::1] folded, passing, below
    cdef pinned_slots slots
