"""Coordinate descent on the pairs of one table, at the documents of the table."""

from libc.math cimport fabs
from libc.stdint cimport uint64_t

from weightpath.engine._random cimport next_random

# A pair of equal documents can be moved to a bound at once.
cdef double SMALLEST_CURVATURE = 1e-12


def sweep_table(const double[:, ::1] K, Py_ssize_t n_lower, const double[::1] weight,
                double[::1] coef, double[::1] score, double[::1] change, int[::1] order,
                Py_ssize_t n_left, double aside, double tol, Py_ssize_t most, uint64_t seed):
    """Sweep pairs in random order, each to the optimum inside its bounds.

    Parameters
    ----------
    K : ndarray of shape (m, m)
        Kernel matrix of the documents of the table, uppers first.
    n_lower : int
        How many of them are lowers.
    weight, coef : ndarray of shape (n_pairs,)
        Bounds and coefficients of the table's pairs; coefficients are changed.
    score, change : ndarray of shape (m,)
        Scores of the documents, and what the coefficients of documents change by; both changed.
    order : ndarray of shape (n_pairs,)
        The pairs, those that take part first; changed.
    n_left : int
        How many take part.
    aside : float
        A pair at a bound that holds by more than this is laid aside.
    tol : float
        Sweeps end when no pair could follow a gradient larger than this,
    most : int
        or after so many.
    seed : int
        Of the random order.

    Returns
    -------
    tuple of (int, float)
        Pairs that still take part, and the largest gradient met in the first sweep.
    """
    cdef Py_ssize_t sweep, k, other, p, i, j, d, m = K.shape[0], n_upper = m - n_lower
    cdef double gradient, curvature, moved, step, worst, first = 0.0
    cdef const double* one
    cdef const double* two
    cdef uint64_t state = seed
    with nogil:
        for sweep in range(most):
            worst = 0.0
            k = 0
            while k < n_left:
                other = k + <Py_ssize_t> (next_random(&state) % <uint64_t> (n_left - k))
                order[k], order[other] = order[other], order[k]
                p = order[k]
                i, j = p // n_lower, n_upper + p % n_lower
                gradient = 1.0 - (score[i] - score[j])
                if ((coef[p] == 0.0 and gradient < -aside)
                        or (coef[p] == weight[p] and gradient > aside)):
                    n_left -= 1
                    order[k], order[n_left] = order[n_left], order[k]
                    continue
                k += 1
                if ((gradient >= 0.0 and coef[p] == weight[p])
                        or (gradient <= 0.0 and coef[p] == 0.0)):
                    continue
                worst = max(worst, fabs(gradient))
                one = &K[i, 0]
                two = &K[j, 0]
                curvature = max(one[i] + two[j] - 2.0 * one[j], SMALLEST_CURVATURE)
                moved = min(max(coef[p] + gradient / curvature, 0.0), weight[p])
                step = moved - coef[p]
                if step == 0.0:
                    continue
                coef[p] = moved
                change[i] += step
                change[j] -= step
                for d in range(m):
                    score[d] += step * (one[d] - two[d])
            if sweep == 0:
                first = worst
            if worst <= max(0.1 * first, 0.5 * tol):
                break
    return n_left, first
