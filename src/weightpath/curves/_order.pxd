from weightpath.curves._crossings cimport Crossings, Steps
from weightpath.curves._measure cimport Measure


cdef class Order(Measure):
    # The order of all items along theta, with the metric's value wherever it changes.
    cdef Crossings crossings
    cdef Steps steps
    cdef double resolution
    cdef bint begun
    cdef long long told
    cdef int[::1] order, spare, cluster
    cdef double[::1] end
    cdef unsigned char[::1] tied
    # One entry for each unit.
    cdef int[::1] first, place
    cdef double[::1] start_of, end_of, overtaken
    cdef unsigned char[::1] deep
    cdef int _segment(self, double left, double right, const double* value,
                      const double* slope) noexcept nogil
    cdef double _ends(self, double length, const double* value, const double* slope) noexcept nogil
    cdef bint _is_sorted(self, Py_ssize_t q, double tol, const double* score) noexcept nogil
    cdef int _query(self, Py_ssize_t q, double left, double right, double tol,
                    const double* value, bint calm) noexcept nogil
    cdef Py_ssize_t _spread(self, Py_ssize_t q, const double* value) noexcept nogil
    cdef int _sort_start(self, Py_ssize_t q, double tol, const double* value) noexcept nogil
    cdef Py_ssize_t _unite(self, Py_ssize_t q, double tol, const double* value) noexcept nogil
    cdef int _sort_end(self, Py_ssize_t q, Py_ssize_t n_units) noexcept nogil
    cdef void _finish_order(self, Py_ssize_t q, Py_ssize_t n_units, double tol) noexcept nogil
    cdef void _find_deep(self, Py_ssize_t q, Py_ssize_t n_units, Py_ssize_t begin) noexcept nogil
    cdef void _keep_crossings(self, Py_ssize_t begin, double left, double right) noexcept nogil
    cdef int _cross(self) noexcept nogil
    cdef int _tell(self, double theta) noexcept nogil
