"""The operator of pairs of documents."""

from weightpath.kernels._columns cimport Columns


cdef class PairColumns(Columns):
    cdef readonly Columns documents
    cdef readonly object pairs
    cdef const int[::1] first, second, upper, lower
    cdef const Py_ssize_t[::1] upper_start, lower_start
    cdef int[::1] slot_of, pins, pair_in
    cdef double[::1] folded, passing, below
    cdef double** buffer
    cdef Py_ssize_t n_slots
    cdef int _new_slot(self) noexcept nogil
