cdef class Recorder:
    # Growing arrays that hold a path while the loop writes it.
    cdef readonly Py_ssize_t n_segments, n_events, n_entries
    cdef Py_ssize_t segment_room, event_room, entry_room
    cdef double* theta
    cdef double* bias
    cdef double* bias_slope
    cdef signed char* freedom
    cdef int end_freedom
    cdef long long* offset
    cdef long long* event_count
    cdef int* member
    cdef double* value
    cdef double* slope
    cdef double* event_theta
    cdef int* event_index
    cdef short* event_from
    cdef short* event_to
    cdef char apart[64]
    cdef void reset(self) noexcept nogil
    cdef int segment(self, double theta, double bias, double bias_slope, Py_ssize_t m,
                     const Py_ssize_t* member, const double* value,
                     const double* slope, int freedom, double stretch) noexcept nogil
    cdef int event(self, double theta, Py_ssize_t index, int before, int after) noexcept nogil


cdef class Written:
    # A copy of what a recorder holds, in one block of memory.
    cdef readonly Py_ssize_t n_segments, n_events
    cdef readonly int end_freedom
    cdef readonly bint is_loose
    cdef readonly object position
    cdef Py_ssize_t n_entries
    cdef double end
    cdef char* block
    cdef double* theta
    cdef double* bias
    cdef double* bias_slope
    cdef signed char* freedom
    cdef long long* offset
    cdef long long* event_count
    cdef int* member
    cdef double* value
    cdef double* slope
    cdef double* event_theta
    cdef int* event_index
    cdef short* event_from
    cdef short* event_to
