# Passes over rows in plain C, where the compiler vectorises them: see sweep.h.

cdef extern from "sweep.h" nogil:
    double FAR "WP_FAR"
    Py_ssize_t BLOCK "WP_BLOCK"
    double wp_sweep_still(Py_ssize_t n, double step, double db, Py_ssize_t m,
                          const double** col, const double* coef, const double* g,
                          const double* lo, const double* up, double* r, double* dr,
                          double tol, double noise, double limit, double* first)
    double wp_sweep_moving(Py_ssize_t n, double step, double db, Py_ssize_t m,
                           const double** col, const double* coef, const double* g,
                           double* lo, double* up, const double* dlo, const double* dup,
                           double* r, double* dr, double tol, double noise, double* first)
    Py_ssize_t wp_choose(Py_ssize_t n, const double* lo, const double* up, const double* dlo,
                         const double* dup, const double* r, const double* dr, double bound,
                         double noise, const double* first, int* side, double* ratio,
                         double* speed)
    double wp_meet(Py_ssize_t n, const double* lo, const double* up, const double* dlo,
                   const double* dup, const double* r, const double* dr, double tol, double noise,
                   double* first)
    void wp_catch_up(Py_ssize_t n, double lag, double shift, Py_ssize_t m, const double** col,
                     const double* move, const double* coef, double db, const double* g,
                     double* r, double* dr)
    void wp_settle(Py_ssize_t n, double lag, Py_ssize_t m, const double** col, const double* move,
                   const double* speed, double* g, double* r)
    void wp_subtract(Py_ssize_t n, Py_ssize_t m, const double** col, const double* coef, double* r)
    void wp_subtract_rows(Py_ssize_t m, Py_ssize_t count, Py_ssize_t width, const double* a,
                          const double* rows, double* last)
    void wp_subtract_products(Py_ssize_t m, Py_ssize_t width, const double* a, const double* part,
                              double* rows)
    void wp_rotate_rows(Py_ssize_t at, Py_ssize_t m, Py_ssize_t count, Py_ssize_t width,
                        const double* cosine, const double* sine, double* rows)
    void wp_axpy(Py_ssize_t n, double a, const double* x, double* y)
    void wp_advance(Py_ssize_t n, double step, Py_ssize_t m, const double** col,
                    const double* coef, const double* g, double* r, double* dr)
    double wp_dot(Py_ssize_t n, const double* x, const double* y, double* size)
    void wp_four_dots(Py_ssize_t n, const double** x, const double* y, double* dot, double* size)
    void wp_eight_rows(Py_ssize_t m, const double** col, const double* coef, Py_ssize_t start,
                       double* total, double* size)

cdef extern from "awake_rows.h" nogil:
    Py_ssize_t LANES "WP_LANES"
    void wp_pack_row(Py_ssize_t m, const Py_ssize_t* member, const Py_ssize_t* slot,
                     const double* row, const double* next, double* out)
    void wp_mark_wanted(Py_ssize_t n, double reach, double lift, double theta, const double* norm,
                        const double* r, const double* own, const double* lo, const double* up,
                        const double* dlo, const double* dup, unsigned char* wanted)
    double wp_near_sweep(Py_ssize_t count, const Py_ssize_t* near, const double* kernel,
                         Py_ssize_t width, Py_ssize_t m, const double* coef, double db, double step,
                         const double* g, double* lo, double* up, const double* dlo,
                         const double* dup, double* r, double* dr, double tol, double noise)
    Py_ssize_t wp_near_choose(Py_ssize_t count, const Py_ssize_t* near, const double* lo,
                              const double* up, const double* dlo, const double* dup,
                              const double* r, const double* dr, double bound, double noise,
                              int* side, double* ratio, double* speed)
    void wp_look_at_all(Py_ssize_t count, const Py_ssize_t* near_at, const double* kernel,
                        Py_ssize_t width, Py_ssize_t m, const double* move, const double* coef,
                        double lag, double shift, double db, const double* g, double* lo,
                        double* up, const double* dlo, const double* dup, double* r, double* dr)
