from weightpath.engine._branches cimport BranchRunner, Harvest


cdef class EventRunner(BranchRunner):
    # The events of each branch that has arrived.
    cdef list events
    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil
    cdef void _keep_events(self, Py_ssize_t at, Py_ssize_t count) noexcept nogil
