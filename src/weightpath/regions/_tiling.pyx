# cython: auto_pickle=False
"""The plane tiled by regions, natively; see the headers in this folder for how.

Inside this module the plane is the unit square. Every number of a problem has three coefficients:
its value in the corner (0, 0) and its changes towards (1, 0) and (0, 1).
"""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from weightpath import tolerances as _tolerances

cdef extern from "tiling.h" nogil:
    ctypedef struct wp_step:
        int32_t low, high

    ctypedef struct wp_system:
        const double* K
        Py_ssize_t stride, size
        int bordered
        double lift, largest

    ctypedef struct wp_halfplane:
        pass

    ctypedef struct wp_walk:
        Py_ssize_t n, n_all, n_knots
        const double* knots
        const double* levels
        const double* target
        const double* kappa
        const int8_t* idle
        double* total
        double largest_target
        int has_bias
        wp_system system
        int8_t* position
        double* fixed
        double* rest
        double* residual
        double* beta
        void* exact_beta
        int32_t low, high
        wp_halfplane* plane
        double* distance

    ctypedef struct wp_pivot_rules:
        double pivot, roundings, least_diagonal, null_noise

    ctypedef struct wp_tiling:
        wp_walk* walk
        wp_pivot_rules rules
        Py_ssize_t n_regions, n_vertices, n_pending, n_lost
        int32_t* parent
        wp_step* step
        int64_t* offset
        double* x
        double* y
        int32_t* edge
        double area, tiny, wrong
        int32_t here

    void wp_system_free(wp_system* system)
    void wp_tiling_free(wp_tiling* tiling)
    int wp_tiling_begin(wp_tiling* tiling, const int8_t* position, double x, double y)
    int wp_tiling_advance(wp_tiling* tiling, Py_ssize_t crossings, Py_ssize_t most_regions)
    int wp_walk_begin(wp_walk* walk, const int8_t* position)
    int wp_walk_step(wp_walk* walk, const wp_step* step, int back, int32_t low, int32_t high)
    int wp_walk_solve(wp_walk* walk, Py_ssize_t first, Py_ssize_t last)

# A step in the memory of the headers.
STEP = np.dtype({
    "names": ["row", "from", "to", "second_row", "second_from", "second_to", "low", "high"],
    "formats": ["i4", "i1", "i1", "i4", "i1", "i1", "i4", "i4"],
    "offsets": [0, 4, 5, 8, 12, 13, 16, 20],
    "itemsize": sizeof(wp_step),
})


