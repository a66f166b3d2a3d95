"""Columns that can be handed over to a changed training set."""

from weightpath.kernels._cached_columns cimport CachedColumns


cdef class HeritableColumns(CachedColumns):
    cdef Py_ssize_t before              # rows of ``full`` in front of the matrix

    cdef HeritableColumns slid_sibling(self, X_new, Py_ssize_t gone, Py_ssize_t n_new)
    cdef inherit(self, HeritableColumns old, source, bint growing)
    cdef append_entries(self, Py_ssize_t n_new)
    cdef bint mirror_new_columns(self, Py_ssize_t n_new) except -1
    cdef give_back(self, double** buffer, Py_ssize_t count)
    cdef inherit_costs(self, HeritableColumns old, const Py_ssize_t[::1] source)
    cdef void slide_costs(self, HeritableColumns old, Py_ssize_t gone) noexcept
    cdef bint take_rows(self, HeritableColumns old, source) except -1
    cdef bint take(self, HeritableColumns old, Py_ssize_t gone, Py_ssize_t n_new) except -1
    cdef bint take_back(self, HeritableColumns old, Py_ssize_t gone, Py_ssize_t n_new) except -1
    cdef bint fits(self, Py_ssize_t begin, Py_ssize_t length) noexcept
    cdef set_room(self, Py_ssize_t stride)
    cdef held(self)
    cdef take_matrix(self, HeritableColumns old, Py_ssize_t gone)
    cdef append_last(self, Py_ssize_t n_kept)
    cdef append_rows(self, Py_ssize_t[::1] new, Py_ssize_t[::1] kept)
    cdef inherit_matrix(self, HeritableColumns old, source, bint growing)
    cdef inherit_columns(self, HeritableColumns old, source, bint growing)
    cdef compute_rows(self, Py_ssize_t[::1] index, Py_ssize_t[:, ::1] gaps)
    cdef inherited(self, HeritableColumns old, source)
