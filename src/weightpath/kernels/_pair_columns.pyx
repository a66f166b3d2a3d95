"""The operator of pairs of documents, without ever forming a column over the pairs.

With the differences ``D`` (a row of it has +1 at the higher and -1 at the lower document of a pair)
the matrix is ``D G D'``, where ``G`` is the kernel matrix of the documents. A column is kept as
``G D' e``: the difference of two columns of ``G``, as long as there are documents.
"""

import numpy as np

from libc.string cimport memset

from weightpath.kernels._columns cimport Columns

cdef extern from "pair_sums.h" nogil:
    double fold_row(const double* v, Py_ssize_t n, double* below)
    void column_difference(Py_ssize_t n, const double* one, const double* other, double* out)

cdef extern from "kernels/pinned_slots.h" nogil:
    int slots_open(pinned_slots*, Py_ssize_t, Py_ssize_t)
    void slots_close(pinned_slots*)
    double* slots_pin(pinned_slots*, Py_ssize_t)
    void slots_unpin(pinned_slots*, Py_ssize_t)
    double* slots_take(pinned_slots*, Py_ssize_t)
    void slots_release(pinned_slots*, Py_ssize_t)


cdef class PairColumns(Columns):
    """Columns of pairs.

    Parameters
    ----------
    documents : Columns
        The kernel matrix of the documents.
    pairs : PreferencePairs
        Which documents make the pairs.
    diagonal : ndarray of shape (n_pairs,)
        The squared distance of the two documents of each pair in the kernel's space.
    """

    def __cinit__(self):
        memset(&self.slots, 0, sizeof(pinned_slots))

    def __init__(self, Columns documents, pairs, diagonal):
        self.documents = documents
        self.pairs = pairs
        self.n = len(pairs)
        self.first = pairs.first
        self.second = pairs.second
        self.diag = np.ascontiguousarray(diagonal, dtype=np.float64)
        if documents.n != pairs.n_documents or self.diag.shape[0] != self.n:
            raise ValueError("Documents, pairs and diagonal do not fit.")
        if slots_open(&self.slots, self.n, documents.n) < 0:
            raise MemoryError("No memory for columns of pairs.")
        self.upper, self.lower = pairs.upper, pairs.lower
        self.upper_start, self.lower_start = pairs.upper_start, pairs.lower_start
        self.below = np.empty(max(1, np.diff(pairs.lower_start).max(initial=0)))
        self.folded = np.empty(documents.n)
        self.passing = np.empty(documents.n)

    def __dealloc__(self):
        slots_close(&self.slots)

    @property
    def structure(self):
        """The pairs."""
        return self.pairs

    @property
    def is_suspect(self):
        """Whether kernel values of the documents may be wrong."""
        return self.documents.is_suspect

    @property
    def n_bytes(self):
        """Bytes of columns held now, besides the data themselves."""
        return self.documents.n_bytes + 8 * self.slots.n_slots * self.documents.n

    cdef Py_ssize_t length(self) noexcept nogil:
        return self.documents.n

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        cdef const double* one
        cdef const double* other
        cdef double* out = slots_pin(&self.slots, i)
        if out != NULL:
            return out
        out = slots_take(&self.slots, i)
        if out == NULL:
            with gil:
                self.fail(MemoryError("No memory for a column of pairs."))
            return NULL
        one = self.documents.pin(self.first[i])
        other = NULL if one == NULL else self.documents.pin(self.second[i])
        if other == NULL:
            if one != NULL:
                self.documents.unpin(self.first[i])
            slots_release(&self.slots, i)
            with gil:
                self.fail(_taken_error(self.documents))
            return NULL
        column_difference(self.documents.n, one, other, out)
        self.documents.unpin(self.first[i])
        self.documents.unpin(self.second[i])
        self.n_computed += 1
        return out

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        slots_unpin(&self.slots, i)

    cdef double entry(self, const double* column, Py_ssize_t i) noexcept nogil:
        return column[self.first[i]] - column[self.second[i]]

    cdef const double* gather(self, const double* v) noexcept nogil:
        cdef Py_ssize_t k, a, b, n_lower, pair = 0
        cdef double* out = &self.folded[0]
        memset(out, 0, self.documents.n * sizeof(double))
        # Table by table, so that numbers that stand together are added up together.
        for k in range(self.upper_start.shape[0] - 1):
            n_lower = self.lower_start[k + 1] - self.lower_start[k]
            memset(&self.below[0], 0, n_lower * sizeof(double))
            for a in range(self.upper_start[k], self.upper_start[k + 1]):
                out[self.upper[a]] += fold_row(v + pair, n_lower, &self.below[0])
                pair += n_lower
            for b in range(n_lower):
                out[self.lower[self.lower_start[k] + b]] -= self.below[b]
        return out

    cdef int spread(self, const double* v, double* out) noexcept nogil:
        if self.documents.multiply(self.gather(v), out) == 0:
            return 0
        with gil:
            return self.fail(_taken_error(self.documents))

    cdef int multiply(self, const double* v, double* out) noexcept nogil:
        cdef Py_ssize_t p
        cdef double* value = &self.passing[0]
        if self.spread(v, value) < 0:
            return -1
        for p in range(self.n):
            out[p] = value[self.first[p]] - value[self.second[p]]
        return 0


cdef object _taken_error(Columns documents):
    try:
        documents.raise_error()
    except BaseException as error:  # also an interrupt, which the caller raises
        return error
    return RuntimeError("A column of the documents could not be computed.")
