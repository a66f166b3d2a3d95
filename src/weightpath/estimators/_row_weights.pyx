"""Passes over the weights of instances: one each, where NumPy would take several."""

import numpy as np

from libc.math cimport isfinite


def first_wrong(const double[::1] weight):
    """Return the first index that is not finite and the first that is negative; -1 for none."""
    cdef Py_ssize_t i, infinite = -1, negative = -1
    for i in range(weight.shape[0]):
        if infinite < 0 and not isfinite(weight[i]):
            infinite = i
        if negative < 0 and weight[i] < 0.0:
            negative = i
    return infinite, negative


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
