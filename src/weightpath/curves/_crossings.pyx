"""Growing lists: of the crossings on a segment, and of the steps of a step function."""

import numpy as np

from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

# Runs of this length are sorted by insertion before they are merged.
cdef Py_ssize_t RUN = 12

# An insertion sort that makes more moves than this per index gives way to a merge sort.
cdef Py_ssize_t PATIENCE = 8


cdef int _grow(void** block, Py_ssize_t room, Py_ssize_t item) noexcept nogil:
    cdef void* larger = realloc(block[0], room * item)
    if larger == NULL:
        return -1
    block[0] = larger
    return 0


cdef void _sort(Crossing* items, Crossing* spare, Py_ssize_t n) noexcept nogil:
    """``items.sort(key=key)``, stable; ``spare`` has room for n more."""
    cdef Py_ssize_t first, middle, last, width = RUN, i, j, k
    cdef Crossing item
    cdef Crossing* source = items
    cdef Crossing* target = spare
    for i in range(n):
        item = items[i]
        first, j = i - i % RUN, i
        while j > first and items[j - 1].key > item.key:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item
    while width < n:
        first = 0
        while first < n:
            middle, last = min(first + width, n), min(first + 2 * width, n)
            i, j = first, middle
            for k in range(first, last):
                if j >= last or (i < middle and source[i].key <= source[j].key):
                    target[k] = source[i]
                    i += 1
                else:
                    target[k] = source[j]
                    j += 1
            first = last
        source, target = target, source
        width *= 2
    if source != items:
        memcpy(items, source, n * sizeof(Crossing))


cdef class Crossings:
    """Crossings, with a key to sort them by."""

    def __cinit__(self):
        self.items = self.spare = NULL
        self.size = self.room = 0

    def __dealloc__(self):
        free(self.items)
        free(self.spare)

    cdef int add(self, int upper, int lower) noexcept nogil:
        """Add a crossing without a key; -1 when memory is short."""
        if self.size == self.room and self._make_room(self.size + 1) < 0:
            return -1
        self.items[self.size].upper = upper
        self.items[self.size].lower = lower
        self.size += 1
        return 0

    cdef void sort(self) noexcept nogil:
        """Sort by the key, lowest first."""
        _sort(self.items, self.spare, self.size)

    cdef int sort_indices(self, int* index, Py_ssize_t n, const double* score) noexcept nogil:
        """Sort ``index`` by ``score[index]``, highest first.

        1 if any has moved, 0 if not, -1 when memory is short. The crossings of the list stay as
        they are.
        """
        cdef Py_ssize_t p, r, moves = 0
        cdef int i
        for p in range(1, n):
            i = index[p]
            r = p
            while r > 0 and score[index[r - 1]] < score[i]:
                index[r] = index[r - 1]
                r -= 1
            index[r] = i
            moves += p - r
            if moves > PATIENCE * n:
                return self._merge_indices(index, n, score)
        return moves > 0

    cdef int _merge_indices(self, int* index, Py_ssize_t n, const double* score) noexcept nogil:
        """Sort by merging, in the room behind the crossings; 1, or -1 when memory is short."""
        cdef Py_ssize_t p
        cdef Crossing* item
        if self._make_room(self.size + n) < 0:
            return -1
        item = self.items + self.size
        for p in range(n):
            item[p].key = -score[index[p]]
            item[p].upper = index[p]
        _sort(item, self.spare, n)
        for p in range(n):
            index[p] = item[p].upper
        return 1

    cdef int _make_room(self, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t room = max(count, max(1024, 2 * self.room))
        if count <= self.room:
            return 0
        if (_grow(<void**> &self.items, room, sizeof(Crossing)) < 0
                or _grow(<void**> &self.spare, room, sizeof(Crossing)) < 0):
            return -1
        self.room = room
        return 0


cdef class Steps:
    """Theta and new values of a step function."""

    def __cinit__(self):
        self.theta, self.level = NULL, NULL
        self.size = self.room = 0

    def __dealloc__(self):
        free(self.theta)
        free(self.level)

    cdef int add(self, double theta, long long level) noexcept nogil:
        """Add a step; -1 when memory is short."""
        cdef Py_ssize_t room = max(1024, 2 * self.room)
        if self.size == self.room:
            if (_grow(<void**> &self.theta, room, sizeof(double)) < 0
                    or _grow(<void**> &self.level, room, sizeof(long long)) < 0):
                return -1
            self.room = room
        self.theta[self.size] = theta
        self.level[self.size] = level
        self.size += 1
        return 0

    def arrays(self):
        """Return copies of the theta and the values."""
        cdef double[::1] theta
        cdef long long[::1] level
        if self.size == 0:
            return np.empty(0), np.empty(0, dtype=np.int64)
        theta = <double[:self.size]> self.theta
        level = <long long[:self.size]> self.level
        return np.array(theta), np.array(level)