cdef class Tiling:
    """A problem in two parameters, and the regions found so far.

    Parameters
    ----------
    K : ndarray of shape (n, n_all)
        Kernel values of the n rows with all rows, and with further points behind them.
    target : ndarray of shape (3, n_all)
        Targets; of points zero.
    knots, levels : ndarray of shape (n, m, 3) and (n, m + 1, 3)
    kappa : ndarray of shape (n,)
        See :func:`weightpath.problems.scales.reach_of`.
    idle : ndarray of int8, shape (n,)
        Rows whose knots coincide everywhere.
    total : ndarray of shape (3,)
    has_bias : bool
    """

    cdef wp_walk walk
    cdef wp_tiling tiling
    cdef object kept
    cdef object steps, parents

    def __cinit__(self, const double[:, ::1] K, const double[:, ::1] target,
                  const double[:, :, ::1] knots, const double[:, :, ::1] levels,
                  const double[::1] kappa, const int8_t[::1] idle, const double[::1] total,
                  bint has_bias):
        cdef wp_walk* w = &self.walk
        cdef Py_ssize_t i, n = K.shape[0], n_all = K.shape[1]
        self.kept = (K, target, knots, levels, kappa, idle)
        self.tiling.walk = w
        w.n, w.n_all, w.n_knots = n, n_all, knots.shape[1]
        w.knots, w.levels, w.kappa = &knots[0, 0, 0], &levels[0, 0, 0], &kappa[0]
        w.target, w.idle, w.has_bias = &target[0, 0], &idle[0], has_bias
        memcpy(w.total, &total[0], 3 * sizeof(double))
        w.system.K, w.system.stride, w.system.bordered = &K[0, 0], n_all, has_bias
        for i in range(n):
            w.system.largest = max(w.system.largest, K[i, i])
            w.system.lift += K[i, i] / n if has_bias else 0.0
            w.largest_target = max(w.largest_target, abs(target[0, i]) + abs(target[1, i])
                                   + abs(target[2, i]))
        if has_bias and w.system.lift <= 0.0:
            w.system.lift = 1.0
        w.position = <int8_t*> malloc(n)
        w.fixed = <double*> malloc(3 * n_all * sizeof(double))
        w.rest = <double*> malloc(3 * n_all * sizeof(double))
        w.residual = <double*> malloc(3 * n_all * sizeof(double))
        w.plane = <wp_halfplane*> malloc((2 * n + 1) * sizeof(wp_halfplane))
        w.distance = <double*> malloc((2 * n + 1) * sizeof(double))
        if not (w.position and w.fixed and w.rest and w.residual and w.plane and w.distance):
            raise MemoryError
        self.tiling.rules.pivot = _tolerances.PIVOT
        self.tiling.rules.roundings = _tolerances.PIVOT_ROUNDINGS
        self.tiling.rules.least_diagonal = _tolerances.SMALLEST_DIAGONAL
        self.tiling.rules.null_noise = _tolerances.NULL_NOISE
        self.tiling.tiny = _tolerances.SHORT_EDGE
        self.tiling.wrong = _tolerances.BESIDE_EDGE

    def __dealloc__(self):
        free(self.walk.position)
        free(self.walk.fixed)
        free(self.walk.rest)
        free(self.walk.residual)
        free(self.walk.plane)
        free(self.walk.distance)
        free(self.walk.beta)
        free(self.walk.exact_beta)
        wp_system_free(&self.walk.system)
        wp_tiling_free(&self.tiling)

    @property
    def n_regions(self):
        return self.tiling.n_regions

    @property
    def n_lost(self):
        return self.tiling.n_lost

    @property
    def area(self):
        return self.tiling.area

    def begin(self, const int8_t[::1] position, double x, double y):
        """Begin at a point, with the positions of its solution; whether they have a region."""
        cdef int code
        with nogil:
            code = wp_tiling_begin(&self.tiling, &position[0], x, y)
        if code < 0:
            raise MemoryError
        return code > 0

    def advance(self, Py_ssize_t crossings, Py_ssize_t most_regions):
        """Cross at most so many edges; whether there are more."""
        cdef int code
        with nogil:
            code = wp_tiling_advance(&self.tiling, crossings, most_regions)
        if code < 0:
            raise MemoryError
        return code > 0

    def arrays(self):
        """Return parents, steps, offsets of polygons, their vertices and the half-planes of edges.
        """
        cdef wp_tiling* t = &self.tiling
        cdef Py_ssize_t k, n = t.n_regions, v = t.n_vertices
        cdef int32_t[::1] parent = np.empty(n, dtype=np.int32)
        cdef int32_t[::1] edge = np.empty(v, dtype=np.int32)
        cdef int64_t[::1] offset = np.empty(n + 1, dtype=np.int64)
        cdef double[:, ::1] vertex = np.empty((v, 2))
        cdef int8_t[::1] step = np.empty(n * sizeof(wp_step), dtype=np.int8)
        if n == 0:
            raise ValueError("There are no regions.")
        memcpy(&parent[0], t.parent, n * sizeof(int32_t))
        memcpy(&edge[0], t.edge, v * sizeof(int32_t))
        memcpy(&offset[0], t.offset, (n + 1) * sizeof(int64_t))
        memcpy(&step[0], t.step, n * sizeof(wp_step))
        for k in range(v):
            vertex[k, 0], vertex[k, 1] = t.x[k], t.y[k]
        return (np.asarray(parent), np.asarray(step).view(STEP), np.asarray(offset),
                np.asarray(vertex), np.asarray(edge))

    def return_to(self, const int8_t[::1] position, parent, step):
        """Stand in the first of regions that were found before; these are their arrays."""
        cdef const int8_t[::1] steps = step.view(np.int8)
        cdef const wp_step* first = <const wp_step*> &steps[0]
        if wp_walk_begin(&self.walk, &position[0]) < 0:
            raise MemoryError
        self.parents, self.steps = parent, step.view(np.int8)
        self.walk.low, self.walk.high = first.low, first.high
        self.tiling.here = 0

    def values(self, Py_ssize_t first, Py_ssize_t last):
        """Return the decision values of the points in regions ``first`` to ``last - 1``.

        Shape (last - first, 3, n_points). Regions are visited in the order of their numbers, after
        :meth:`return_to`.
        """
        cdef wp_walk* w = &self.walk
        cdef Py_ssize_t k, j, n = w.n, width = w.n_all - w.n
        cdef int c, code = 0
        cdef const int32_t[::1] parent = self.parents
        cdef const int8_t[::1] steps = self.steps
        cdef const wp_step* step = <const wp_step*> &steps[0]
        cdef double[:, :, ::1] out = np.empty((last - first, 3, width))
        with nogil:
            for k in range(first, last):
                while code == 0 and self.tiling.here != parent[k] and self.tiling.here != k:
                    j = parent[self.tiling.here]
                    code = wp_walk_step(w, step + self.tiling.here, 1, step[j].low, step[j].high)
                    self.tiling.here = <int32_t> j
                if code == 0 and self.tiling.here != k:
                    code = wp_walk_step(w, step + k, 0, step[k].low, step[k].high)
                    self.tiling.here = <int32_t> k
                if code < 0 or wp_walk_solve(w, n, w.n_all) < 0:
                    code = -1
                    break
                for c in range(3):
                    for j in range(width):
                        out[k - first, c, j] = -w.residual[c * w.n_all + n + j]
        if code < 0:
            raise MemoryError
        return np.asarray(out)
