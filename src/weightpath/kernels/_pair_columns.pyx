"""The operator of pairs of documents, without ever forming a column over the pairs.

With the differences ``D`` (a row of it has +1 at the higher and -1 at the lower document of a pair)
the matrix is ``D G D'``, where ``G`` is the kernel matrix of the documents. A column is kept as
``G D' e``: the difference of two columns of ``G``, as long as there are documents.
"""

import numpy as np

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from weightpath.kernels._columns cimport Columns

cdef extern from "pair_sums.h" nogil:
    double fold_row(const double* v, Py_ssize_t n, double* below)


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
        self.buffer = NULL
        self.n_slots = 0

    def __init__(self, Columns documents, pairs, diagonal):
        self.documents = documents
        self.pairs = pairs
        self.n = len(pairs)
        self.first = pairs.first
        self.second = pairs.second
        self.diag = np.ascontiguousarray(diagonal, dtype=np.float64)
        if documents.n != pairs.n_documents or self.diag.shape[0] != self.n:
            raise ValueError("Documents, pairs and diagonal do not fit.")
        self.slot_of = np.full(self.n, -1, dtype=np.int32)
        self.pins = np.zeros(0, dtype=np.int32)
        self.pair_in = np.zeros(0, dtype=np.int32)
        self.upper, self.lower = pairs.upper, pairs.lower
        self.upper_start, self.lower_start = pairs.upper_start, pairs.lower_start
        self.below = np.empty(max(1, np.diff(pairs.lower_start).max(initial=0)))
        self.folded = np.empty(documents.n)
        self.passing = np.empty(documents.n)

    def __dealloc__(self):
        cdef Py_ssize_t s
        for s in range(self.n_slots):
            free(self.buffer[s])
        free(self.buffer)

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
        return self.documents.n_bytes + 8 * self.n_slots * self.documents.n

    cdef Py_ssize_t length(self) noexcept nogil:
        return self.documents.n

    cdef const double* pin(self, Py_ssize_t i) noexcept nogil:
        cdef int s = self.slot_of[i]
        cdef const double* one
        cdef const double* other
        cdef double* out
        cdef Py_ssize_t d
        if s >= 0:
            self.pins[s] += 1
            return self.buffer[s]
        s = self._new_slot()
        if s < 0:
            return NULL
        one = self.documents.pin(self.first[i])
        other = NULL if one == NULL else self.documents.pin(self.second[i])
        if other == NULL:
            if one != NULL:
                self.documents.unpin(self.first[i])
            with gil:
                self.fail(_taken_error(self.documents))
            return NULL
        out = self.buffer[s]
        for d in range(self.documents.n):
            out[d] = one[d] - other[d]
        self.documents.unpin(self.first[i])
        self.documents.unpin(self.second[i])
        self.slot_of[i] = s
        self.pair_in[s] = <int> i
        self.pins[s] = 1
        self.n_computed += 1
        return out

    cdef int _new_slot(self) noexcept nogil:
        # A buffer that is not in use; -1 and an error when there is no memory.
        cdef Py_ssize_t s, more
        cdef double** buffer
        for s in range(self.n_slots):
            if self.pins[s] == 0:
                if self.pair_in[s] >= 0:
                    self.slot_of[self.pair_in[s]] = -1
                    self.pair_in[s] = -1
                return <int> s
        more = self.n_slots + 8
        buffer = <double**> realloc(self.buffer, more * sizeof(double*))
        if buffer != NULL:
            self.buffer = buffer
            while self.n_slots < more:
                buffer[self.n_slots] = <double*> malloc(self.documents.n * sizeof(double))
                if buffer[self.n_slots] == NULL:
                    break
                self.n_slots += 1
        with gil:
            if self.n_slots == self.pins.shape[0]:
                return self.fail(MemoryError("No memory for a column of pairs."))
            s = self.pins.shape[0]
            fresh = self.n_slots - s
            self.pins = np.append(self.pins, np.zeros(fresh, dtype=np.int32))
            self.pair_in = np.append(self.pair_in, np.full(fresh, -1, dtype=np.int32))
        return <int> s

    cdef void unpin(self, Py_ssize_t i) noexcept nogil:
        cdef int s = self.slot_of[i]
        if s >= 0 and self.pins[s] > 0:
            self.pins[s] -= 1

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
