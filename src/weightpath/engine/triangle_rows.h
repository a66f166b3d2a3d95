/* The loops of triangles.h for one instruction set. Compilers do not keep the numbers of a panel in
 * registers by themselves, so vectors are named here. Before this file is read again and again:
 *
 *   WP_V          a vector of doubles, or a double
 *   WP_L          how many numbers it has
 *   WP_ROWS(F)    F(0) F(1) ..., once for each of the rows that are read at once
 *   WP_N_ROWS     how many they are
 *   WP_FOR(name)  the name for this instruction set
 *   WP_TARGET     how the functions are compiled
 */

#define WP_LOAD(p) (*(const WP_V *)(p))
#define WP_STORE(p, v) (*(WP_V *)(p) = (v))

/* sums[r] -= sum over from <= j < to of row[r][j] X[j] for some rows, and some columns of panels */
WP_TARGET ALWAYS_INLINE void WP_FOR(wp_subtract_rows_before)(
    const double *const *row, ptrdiff_t from, ptrdiff_t to, const double *X, double *sums)
{
#define WP_START(r) \
    const double *p##r = row[r]; \
    WP_V s##r = WP_LOAD(sums + r * WP_PANEL), t##r = WP_LOAD(sums + r * WP_PANEL + WP_L);
#define WP_TAKE(r) \
    s##r -= p##r[j] * x; \
    t##r -= p##r[j] * y;
#define WP_END(r) \
    WP_STORE(sums + r * WP_PANEL, s##r); \
    WP_STORE(sums + r * WP_PANEL + WP_L, t##r);
    WP_ROWS(WP_START)
    for (ptrdiff_t j = from; j < to; j++) {
        const WP_V x = WP_LOAD(X + j * WP_PANEL), y = WP_LOAD(X + j * WP_PANEL + WP_L);
        WP_ROWS(WP_TAKE)
    }
    WP_ROWS(WP_END)
#undef WP_START
#undef WP_TAKE
#undef WP_END
}

/* X <- L^-1 X for a panel whose first rows, before `first`, are zero */
WP_TARGET WP_HOT
static void WP_FOR(wp_forward_panel)(ptrdiff_t first, ptrdiff_t m, const double *const *row,
                                     double *X)
{
    /* The rows that are left over come first, where nothing is before them. */
    ptrdiff_t i = first, next = first + (m - first) % WP_N_ROWS;
    for (; i < m; i = next, next += WP_N_ROWS) {
        if (next - i == WP_N_ROWS)
            for (ptrdiff_t c = 0; c < WP_PANEL; c += 2 * WP_L)
                WP_FOR(wp_subtract_rows_before)(row + i, first, i, X + c, X + i * WP_PANEL + c);
        for (ptrdiff_t r = i; r < next; r++) {
            const double *p = row[r];
            double *out = X + r * WP_PANEL;
            for (ptrdiff_t j = i; j < r; j++)
                for (ptrdiff_t c = 0; c < WP_PANEL; c++) out[c] -= p[j] * X[j * WP_PANEL + c];
            for (ptrdiff_t c = 0; c < WP_PANEL; c++) out[c] /= p[r];
        }
    }
}

/* X[j] -= sum over r of row[r][j] x[r] for j < count, of some rows and some columns of panels */
WP_TARGET ALWAYS_INLINE void WP_FOR(wp_subtract_from_rows)(
    const double *const *row, ptrdiff_t count, const double *x, double *X)
{
#define WP_START(r) \
    const double *p##r = row[r]; \
    const WP_V x##r = WP_LOAD(x + r * WP_PANEL), y##r = WP_LOAD(x + r * WP_PANEL + WP_L);
#define WP_TAKE(r) \
    a -= p##r[j] * x##r; \
    b -= p##r[j] * y##r;
    WP_ROWS(WP_START)
    for (ptrdiff_t j = 0; j < count; j++) {
        WP_V a = WP_LOAD(X + j * WP_PANEL), b = WP_LOAD(X + j * WP_PANEL + WP_L);
        WP_ROWS(WP_TAKE)
        WP_STORE(X + j * WP_PANEL, a);
        WP_STORE(X + j * WP_PANEL + WP_L, b);
    }
#undef WP_START
#undef WP_TAKE
}

/* X <- L^-T X for a panel */
WP_TARGET WP_HOT
static void WP_FOR(wp_backward_panel)(ptrdiff_t m, const double *const *row, double *X)
{
    for (ptrdiff_t last = m; last > 0; last -= WP_N_ROWS) {
        const ptrdiff_t i = last > WP_N_ROWS ? last - WP_N_ROWS : 0;
        for (ptrdiff_t r = last - 1; r >= i; r--) {
            const double *p = row[r];
            double *in = X + r * WP_PANEL;
            for (ptrdiff_t c = 0; c < WP_PANEL; c++) in[c] /= p[r];
            for (ptrdiff_t j = i; j < r; j++)
                for (ptrdiff_t c = 0; c < WP_PANEL; c++) X[j * WP_PANEL + c] -= p[j] * in[c];
        }
        if (i == 0) return;
        for (ptrdiff_t c = 0; c < WP_PANEL; c += 2 * WP_L)
            WP_FOR(wp_subtract_from_rows)(row + i, i, X + i * WP_PANEL + c, X + c);
    }
}

/* x[i + r] -= sum over from <= j < i of row[r][j] x[j] for four rows */
WP_TARGET ALWAYS_INLINE void WP_FOR(wp_subtract_four_dots)(
    const double *const *row, ptrdiff_t from, ptrdiff_t i, double *x)
{
    const double *p0 = row[0], *p1 = row[1], *p2 = row[2], *p3 = row[3];
    double sum[4][WP_L];
    WP_V s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, t0 = {0}, t1 = {0}, t2 = {0}, t3 = {0};
    ptrdiff_t j = from;
    for (; j + 2 * WP_L <= i; j += 2 * WP_L) {
        const WP_V y = WP_LOAD(x + j), z = WP_LOAD(x + j + WP_L);
        s0 += WP_LOAD(p0 + j) * y;
        t0 += WP_LOAD(p0 + j + WP_L) * z;
        s1 += WP_LOAD(p1 + j) * y;
        t1 += WP_LOAD(p1 + j + WP_L) * z;
        s2 += WP_LOAD(p2 + j) * y;
        t2 += WP_LOAD(p2 + j + WP_L) * z;
        s3 += WP_LOAD(p3 + j) * y;
        t3 += WP_LOAD(p3 + j + WP_L) * z;
    }
    WP_STORE(sum[0], s0 + t0);
    WP_STORE(sum[1], s1 + t1);
    WP_STORE(sum[2], s2 + t2);
    WP_STORE(sum[3], s3 + t3);
    for (ptrdiff_t r = 0; r < 4; r++) {
        double rest = 0.0;
        for (ptrdiff_t k = j; k < i; k++) rest += row[r][k] * x[k];
        for (ptrdiff_t l = 0; l < WP_L; l++) rest += sum[r][l];
        x[i + r] -= rest;
    }
}

/* x <- L^-1 x, where x is zero before `first` */
WP_TARGET WP_HOT
static void WP_FOR(wp_forward_one)(ptrdiff_t first, ptrdiff_t m, const double *const *row, double *x)
{
    ptrdiff_t i = first, next = first + (m - first) % 4;
    for (; i < m; i = next, next += 4) {
        if (next - i == 4) WP_FOR(wp_subtract_four_dots)(row + i, first, i, x);
        for (ptrdiff_t r = i; r < next; r++) {
            for (ptrdiff_t j = i; j < r; j++) x[r] -= row[r][j] * x[j];
            x[r] /= row[r][r];
        }
    }
}

/* x <- L^-T x */
WP_TARGET WP_HOT
static void WP_FOR(wp_backward_one)(ptrdiff_t m, const double *const *row, double *x)
{
    for (ptrdiff_t last = m; last > 0; last -= 4) {
        const ptrdiff_t i = last > 4 ? last - 4 : 0;
        for (ptrdiff_t r = last - 1; r >= i; r--) {
            x[r] /= row[r][r];
            for (ptrdiff_t j = i; j < r; j++) x[j] -= row[r][j] * x[r];
        }
        if (i == 0) return;
        const double *RESTRICT p0 = row[i], *RESTRICT p1 = row[i + 1];
        const double *RESTRICT p2 = row[i + 2], *RESTRICT p3 = row[i + 3];
        const double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        double *RESTRICT out = x;
        for (ptrdiff_t j = 0; j < i; j++)
            out[j] -= (p0[j] * x0 + p1[j] * x1) + (p2[j] * x2 + p3[j] * x3);
    }
}

#undef WP_LOAD
#undef WP_STORE
#undef WP_V
#undef WP_L
#undef WP_ROWS
#undef WP_N_ROWS
#undef WP_FOR
#undef WP_TARGET
