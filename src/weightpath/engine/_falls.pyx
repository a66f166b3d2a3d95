"""By how much bounds and penalties fall along a path; see :mod:`weightpath.engine.legs`."""

from libc.math cimport fabs, isfinite


def fall_of_knots(const double[:, ::1] before, const double[:, ::1] after,
                  const double[::1] kappa, double scale, double far):
    """Return the largest factor by which a knot falls to where it matters; at least one.

    It matters where moving a coefficient so far, times its ``kappa``, changes a residual by
    ``scale``. Knots beyond ``far`` are none.
    """
    cdef Py_ssize_t i, j
    cdef double first, last, largest = 1.0
    for i in range(before.shape[0]):
        if not kappa[i] > 0.0:
            continue
        for j in range(before.shape[1]):
            first, last = fabs(before[i, j]), fabs(after[i, j])
            if last < first < far:
                largest = _larger(largest, first, max(last, scale / kappa[i]))
    return largest


def fall_of_levels(const double[:, ::1] before, const double[:, ::1] after, double scale):
    """Return the largest factor by which an outer level falls to where residuals meet it."""
    cdef Py_ssize_t i, j, k, outer = before.shape[1] - 1
    cdef double first, last, largest = 1.0
    for i in range(before.shape[0]):
        for k in range(2):
            j = outer if k else 0
            first, last = fabs(before[i, j]), fabs(after[i, j])
            if last < first and isfinite(first):
                largest = _larger(largest, first, max(last, scale))
    return largest


cdef inline double _larger(double largest, double first, double last) noexcept nogil:
    cdef double factor = first / last if last > 0.0 else 0.0
    return factor if isfinite(factor) and factor > largest else largest
