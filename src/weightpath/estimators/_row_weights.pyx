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


def class_products(double C, const double[::1] factor, const Py_ssize_t[::1] label,
                   const double[::1] weight):
    """Return ``C * factor[label] * weight``; a product that overflows is infinite."""
    cdef Py_ssize_t i
    result = np.empty(label.shape[0])
    cdef double[::1] product = result
    for i in range(label.shape[0]):
        product[i] = C * factor[label[i]] * weight[i]
    return result


def class_totals(const Py_ssize_t[::1] label, const double[::1] weight, Py_ssize_t n_classes):
    """Return the sum of the weights of each class; not finite if a weight is not."""
    cdef Py_ssize_t i
    result = np.zeros(n_classes)
    cdef double[::1] total = result
    for i in range(label.shape[0]):
        total[label[i]] += weight[i]
    return result
