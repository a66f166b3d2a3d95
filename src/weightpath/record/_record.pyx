"""Growing arrays for the compact record of a path.

A segment stores its first theta, the bias with its slope and, for each margin member, value and
slope; an event stores theta, the row, and its positions before and after. Everything else follows
from the knots, so memory grows with the sum of the margin sizes over the segments.
"""

import numpy as np

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy


cdef inline int _grow(void** block, Py_ssize_t room, Py_ssize_t item) noexcept nogil:
    cdef void* new = realloc(block[0], room * item)
    if new == NULL:
        return -1
    block[0] = new
    return 0


cdef object _reals(const double* data, Py_ssize_t count, Py_ssize_t room):
    """The numbers as an array with room for more."""
    out = np.empty(room)
    cdef double[::1] view = out
    if count:
        memcpy(&view[0], data, count * sizeof(double))
    return out


ctypedef fused Stored:
    signed char
    short
    int
    long long


cdef object _whole(const Stored* data, Py_ssize_t count, Py_ssize_t room):
    """The whole numbers as an array with room for more."""
    cdef Py_ssize_t k
    out = np.empty(room, dtype=np.int64)
    cdef long long[::1] view = out
    for k in range(count):
        view[k] = data[k]
    return out


cdef class Recorder:
    """Written by the loop; :meth:`written` says what there is to read."""

    def __cinit__(self):
        self.reset()
        self.segment_room = self.event_room = self.entry_room = 0
        self.theta = self.bias = self.bias_slope = self.value = self.slope = NULL
        self.event_theta = NULL
        self.offset = self.event_count = NULL
        self.freedom = NULL
        self.member = self.event_index = NULL
        self.event_from = self.event_to = NULL

    def __dealloc__(self):
        free(self.theta)
        free(self.bias)
        free(self.bias_slope)
        free(self.freedom)
        free(self.offset)
        free(self.event_count)
        free(self.member)
        free(self.value)
        free(self.slope)
        free(self.event_theta)
        free(self.event_index)
        free(self.event_from)
        free(self.event_to)

    cdef void reset(self) noexcept nogil:
        """Begin a new record; the memory stays."""
        self.n_segments = self.n_events = self.n_entries = 0
        self.end_freedom = 0

    cdef int segment(self, double theta, double bias, double bias_slope, Py_ssize_t m,
                     const Py_ssize_t* member, const double* value,
                     const double* slope, int freedom, double stretch) noexcept nogil:
        """Add a segment that begins at ``theta``; -1 when memory is short.

        All slopes are multiplied by ``stretch``.
        """
        cdef Py_ssize_t s = self.n_segments, e = self.n_entries, k
        if s == self.segment_room:
            self.segment_room = max(64, 2 * s)
            if (_grow(<void**> &self.theta, self.segment_room, sizeof(double)) < 0
                    or _grow(<void**> &self.bias, self.segment_room, sizeof(double)) < 0
                    or _grow(<void**> &self.bias_slope, self.segment_room, sizeof(double)) < 0
                    or _grow(<void**> &self.freedom, self.segment_room, 1) < 0
                    or _grow(<void**> &self.offset, self.segment_room, sizeof(long long)) < 0
                    or _grow(<void**> &self.event_count, self.segment_room,
                             sizeof(long long)) < 0):
                return -1
        if e + m > self.entry_room:
            self.entry_room = max(256, max(e + m, e + e // 2))
            if (_grow(<void**> &self.member, self.entry_room, sizeof(int)) < 0
                    or _grow(<void**> &self.value, self.entry_room, sizeof(double)) < 0
                    or _grow(<void**> &self.slope, self.entry_room, sizeof(double)) < 0):
                return -1
        self.theta[s] = theta
        self.bias[s] = bias
        self.bias_slope[s] = stretch * bias_slope
        self.freedom[s] = freedom
        self.offset[s] = e
        self.event_count[s] = self.n_events
        for k in range(m):
            self.member[e + k] = <int> member[k]
            self.value[e + k] = value[k]
            self.slope[e + k] = stretch * slope[k]
        self.n_segments = s + 1
        self.n_entries = e + m
        return 0

    cdef int event(self, double theta, Py_ssize_t index, int before, int after) noexcept nogil:
        """Add an event; -1 when memory is short."""
        cdef Py_ssize_t e = self.n_events
        if e == self.event_room:
            self.event_room = max(64, 2 * e)
            if (_grow(<void**> &self.event_theta, self.event_room, sizeof(double)) < 0
                    or _grow(<void**> &self.event_index, self.event_room, sizeof(int)) < 0
                    or _grow(<void**> &self.event_from, self.event_room, sizeof(short)) < 0
                    or _grow(<void**> &self.event_to, self.event_room, sizeof(short)) < 0):
                return -1
        self.event_theta[e] = theta
        self.event_index[e] = <int> index
        self.event_from[e] = before
        self.event_to[e] = after
        self.n_events = e + 1
        return 0

    def written(self, double end, position):
        """Return what was written, as it is now; the last segment ends at ``end``.

        Parameters
        ----------
        end : float
            Where the last segment ends.
        position : ndarray of shape (n,), int32
            Positions before the first event; not copied.
        """
        return Written(self, end, position)


cdef class Written:
    """A record as a loop wrote it: a copy in one block of memory, made arrays of when it is read.

    Most paths are followed for the model at their end, and nobody reads their record.

    Attributes
    ----------
    n_segments, n_events : int
        The length of the record.
    end_freedom : int
        How free the bias is at the end of the last segment.
    is_loose : bool
        Whether the bias is not unique where some segment begins.
    position : ndarray of shape (n,), int32
        Positions before the first event.
    """

    def __cinit__(self, Recorder recorder, double end, position):
        cdef Py_ssize_t k, s = recorder.n_segments, e = recorder.n_entries, c = recorder.n_events
        cdef char* room
        self.n_segments, self.n_entries, self.n_events = s, e, c
        self.end, self.end_freedom = end, recorder.end_freedom
        self.position = position
        # The widest numbers first, so that all are aligned.
        self.block = <char*> malloc(max(
            <size_t> 1, (5 * s + 2 * e + c) * sizeof(double) + (e + c) * sizeof(int)
            + 2 * c * sizeof(short) + s))
        if self.block == NULL:
            raise MemoryError("Not enough memory for the record of a path.")
        room = self.block
        self.theta = <double*> _stored(&room, recorder.theta, s * sizeof(double))
        self.bias = <double*> _stored(&room, recorder.bias, s * sizeof(double))
        self.bias_slope = <double*> _stored(&room, recorder.bias_slope, s * sizeof(double))
        self.value = <double*> _stored(&room, recorder.value, e * sizeof(double))
        self.slope = <double*> _stored(&room, recorder.slope, e * sizeof(double))
        self.event_theta = <double*> _stored(&room, recorder.event_theta, c * sizeof(double))
        self.offset = <long long*> _stored(&room, recorder.offset, s * sizeof(long long))
        self.event_count = <long long*> _stored(&room, recorder.event_count, s * sizeof(long long))
        self.member = <int*> _stored(&room, recorder.member, e * sizeof(int))
        self.event_index = <int*> _stored(&room, recorder.event_index, c * sizeof(int))
        self.event_from = <short*> _stored(&room, recorder.event_from, c * sizeof(short))
        self.event_to = <short*> _stored(&room, recorder.event_to, c * sizeof(short))
        self.freedom = <signed char*> _stored(&room, recorder.freedom, s)
        for k in range(s):
            self.is_loose = self.is_loose or self.freedom[k] > 0

    def __dealloc__(self):
        free(self.block)

    def arrays(self):
        """Return the record as a dict of arrays."""
        cdef Py_ssize_t s = self.n_segments, e = self.n_entries, c = self.n_events
        theta, offset = _reals(self.theta, s, s + 1), _whole(self.offset, s, s + 1)
        freedom = _whole(self.freedom, s, s + 1)
        theta[s], offset[s], freedom[s] = self.end, e, self.end_freedom
        return {
            "theta": theta,
            "bias": _reals(self.bias, s, s),
            "bias_slope": _reals(self.bias_slope, s, s),
            "freedom": freedom,
            "offset": offset,
            "member": _whole(self.member, e, e),
            "value": _reals(self.value, e, e),
            "slope": _reals(self.slope, e, e),
            "event_theta": _reals(self.event_theta, c, c),
            "event_index": _whole(self.event_index, c, c),
            "event_from": _whole(self.event_from, c, c),
            "event_to": _whole(self.event_to, c, c),
            "event_count": _whole(self.event_count, s, s),
            "initial_position": self.position.astype(np.int64),
        }


cdef char* _stored(char** room, const void* data, size_t size) noexcept:
    """Where a copy of some bytes begins, in a block; the room behind them is what is left."""
    cdef char* begin = room[0]
    if size:
        memcpy(begin, data, size)
    room[0] = begin + size
    return begin
