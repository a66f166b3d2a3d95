"""Passes over the weights and solutions of instances: one each, where NumPy would take several."""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

cdef extern from "changed_entries.h" nogil:
    Py_ssize_t changed_entries_of(Py_ssize_t, const double*, const double*, const double*,
                                  Py_ssize_t*, double*, int*)

# A sum of as many numbers below this as there can be is finite.
cdef double ORDINARY = 1e250

cdef enum:
    # So many classes are few.
    FEW = 16


def first_wrong(const double[::1] weight):
    """Return the first index that is not finite and the first that is negative; -1 for none."""
    cdef Py_ssize_t i, infinite = -1, negative = -1
    for i in range(weight.shape[0]):
        if infinite < 0 and not isfinite(weight[i]):
            infinite = i
        if negative < 0 and weight[i] < 0.0:
            negative = i
    return infinite, negative


def are_all_positive(const double[:] weight):
    """Return whether all weights are positive and finite."""
    cdef Py_ssize_t i
    for i in range(weight.shape[0]):
        if not 0.0 < weight[i] < INFINITY:
            return False
    return True


def changed_weights(const double[:] now, const Py_ssize_t[:] row, const double[:] change,
                    double rounding):
    """Return weights of some rows after a change of each, and whether one of them is negative.

    What is left of a weight is nothing where it is at most this part of it.
    """
    cdef Py_ssize_t k
    cdef bint is_negative = False
    result = np.empty(row.shape[0])
    cdef double[::1] after = result
    cdef double value
    for k in range(row.shape[0]):
        value = now[row[k]] + change[k]
        if fabs(value) <= rounding * now[row[k]]:
            value = 0.0
        after[k] = value
        is_negative |= value < 0.0
    return result, is_negative


def changed_entries(const double[:, ::1] given, const double[::1] factor,
                    const double[::1] now):
    """Return where numbers, times a factor of their column, differ from what they are now.

    Parameters
    ----------
    given : array of shape (k, n)
        Numbers, a row for each path.
    factor, now : arrays of shape (n,)
        What each column is multiplied by, and compared with.

    Returns
    -------
    offset : ndarray of int of shape (k + 1,)
        The entries of row ``k`` are those from ``offset[k]`` to before ``offset[k + 1]``.
    column, product : ndarrays of shape (n_entries,)
        Where they are, and the products there.
    are_finite, is_negative : bool
        Of the numbers that were given: whether all are finite, and whether any is negative.
    """
    cdef Py_ssize_t k, count = 0, room = 0, n = given.shape[1]
    cdef Py_ssize_t* index = NULL
    cdef double* value = NULL
    cdef Py_ssize_t* longer_index
    cdef double* longer_value
    cdef int wrong = 0
    begins = np.zeros(given.shape[0] + 1, dtype=np.intp)
    cdef Py_ssize_t[::1] column, offset = begins
    cdef double[::1] product
    try:
        for k in range(given.shape[0] if n else 0):
            if room < count + n:
                room = 2 * (count + n)
                longer_index = <Py_ssize_t*> realloc(index, room * sizeof(Py_ssize_t))
                index = longer_index if longer_index != NULL else index
                longer_value = <double*> realloc(value, room * sizeof(double))
                value = longer_value if longer_value != NULL else value
                if longer_index == NULL or longer_value == NULL:
                    raise MemoryError("Not enough memory for the changes of all paths.")
            count += changed_entries_of(n, &given[k, 0], &factor[0], &now[0], index + count,
                                        value + count, &wrong)
            offset[k + 1] = count
        columns, products = np.empty(count, dtype=np.intp), np.empty(count)
        if count:
            column, product = columns, products
            memcpy(&column[0], index, count * sizeof(Py_ssize_t))
            memcpy(&product[0], value, count * sizeof(double))
    finally:
        free(index)
        free(value)
    return begins, columns, products, not wrong & 1, (wrong & 2) != 0


def class_products(double C, const double[:] factor, label, const double[:] weight):
    """Return ``C * factor[label] * weight``; a product that overflows is infinite."""
    cdef const Py_ssize_t[:] own = np.asarray(label, dtype=np.intp)
    cdef Py_ssize_t i
    result = np.empty(own.shape[0])
    cdef double[::1] product = result
    for i in range(own.shape[0]):
        product[i] = C * factor[own[i]] * weight[i]
    return result


def class_totals(label, const double[:] weight, Py_ssize_t n_classes):
    """Return the sum of the weights of each class; not finite if a weight is not."""
    cdef const Py_ssize_t[:] own = np.asarray(label, dtype=np.intp)
    cdef Py_ssize_t i
    result = np.zeros(n_classes)
    cdef double[::1] total = result
    for i in range(own.shape[0]):
        total[own[i]] += weight[i]
    return result


def are_all_weighted(label, const double[:] weight, Py_ssize_t n_classes):
    """Return whether the weights of every class have a sum that is positive and finite."""
    cdef const Py_ssize_t[:] own = np.asarray(label, dtype=np.intp)
    cdef Py_ssize_t k, n_seen = 0
    cdef bint plain = n_classes <= FEW
    cdef unsigned char[FEW] seen
    if plain:
        # Weights of ordinary size have such a sum where one of them is positive.
        for k in range(n_classes):
            seen[k] = False
        for k in range(own.shape[0]):
            plain &= 0.0 <= weight[k] < ORDINARY
            seen[own[k]] |= weight[k] > 0.0
        for k in range(n_classes):
            n_seen += seen[k]
        if plain:
            return n_seen == n_classes
    cdef const double[::1] total = class_totals(label, weight, n_classes)
    for k in range(n_classes):
        if not (total[k] > 0.0 and isfinite(total[k])):
            return False
    return True


