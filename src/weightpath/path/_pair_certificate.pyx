"""The optimality conditions of preference pairs, all of them, from the values of documents."""

import numpy as np

from weightpath.problems._position cimport at_knot


def largest_violation(const int[::1] upper, const int[::1] lower,
                      const Py_ssize_t[::1] upper_start, const Py_ssize_t[::1] lower_start,
                      const signed char[::1] position, const double[::1] weight,
                      const double[::1] value, double target):
    """Return the largest distance of a residual from where its pair's position allows it.

    Knot 0 (coefficient zero) allows ``r <= 0``, knot 1 (coefficient at its weight) ``r >= 0``, the
    interval between them only ``r = 0``; a pair of weight zero may be anywhere. NaN if a value is.

    Parameters
    ----------
    upper, lower, upper_start, lower_start : ndarray
        The tables of :class:`weightpath.problems.PreferencePairs`.
    position, weight : ndarray of shape (n_pairs,)
    value : ndarray of shape (n_documents,)
        Decision values.
    target : float
        The margin asked of each pair.
    """
    cdef Py_ssize_t k, a, b, n_lower, pair = 0, n_tables = upper_start.shape[0] - 1
    cdef const int* low
    cdef double r, top, worst = 0.0
    cdef signed char at
    cdef Py_ssize_t longest = int(np.diff(np.asarray(lower_start)).max(initial=0))
    cdef double[::1] below = np.empty(longest + 1)
    if not np.isfinite(np.asarray(value)).all():
        return float("nan")
    with nogil:
        for k in range(n_tables):
            low = &lower[lower_start[k]] if lower_start[k + 1] > lower_start[k] else NULL
            n_lower = lower_start[k + 1] - lower_start[k]
            for b in range(n_lower):
                below[b] = value[low[b]]
            for a in range(upper_start[k], upper_start[k + 1]):
                top = target - value[upper[a]]
                for b in range(n_lower):
                    at = position[pair]
                    r = top + below[b]
                    if at == at_knot(0):
                        r = r if r > 0.0 else 0.0
                    elif at == at_knot(1):
                        r = -r if r < 0.0 else 0.0
                    elif r < 0.0:
                        r = -r
                    if r > worst and weight[pair] > 0.0:
                        worst = r
                    pair += 1
    return worst
