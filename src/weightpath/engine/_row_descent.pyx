"""Coordinate descent for staircase problems with a linear kernel, in the space of the features.

With the normal ``w = X' beta`` the residual of a row costs one product with the row, so one row
after the other is put on its staircase [1], in random order. The sum of the coefficients is not
kept meanwhile: the bias rises by a multiple of what they exceed their total by, in every step and
once more after every epoch, so that the sum is right at the end (the method of multipliers). The
result is approximate: :func:`weightpath.engine.solve` makes it exact.

References
----------
.. [1] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, A dual coordinate
   descent method for large-scale linear SVM, ICML 2008.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, uint64_t
from scipy.sparse import issparse

from weightpath.engine._random cimport next_random
from weightpath.engine._results cimport CAP, END, INTERRUPTED
from weightpath.kernels._feature_rows cimport FeatureRows, feature_add, feature_dot

# Entries of rows read between two looks at whether the user interrupts: a few milliseconds.
cdef Py_ssize_t PAUSE_AFTER = 1 << 22


cdef class RowDescent:
    """Coefficients on their way to an approximate solution.

    Parameters
    ----------
    X : FeatureRows, ndarray or CSR matrix of shape (n, p)
        The rows, whose inner products are the kernel matrix.
    stair : Staircase
        The problem, with a bias.
    beta : ndarray of shape (n,)
        Coefficients within their bounds.
    bias : float
        The bias to start from.
    ridge : float
        Added to the diagonal of the kernel matrix.

    Attributes
    ----------
    n_epochs : int
        Epochs (visits of all rows that take part) so far.
    gap : float
        The largest violation found in the last epoch.
    bias : float
        The bias now.
    """

    def __init__(self, X, stair, beta, double bias, double ridge=0.0):
        cdef Py_ssize_t i
        self.n_knots = stair.n_knots
        self.is_sparse = issparse(X)
        if self.is_sparse:
            self.n, self.n_features = X.shape
            # One more entry each, so that even an empty array has an address.
            self.entries = np.append(X.data, 0.0)
            self.feature = np.append(X.indices, 0).astype(np.int32)
            self.first = X.indptr.astype(np.int64)
            diagonal = np.asarray(X.multiply(X).sum(axis=1), dtype=float).reshape(-1)
        else:
            self.rows = X if isinstance(X, FeatureRows) else FeatureRows(X)
            self.n, self.n_features = self.rows.n, self.rows.p
            diagonal = self.rows.squares()
        self.target, self.knots, self.levels = stair.target, stair.knots, stair.levels
        self.total, self.bias, self.ridge = stair.total, bias, ridge
        self.beta, self.normal = np.array(beta, dtype=float), np.zeros(self.n_features)
        # The bias is worth as much as all features together.
        self.bias_rate = float(diagonal.mean()) or 1.0
        self.curvature = diagonal + (ridge + self.bias_rate)
        self.order = np.arange(self.n, dtype=np.int32)
        self.sum, self.gap, self.random = 0.0, INFINITY, 1
        for i in range(self.n):
            self.sum += self.beta[i]
            if self.beta[i] != 0.0:
                self.add_row(i, self.beta[i])

    def run(self, double tolerance, Py_ssize_t max_epochs, callback=None):
        """Go on until no violation exceeds the tolerance; return whether that was reached.

        Parameters
        ----------
        tolerance : float
            The largest violation of a residual that may be left.
        max_epochs : int
            The most epochs to take.
        callback : callable or None, default=None
            Called now and then as ``callback(n_epochs, gap)``; an exception that it raises is
            passed on.
        """
        cdef int code
        self.callback, self.error = callback, None
        with nogil:
            code = self.descend(tolerance, max_epochs)
        if code == INTERRUPTED:
            raise self.error
        return code == END

    @property
    def coefficients(self):
        """The coefficients now (a copy)."""
        return np.array(self.beta)

    cdef int descend(self, double tolerance, Py_ssize_t max_epochs) noexcept nogil:
        """Epochs over the rows that take part; over all of them again before the end."""
        cdef double aside = INFINITY, worst = INFINITY
        cdef Py_ssize_t last = self.n_epochs + max_epochs
        self.n_active = self.n
        while self.n_epochs < last:
            if self.sweep(aside, &worst) < 0:
                return INTERRUPTED
            self.n_epochs += 1
            worst = max(worst, self.bias_rate * fabs(self.sum - self.total))
            self.bias += self.bias_rate * (self.sum - self.total)
            self.gap = aside = worst
            if not worst <= tolerance:
                continue
            if self.n_active == self.n:
                return END
            self.n_active, aside = self.n, INFINITY
        return CAP

    cdef int sweep(self, double aside, double* worst) noexcept nogil:
        """Visit the rows that take part; those satisfied by more than ``aside`` do so no longer."""
        cdef Py_ssize_t k = 0, other
        cdef int32_t i
        cdef double value, move, residual, slack = 0.0
        worst[0] = 0.0
        while k < self.n_active:
            if self.work > PAUSE_AFTER and self.pause() < 0:
                return -1
            other = k + <Py_ssize_t> (next_random(&self.random) % <uint64_t> (self.n_active - k))
            i = self.order[other]
            self.order[other] = self.order[k]
            residual = self.target[i] - self.value(i) - self.ridge * self.beta[i] - self.bias
            value = self.visit(i, residual, &slack)
            worst[0] = max(worst[0], -slack)
            if slack > aside:
                # Its place goes to the last that takes part.
                self.n_active -= 1
                self.order[k] = self.order[self.n_active]
                self.order[self.n_active] = i
                continue
            self.order[k] = i
            k += 1
            move = value - self.beta[i]
            if move != 0.0:
                self.beta[i] = value
                self.sum += move
                self.bias += self.bias_rate * move
                self.add_row(i, move)
        return 0

    cdef double visit(self, Py_ssize_t i, double residual, double* slack) noexcept nogil:
        """Where the coefficient of row ``i`` goes, to be on its staircase.

        Out: how far its residual was inside the levels of its coefficient; negative if outside.
        """
        cdef Py_ssize_t low = 0, high
        cdef double value = self.beta[i], curvature = self.curvature[i], step
        while low < self.n_knots and self.knots[i, low] < value:
            low += 1
        high = low
        while high < self.n_knots and self.knots[i, high] == value:
            high += 1
        slack[0] = min(residual - self.levels[i, low], self.levels[i, high] - residual)
        # Up through intervals and over knots, as long as the residual is above the level ahead.
        while residual > self.levels[i, high]:
            step = (residual - self.levels[i, high]) / curvature
            if high == self.n_knots or value + step < self.knots[i, high]:
                return value + step
            residual -= curvature * (self.knots[i, high] - value)
            value = self.knots[i, high]
            high += 1
        while residual < self.levels[i, low]:
            step = (residual - self.levels[i, low]) / curvature
            if low == 0 or value + step > self.knots[i, low - 1]:
                return value + step
            low -= 1
            residual += curvature * (value - self.knots[i, low])
            value = self.knots[i, low]
        return value

    # The rows ------------------------------------------------------------------------------

    cdef double value(self, Py_ssize_t i) noexcept nogil:
        """``X[i] @ w``"""
        cdef Py_ssize_t e
        cdef double total = 0.0
        if self.is_sparse:
            self.work += self.first[i + 1] - self.first[i] + 1
            for e in range(self.first[i], self.first[i + 1]):
                total += self.entries[e] * self.normal[self.feature[e]]
            return total
        self.work += self.n_features
        return feature_dot(&self.rows.rows, i, &self.normal[0])

    cdef void add_row(self, Py_ssize_t i, double factor) noexcept nogil:
        """``w += factor * X[i]``"""
        cdef Py_ssize_t e
        if self.is_sparse:
            for e in range(self.first[i], self.first[i + 1]):
                self.normal[self.feature[e]] += factor * self.entries[e]
            return
        feature_add(&self.rows.rows, i, factor, &self.normal[0])

    cdef int pause(self) noexcept nogil:
        """Let the user interrupt, and report the progress to the callback."""
        self.work = 0
        with gil:
            try:
                PyErr_CheckSignals()
                if self.callback is not None:
                    self.callback(self.n_epochs, self.gap)
            except BaseException as error:
                self.error = error
                return -1
        return 0