def signs_of(label, const Py_ssize_t[:] rows, Py_ssize_t positive):
    """Return 1 for those of some rows that have this label, and -1 for the others."""
    cdef const Py_ssize_t[:] own = np.asarray(label, dtype=np.intp)
    cdef Py_ssize_t k
    result = np.empty(rows.shape[0])
    cdef double[::1] sign = result
    for k in range(rows.shape[0]):
        sign[k] = 1.0 if own[rows[k]] == positive else -1.0
    return result


def with_new_rows(const double[::1] beta, const int[::1] position, const double[::1] residual,
                  const double[::1] target, const double[::1] value, double bias, int first,
                  int last):
    """Return coefficients, positions and residuals with those of new rows of zero weight.

    ``target`` are the targets of all rows, ``value`` the sums of kernels at the new ones. Both
    knots of a new row are at zero: its residual says whether it stands at position ``first`` or at
    ``last``.
    """
    cdef Py_ssize_t k, n = beta.shape[0], n_all = target.shape[0]
    values, residuals = np.empty(n_all), np.empty(n_all)
    places = np.empty(n_all, dtype=np.int32)
    cdef double[::1] coefficient = values
    cdef double[::1] left = residuals
    cdef int[::1] place = places
    for k in range(n):
        coefficient[k], place[k], left[k] = beta[k], position[k], residual[k]
    for k in range(n, n_all):
        coefficient[k], left[k] = 0.0, target[k] - value[k - n] - bias
        place[k] = last if left[k] > 0.0 else first
    return values, places, residuals


def renumbered(const Py_ssize_t[::1] rows, Py_ssize_t n_gone):
    """Return numbers of rows after the first ``n_gone`` of all went.

    ``None`` where one of the rows is among these.
    """
    cdef Py_ssize_t k
    result = np.empty(rows.shape[0], dtype=np.intp)
    cdef Py_ssize_t[::1] number = result
    for k in range(rows.shape[0]):
        if rows[k] < n_gone:
            return None
        number[k] = rows[k] - n_gone
    return result


def slid_hinges(const Py_ssize_t[::1] label, const Py_ssize_t[::1] arriving,
                const double[::1] margin, const double[::1] before, const double[::1] after,
                double C, const double[::1] factor, Py_ssize_t drop):
    """Return everything that hinges of two classes need where a window slides, in one pass.

    Parameters
    ----------
    label, margin, before : arrays of shape (n,)
        Labels, margins and weights, C included, of the rows that are there.
    arriving : ndarray of shape (k,)
        The labels of those that come behind them, with margins of one and no weight yet.
    after : ndarray of shape (n - drop + k,)
        The sample weights of all but the first ``drop`` rows at the end, where these have none.
    C, factor
        What the weights of each class are multiplied by.

    Returns
    -------
    labels : ndarray of shape (n + k,)
    rows : ndarray of shape (5, n + k)
        Signs, margins, targets, and the weights at the start and at the end.
    knots : ndarray of shape (2, n + k, 2)
        The knots at the start and at the end.
    scales : tuple of float
        The largest target, and the largest knot at the start and at the end.
    plain : bool
        Whether all weights are of ordinary size, and both classes have some at the end.
    """
    cdef Py_ssize_t i, n = label.shape[0], n_all = n + arriving.shape[0]
    cdef double sign, weight, largest = 0.0, first = 0.0, last = 0.0
    cdef bint plain = True
    cdef bint[2] seen = [False, False]
    labels, rows = np.empty(n_all, dtype=np.intp), np.empty((5, n_all))
    bounds = np.empty((2, 2 * n_all))
    cdef Py_ssize_t[::1] own = labels
    cdef double[:, ::1] row = rows
    cdef double[:, ::1] knots = bounds
    for i in range(n_all):
        own[i] = label[i] if i < n else arriving[i - n]
        sign = 1.0 if own[i] == 1 else -1.0
        row[0, i], row[1, i] = sign, margin[i] if i < n else 1.0
        row[2, i] = sign * row[1, i]
        largest = max(largest, fabs(row[2, i]))
        row[3, i] = weight = before[i] if i < n else 0.0
        plain &= _lay(weight, sign, &knots[0, 2 * i], &first)
        row[4, i] = weight = C * factor[own[i]] * after[i - drop] if i >= drop else 0.0
        plain &= _lay(weight, sign, &knots[1, 2 * i], &last)
        seen[own[i]] |= weight > 0.0
    bounds = bounds.reshape(2, n_all, 2)
    return labels, rows, bounds, (largest, first, last), plain and seen[0] and seen[1]


cdef bint _lay(double weight, double sign, double* knot, double* largest) noexcept:
    # The two knots of a hinge; whether its weight is of ordinary size.
    cdef double bound = sign * weight
    knot[0] = bound if bound < 0.0 else 0.0
    knot[1] = bound if bound > 0.0 else 0.0
    largest[0] = max(largest[0], weight)
    return 0.0 <= weight < ORDINARY
