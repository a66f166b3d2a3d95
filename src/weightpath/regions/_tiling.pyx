"""The plane tiled by regions, natively; see the headers in this folder for how.

Inside this module the plane is the unit square. Every number of a problem has three coefficients:
its value in the corner (0, 0) and its changes towards (1, 0) and (0, 1).
"""

from libc.stdint cimport int8_t, int32_t, int64_t

from weightpath import tolerances as _tolerances

cdef extern from "tiling.h" nogil:
    ctypedef struct wp_step:
        int32_t low, high

    ctypedef struct wp_system:
        const double* K
        Py_ssize_t stride, size
        int bordered
        double lift, largest

    ctypedef struct wp_walk:
        Py_ssize_t n, n_all, n_knots
        const double* knots
        const double* levels
        const double* target
        const double* kappa
        const double* total
        const int8_t* idle
        double largest_target
        int has_bias
        wp_system system
        int32_t low, high

    ctypedef struct wp_pivot_rules:
        double pivot, roundings, least_diagonal, null_noise

    ctypedef struct wp_tiling:
        wp_walk* walk
        wp_pivot_rules rules
        Py_ssize_t n_regions, n_vertices, n_lost
        int32_t* parent
        wp_step* step
        int64_t* offset
        double* x
        double* y
        int32_t* edge
        double area, tiny, wrong
        int32_t here
        bint is_borrowed

    int wp_walk_allocate(wp_walk* walk)
    void wp_walk_free(wp_walk* walk)
    void wp_tiling_free(wp_tiling* tiling)
    int wp_tiling_begin(wp_tiling* tiling, const int8_t* position, double x, double y)
    int wp_tiling_advance(wp_tiling* tiling, Py_ssize_t crossings, Py_ssize_t most_regions)
    int wp_walk_begin(wp_walk* walk, const int8_t* position)
    int wp_tiling_values(wp_tiling* tiling, Py_ssize_t first, Py_ssize_t last, double* out)


cdef class Tiling:
    """A problem in two parameters, and the regions found so far.

    Parameters
    ----------
    K : ndarray of n * n_all numbers
        Kernel values of the n rows with all rows, and with further points behind them, by rows.
    target : ndarray of 3 * n_all numbers
        The three coefficients of the targets, one after the other; of points zero.
    knots, levels : ndarray of n * m * 3 and of n * (m + 1) * 3 numbers
    kappa : ndarray of shape (n,)
        See :func:`weightpath.problems.scales.reach_of`.
    idle : ndarray of int8, shape (n,)
        Rows whose knots coincide everywhere.
    total : ndarray of shape (3,)
    has_bias : bool
    """

    cdef wp_walk walk
    cdef wp_tiling tiling
    # What the pointers of the walk point to.
    cdef object kept
    # Of regions that were found before.
    cdef object tree

    def __cinit__(self, const double[::1] K, const double[::1] target, const double[::1] knots,
                  const double[::1] levels, const double[::1] kappa, const int8_t[::1] idle,
                  const double[::1] total, bint has_bias):
        cdef wp_walk* w = &self.walk
        cdef Py_ssize_t i, n = kappa.shape[0], n_all = K.shape[0] // kappa.shape[0]
        cdef double own
        self.kept = (K, target, knots, levels, kappa, idle)
        self.tiling.walk = w
        w.n, w.n_all, w.n_knots = n, n_all, knots.shape[0] // (3 * n)
        w.knots, w.levels, w.kappa = &knots[0], &levels[0], &kappa[0]
        w.target, w.idle, w.has_bias = &target[0], &idle[0], has_bias
        w.total = &total[0]
        self.kept = (*self.kept, total)
        w.system.K, w.system.stride, w.system.bordered = &K[0], n_all, has_bias
        for i in range(n):
            own = K[i * n_all + i]
            w.system.largest = max(w.system.largest, own)
            w.system.lift += own / n if has_bias else 0.0
            own = abs(target[i]) + abs(target[n_all + i]) + abs(target[2 * n_all + i])
            w.largest_target = max(w.largest_target, own)
        if has_bias and w.system.lift <= 0.0:
            w.system.lift = 1.0
        if wp_walk_allocate(w) < 0:
            raise MemoryError
        self.tiling.rules.pivot = _tolerances.PIVOT
        self.tiling.rules.roundings = _tolerances.PIVOT_ROUNDINGS
        self.tiling.rules.least_diagonal = _tolerances.SMALLEST_DIAGONAL
        self.tiling.rules.null_noise = _tolerances.NULL_NOISE
        self.tiling.tiny = _tolerances.SHORT_EDGE
        self.tiling.wrong = _tolerances.BESIDE_EDGE

    def __dealloc__(self):
        wp_walk_free(&self.walk)
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
        return _checked(code)

    def advance(self, Py_ssize_t crossings, Py_ssize_t most_regions):
        """Cross at most so many edges; whether there are more."""
        cdef int code
        with nogil:
            code = wp_tiling_advance(&self.tiling, crossings, most_regions)
        return _checked(code)

    def contents(self):
        """Return the bytes of parents, steps, offsets of polygons, vertices and edges.

        In the order of the fields of :class:`weightpath.regions.labels.Tiles`; the abscissas of all
        vertices come before their ordinates.
        """
        cdef wp_tiling* t = &self.tiling
        return (
            (<char*> t.parent)[:t.n_regions * sizeof(int32_t)],
            (<char*> t.step)[:t.n_regions * sizeof(wp_step)],
            (<char*> t.offset)[:(t.n_regions + 1) * sizeof(int64_t)],
            (<char*> t.x)[:t.n_vertices * sizeof(double)]
            + (<char*> t.y)[:t.n_vertices * sizeof(double)],
            (<char*> t.edge)[:t.n_vertices * sizeof(int32_t)],
        )

    def return_to(self, const int8_t[::1] position, const int8_t[::1] parent,
                  const int8_t[::1] step):
        """Stand in the first of regions that were found before; of parents and steps the bytes."""
        cdef const wp_step* first = <const wp_step*> &step[0]
        _checked(wp_walk_begin(&self.walk, &position[0]))
        self.tree = parent, step
        self.tiling.parent, self.tiling.step = <int32_t*> &parent[0], <wp_step*> &step[0]
        self.tiling.is_borrowed = True
        self.walk.low, self.walk.high = first.low, first.high
        self.tiling.here = 0

    def values(self, Py_ssize_t first, Py_ssize_t last, double[::1] out):
        """Write the decision values of the points in regions ``first`` to ``last - 1``.

        Shape (last - first, 3, n_points). Regions are visited in the order of their numbers, after
        :meth:`return_to`.
        """
        cdef int code
        with nogil:
            code = wp_tiling_values(&self.tiling, first, last, &out[0])
        _checked(code)


cdef bint _checked(int code) except? True:
    if code < 0:
        raise MemoryError
    return code > 0
