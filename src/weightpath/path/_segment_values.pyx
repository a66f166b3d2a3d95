"""Decision values on consecutive segments, each from the one before."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from weightpath.problems._position cimport is_at_knot, knot_of


cdef void _add(Py_ssize_t n, double factor, const double* x, double* y) noexcept nogil:
    cdef Py_ssize_t j
    for j in range(n):
        y[j] += factor * x[j]


cdef void _add_row(const double[:, ::1] K, Py_ssize_t first, Py_ssize_t second, double factor,
                   double* y) noexcept nogil:
    _add(K.shape[1], factor, &K[first, 0], y)
    if second >= 0:
        _add(K.shape[1], -factor, &K[second, 0], y)


def sweep_segments(const double[:, ::1] K, const Py_ssize_t[::1] first_of,
                   const Py_ssize_t[::1] second_of, const double[:, ::1] knot0,
                   const double[:, ::1] knot1, record, Py_ssize_t first, Py_ssize_t last,
                   double[::1] current, double[::1] drift, double[:, ::1] value,
                   double[:, ::1] slope):
    """Fill in values at the left ends of segments, and slopes.

    Parameters
    ----------
    K : ndarray of shape (n_used, n_points)
        Kernel values of training rows with the points.
    first_of, second_of : ndarray of shape (n,)
        Where in ``K`` a row of the problem is; for a pair, both its documents, else -1.
    knot0, knot1 : ndarray of shape (n, m)
        Knots at both ends of the path.
    record : Record
        The path.
    first, last : int
        The segments from ``first`` to ``last - 1``.
    current, drift : ndarray of shape (n_points,)
        Values without bias at the left end of the first segment, and how fast they change by the
        rows at knots there. Changed: those of segment ``last``, if there is one.
    value, slope : ndarray of shape (last - first, n_points)
        Filled in, with the bias.
    """
    cdef const double[::1] theta = record.theta, bias = record.bias, bias_slope = record.bias_slope
    cdef const int64_t[::1] offset = record.offset, member = record.member
    cdef const int64_t[::1] event_count = record.event_count, event_index = record.event_index
    cdef const int64_t[::1] event_from = record.event_from, event_to = record.event_to
    cdef const double[::1] entry_slope = record.slope
    cdef Py_ssize_t s, e, i, n = K.shape[1], n_segments = bias.shape[0]
    cdef double length, b
    cdef double* v
    cdef double* d
    with nogil:
        for s in range(first, last):
            v = &value[s - first, 0]
            d = &slope[s - first, 0]
            memcpy(d, &drift[0], n * sizeof(double))
            for e in range(offset[s], offset[s + 1]):
                i = member[e]
                _add_row(K, first_of[i], second_of[i], entry_slope[e], d)
            length = theta[s + 1] - theta[s]
            b = bias[s]
            for i in range(n):
                v[i] = current[i] + b
                current[i] += length * d[i]
                d[i] += bias_slope[s]
            if s + 1 == n_segments:
                break
            for e in range(event_count[s], event_count[s + 1]):
                i = event_index[e]
                if is_at_knot(event_from[e]):
                    b = knot1[i, knot_of(event_from[e])] - knot0[i, knot_of(event_from[e])]
                    if b != 0.0:
                        _add_row(K, first_of[i], second_of[i], -b, &drift[0])
                if is_at_knot(event_to[e]):
                    b = knot1[i, knot_of(event_to[e])] - knot0[i, knot_of(event_to[e])]
                    if b != 0.0:
                        _add_row(K, first_of[i], second_of[i], b, &drift[0])
