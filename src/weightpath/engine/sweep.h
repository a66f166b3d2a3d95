/* One pass over all rows per event: apply the last step to r, form the new dr, test the ratios.
 *
 * The rows are taken in blocks that stay in the first-level cache, so every array is read once.
 * "No level on this side" is +-WP_FAR, a large finite number: the code needs no infinities and
 * the compiler may turn the comparisons into vector minima. On x86-64 Linux with GCC each
 * function is compiled for several instruction sets and the loader picks one.
 */
#ifndef WEIGHTPATH_SWEEP_H
#define WEIGHTPATH_SWEEP_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "clones.h"

#define WP_FAR 1e200
#define WP_BLOCK 256


/* What is not inlined is compiled for the oldest processors alone. */
#if defined(__GNUC__)
#define WP_INLINE static inline __attribute__((always_inline))
#else
#define WP_INLINE static inline
#endif

/* out -= sum_k coef[k] * col[k][from : from + len] */
WP_INLINE void wp_subtract_columns(double *restrict out, ptrdiff_t from, ptrdiff_t len,
                                   ptrdiff_t m, const double *const *col, const double *coef)
{
    ptrdiff_t k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *restrict p0 = col[k] + from, *restrict p1 = col[k + 1] + from;
        const double *restrict p2 = col[k + 2] + from, *restrict p3 = col[k + 3] + from;
        const double c0 = coef[k], c1 = coef[k + 1], c2 = coef[k + 2], c3 = coef[k + 3];
        for (ptrdiff_t j = 0; j < len; j++)
            out[j] -= (c0 * p0[j] + c1 * p1[j]) + (c2 * p2[j] + c3 * p3[j]);
    }
    for (; k < m; k++) {
        const double *restrict p0 = col[k] + from;
        const double c0 = coef[k];
        for (ptrdiff_t j = 0; j < len; j++) out[j] -= c0 * p0[j];
    }
}

/* Smallest element of a block of WP_BLOCK numbers, in eight independent lanes. */
WP_INLINE double wp_block_min(const double *x)
{
    double lane[8];
    for (int l = 0; l < 8; l++) lane[l] = x[l];
    for (ptrdiff_t j = 8; j < WP_BLOCK; j += 8)
        for (int l = 0; l < 8; l++) lane[l] = x[j + l] < lane[l] ? x[j + l] : lane[l];
    for (int l = 1; l < 8; l++)
        if (lane[l] < lane[0]) lane[0] = lane[l];
    return lane[0];
}

/* Whether any row meets its level within `bound`: slack <= bound * speed. */
WP_INLINE int wp_is_close(ptrdiff_t len, const double *slack, const double *speed, double bound)
{
    int64_t close = 0;
    for (ptrdiff_t j = 0; j < len; j++) close |= slack[j] <= bound * speed[j] ? 1 : 0;
    return close != 0;
}

/* r += step * dr;  dr = g - db - sum_k coef_k col_k;  return min (slack + tol) / speed over the
 * rows whose speed exceeds `noise`, or `limit` if that is less; first[block] = min slack / speed of
 * each block, WP_FAR if it is beyond what other blocks have shown. There is no division for blocks
 * without a row that is close.
 * Levels do not move: a row can only meet the level its residual moves towards.            */
WP_CLONES WP_HOT
static double wp_sweep_still(ptrdiff_t n, double step, double db, ptrdiff_t m,
                             const double *const *col, const double *coef, const double *g,
                             const double *lo, const double *up, double *r, double *dr,
                             double tol, double noise, double limit, double *first)
{
    double best = limit;
    double acc[WP_BLOCK], ratio[WP_BLOCK], bound[WP_BLOCK], slacks[WP_BLOCK], speeds[WP_BLOCK];
    for (ptrdiff_t from = 0, block = 0; from < n; from += WP_BLOCK, block++) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict rr = r + from, *restrict dd = dr + from;
        const double *restrict gg = g + from, *restrict ll = lo + from, *restrict uu = up + from;
        for (ptrdiff_t j = 0; j < len; j++) acc[j] = gg[j] - db;
        wp_subtract_columns(acc, from, len, m, col, coef);
        for (ptrdiff_t j = 0; j < len; j++) {
            const double x = rr[j] + step * dd[j], d = acc[j];
            double slack = d > 0 ? uu[j] - x : x - ll[j], speed = fabs(d);
            rr[j] = x;
            dd[j] = d;
            slack = slack > 0 ? slack : 0;
            speed = speed > noise ? speed : 0;
            slacks[j] = slack;
            speeds[j] = speed;
        }
        first[block] = WP_FAR;
        /* A rounding must not decide which rows are looked at. */
        if (!wp_is_close(len, slacks, speeds, best * (1 + 1e-12))) continue;
        for (ptrdiff_t j = 0; j < len; j++) {
            const double slack = speeds[j] > 0 ? slacks[j] : WP_FAR;
            const double speed = speeds[j] > 0 ? speeds[j] : 1;
            ratio[j] = slack / speed;
            bound[j] = (slack + tol) / speed;
        }
        for (ptrdiff_t j = len; j < WP_BLOCK; j++) ratio[j] = bound[j] = WP_FAR;
        first[block] = wp_block_min(ratio);
        const double b = wp_block_min(bound);
        best = b < best ? b : best;
    }
    return best;
}

/* The same where levels move with speeds dlo and dup: they are advanced too, and both may be met. */
WP_CLONES WP_HOT
static double wp_sweep_moving(ptrdiff_t n, double step, double db, ptrdiff_t m,
                              const double *const *col, const double *coef, const double *g,
                              double *lo, double *up, const double *dlo, const double *dup,
                              double *r, double *dr, double tol, double noise, double *first)
{
    double best = WP_FAR;
    double acc[WP_BLOCK], ratio[WP_BLOCK], bound[WP_BLOCK];
    for (ptrdiff_t from = 0, block = 0; from < n; from += WP_BLOCK, block++) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict rr = r + from, *restrict dd = dr + from;
        double *restrict ll = lo + from, *restrict uu = up + from;
        const double *restrict gg = g + from, *restrict dl = dlo + from, *restrict du = dup + from;
        for (ptrdiff_t j = 0; j < len; j++) acc[j] = gg[j] - db;
        wp_subtract_columns(acc, from, len, m, col, coef);
        for (ptrdiff_t j = 0; j < len; j++) {
            const double x = rr[j] + step * dd[j], d = acc[j];
            const double l = ll[j] + step * dl[j], u = uu[j] + step * du[j];
            double su = u - x, vu = d - du[j], sd = x - l, vd = dl[j] - d;
            rr[j] = x;
            dd[j] = d;
            ll[j] = l;
            uu[j] = u;
            su = su > 0 ? su : 0;
            su = vu > noise ? su : WP_FAR;
            vu = vu > noise ? vu : 1;
            sd = sd > 0 ? sd : 0;
            sd = vd > noise ? sd : WP_FAR;
            vd = vd > noise ? vd : 1;
            const double qu = su / vu, qd = sd / vd, bu = (su + tol) / vu, bd = (sd + tol) / vd;
            ratio[j] = qu < qd ? qu : qd;
            bound[j] = bu < bd ? bu : bd;
        }
        for (ptrdiff_t j = len; j < WP_BLOCK; j++) ratio[j] = bound[j] = WP_FAR;
        first[block] = wp_block_min(ratio);
        const double b = wp_block_min(bound);
        best = b < best ? b : best;
    }
    return best;
}

/* The fastest row that meets a level within `bound`, looked for only in the blocks that have one
 * (first <= bound); -1 if there is none. dlo and dup are NULL where levels do not move.
 * Out: side (+1 up, -1 down), speed, and ratio = slack / speed.                              */
WP_CLONES WP_HOT
static ptrdiff_t wp_choose(ptrdiff_t n, const double *lo, const double *up, const double *dlo,
                           const double *dup, const double *r, const double *dr, double bound,
                           double noise, const double *first, int *side, double *ratio,
                           double *speed)
{
    ptrdiff_t best = -1;
    double fastest = noise;
    for (ptrdiff_t from = 0, block = 0; from < n; from += WP_BLOCK, block++) {
        if (first[block] > bound) continue;
        const ptrdiff_t end = n - from < WP_BLOCK ? n : from + WP_BLOCK;
        if (!dup && !dlo) {
            /* A row can only meet the level it moves towards, and few are close: which ones is
               found without branches, which half of the rows would take either way. */
            int64_t close[WP_BLOCK];
            for (ptrdiff_t j = from; j < end; j++) {
                const double d = dr[j], slack = d > 0 ? up[j] - r[j] : r[j] - lo[j];
                close[j - from] = slack <= bound * fabs(d) ? 1 : 0;
            }
            for (ptrdiff_t j = from; j < end; j++) {
                if (!close[j - from] || !(fabs(dr[j]) > fastest)) continue;
                best = j;
                *side = dr[j] > 0 ? 1 : -1;
                fastest = fabs(dr[j]);
            }
            continue;
        }
        for (ptrdiff_t j = from; j < end; j++) {
            const double vu = dup ? dr[j] - dup[j] : dr[j];
            const double vd = dlo ? dlo[j] - dr[j] : -dr[j];
            if (vu > fastest && up[j] - r[j] <= bound * vu) {
                best = j;
                *side = 1;
                fastest = vu;
            }
            if (vd > fastest && r[j] - lo[j] <= bound * vd) {
                best = j;
                *side = -1;
                fastest = vd;
            }
        }
    }
    if (best >= 0) {
        const double slack = *side > 0 ? up[best] - r[best] : r[best] - lo[best];
        *speed = fastest;
        *ratio = slack > 0 ? slack / fastest : 0;
    }
    return best;
}

/* r += step * dr;  dr = g - sum_k coef_k col_k */
WP_CLONES WP_HOT
static void wp_advance(ptrdiff_t n, double step, ptrdiff_t m, const double *const *col,
                       const double *coef, const double *g, double *r, double *dr)
{
    double acc[WP_BLOCK];
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict rr = r + from, *restrict dd = dr + from;
        const double *restrict gg = g + from;
        for (ptrdiff_t j = 0; j < len; j++) acc[j] = gg[j];
        wp_subtract_columns(acc, from, len, m, col, coef);
        for (ptrdiff_t j = 0; j < len; j++) {
            rr[j] += step * dd[j];
            dd[j] = acc[j];
        }
    }
}

/* Return min (slack + tol) / speed over the rows whose speed exceeds `noise`, for velocities that
 * are known; first[block] = min slack / speed of each block. dlo and dup are NULL where levels do
 * not move.                                                                                     */
WP_CLONES WP_HOT
static double wp_meet(ptrdiff_t n, const double *lo, const double *up, const double *dlo,
                      const double *dup, const double *r, const double *dr, double tol,
                      double noise, double *first)
{
    double best = WP_FAR;
    double ratio[WP_BLOCK], bound[WP_BLOCK], vu[WP_BLOCK], vd[WP_BLOCK];
    for (ptrdiff_t from = 0, block = 0; from < n; from += WP_BLOCK, block++) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        const double *restrict rr = r + from, *restrict dd = dr + from;
        const double *restrict ll = lo + from, *restrict uu = up + from;
        for (ptrdiff_t j = 0; j < len; j++) vu[j] = dd[j], vd[j] = -dd[j];
        if (dlo)
            for (ptrdiff_t j = 0; j < len; j++) vu[j] -= dup[from + j], vd[j] += dlo[from + j];
        for (ptrdiff_t j = 0; j < len; j++) {
            double su = uu[j] - rr[j], sd = rr[j] - ll[j], u = vu[j], d = vd[j];
            su = su > 0 ? su : 0;
            su = u > noise ? su : WP_FAR;
            u = u > noise ? u : 1;
            sd = sd > 0 ? sd : 0;
            sd = d > noise ? sd : WP_FAR;
            d = d > noise ? d : 1;
            const double qu = su / u, qd = sd / d, bu = (su + tol) / u, bd = (sd + tol) / d;
            ratio[j] = qu < qd ? qu : qd;
            bound[j] = bu < bd ? bu : bd;
        }
        for (ptrdiff_t j = len; j < WP_BLOCK; j++) ratio[j] = bound[j] = WP_FAR;
        first[block] = wp_block_min(ratio);
        const double b = wp_block_min(bound);
        best = b < best ? b : best;
    }
    return best;
}

/* x -= sum_k a[k] * col[k][from : from + len] and y -= sum_k b[k] * the same: every column is read
 * once. */
WP_INLINE void wp_subtract_twice(double *restrict x, double *restrict y, ptrdiff_t from,
                                 ptrdiff_t len, ptrdiff_t m, const double *const *col,
                                 const double *a, const double *b)
{
    ptrdiff_t k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *restrict p0 = col[k] + from, *restrict p1 = col[k + 1] + from;
        const double *restrict p2 = col[k + 2] + from, *restrict p3 = col[k + 3] + from;
        const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
        const double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
        for (ptrdiff_t j = 0; j < len; j++) {
            const double q0 = p0[j], q1 = p1[j], q2 = p2[j], q3 = p3[j];
            x[j] -= (a0 * q0 + a1 * q1) + (a2 * q2 + a3 * q3);
            y[j] -= (b0 * q0 + b1 * q1) + (b2 * q2 + b3 * q3);
        }
    }
    for (; k < m; k++) {
        const double *restrict p0 = col[k] + from;
        const double a0 = a[k], b0 = b[k];
        for (ptrdiff_t j = 0; j < len; j++) {
            x[j] -= a0 * p0[j];
            y[j] -= b0 * p0[j];
        }
    }
}

/* r += lag * g - shift - sum_k move_k col_k, and dr = g - db - sum_k coef_k col_k; without coef,
 * dr = 0. */
WP_CLONES WP_HOT
static void wp_catch_up(ptrdiff_t n, double lag, double shift, ptrdiff_t m,
                        const double *const *col, const double *move, const double *coef,
                        double db, const double *g, double *r, double *dr)
{
    double acc[WP_BLOCK], speed[WP_BLOCK];
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict rr = r + from, *restrict dd = dr + from;
        const double *restrict gg = g + from;
        for (ptrdiff_t j = 0; j < len; j++) {
            acc[j] = (rr[j] + lag * gg[j]) - shift;
            speed[j] = gg[j] - db;
        }
        if (coef)
            wp_subtract_twice(acc, speed, from, len, m, col, move, coef);
        else
            wp_subtract_columns(acc, from, len, m, col, move);
        for (ptrdiff_t j = 0; j < len; j++) {
            rr[j] = acc[j];
            dd[j] = coef ? speed[j] : 0;
        }
    }
}

/* r += lag * g - sum_k move_k col_k, and g -= sum_k speed_k col_k */
WP_CLONES WP_HOT
static void wp_settle(ptrdiff_t n, double lag, ptrdiff_t m, const double *const *col,
                      const double *move, const double *speed, double *g, double *r)
{
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict rr = r + from, *restrict gg = g + from;
        for (ptrdiff_t j = 0; j < len; j++) rr[j] += lag * gg[j];
        wp_subtract_twice(rr, gg, from, len, m, col, move, speed);
    }
}

/* r -= sum_k coef_k col_k */
WP_CLONES WP_HOT
static void wp_subtract(ptrdiff_t n, ptrdiff_t m, const double *const *col, const double *coef,
                        double *r)
{
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        wp_subtract_columns(r + from, from, len, m, col, coef);
    }
}

/* y += a * x */
WP_CLONES WP_HOT
static void wp_axpy(ptrdiff_t n, double a, const double *restrict x, double *restrict y)
{
    for (ptrdiff_t j = 0; j < n; j++) y[j] += a * x[j];
}

/* Of rows of numbers, `count` that matter in each of `width`: last -= sum over j < m of a_j row_j */
WP_CLONES WP_HOT
static void wp_subtract_rows(ptrdiff_t m, ptrdiff_t count, ptrdiff_t width, const double *a,
                             const double *rows, double *restrict last)
{
    for (ptrdiff_t j = 0; j < m; j++) {
        const double *restrict row = rows + j * width;
        for (ptrdiff_t c = 0; c < count; c++) last[c] -= a[j] * row[c];
    }
}

/* Of such rows, all as wide as `width`: row_j -= a_j part, for j < m */
WP_CLONES WP_HOT
static void wp_subtract_products(ptrdiff_t m, ptrdiff_t width, const double *a,
                                 const double *restrict part, double *restrict rows)
{
    for (ptrdiff_t j = 0; j < m; j++)
        for (ptrdiff_t c = 0; c < width; c++) rows[j * width + c] -= a[j] * part[c];
}

/* Of such rows, rotate each from `at` to m - 1 with the one behind it. */
WP_CLONES WP_HOT
static void wp_rotate_rows(ptrdiff_t at, ptrdiff_t m, ptrdiff_t count, ptrdiff_t width,
                           const double *cosine, const double *sine, double *rows)
{
    for (ptrdiff_t j = at; j < m; j++) {
        double *restrict x = rows + j * width, *restrict y = x + width;
        const double c = cosine[j], s = sine[j];
        for (ptrdiff_t k = 0; k < count; k++) {
            const double one = x[k], other = y[k];
            x[k] = c * one + s * other;
            y[k] = c * other - s * one;
        }
    }
}

/* Eight sums side by side. Compilers do not turn loops over the lanes of arrays into vectors. */
#if defined(__GNUC__)
typedef double wp_lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long wp_bits __attribute__((vector_size(64), aligned(8), may_alias));
#endif

/* Return x . y and, in *size, |x| . |y|. */
WP_CLONES WP_HOT
static double wp_dot(ptrdiff_t n, const double *restrict x, const double *restrict y, double *size)
{
    double s = 0, a = 0;
    ptrdiff_t j = 0;
#if defined(__GNUC__)
    wp_lanes sum[2] = {{0}, {0}}, abs_sum[2] = {{0}, {0}};
    const wp_bits magnitude = (wp_bits){0} + 0x7fffffffffffffffLL;
    for (; j + 16 <= n; j += 16) {
        const wp_lanes z0 = *(const wp_lanes *)(x + j) * *(const wp_lanes *)(y + j);
        const wp_lanes z1 = *(const wp_lanes *)(x + j + 8) * *(const wp_lanes *)(y + j + 8);
        sum[0] += z0;
        sum[1] += z1;
        abs_sum[0] += (wp_lanes)((wp_bits)z0 & magnitude);
        abs_sum[1] += (wp_lanes)((wp_bits)z1 & magnitude);
    }
    sum[0] += sum[1];
    abs_sum[0] += abs_sum[1];
    for (int l = 0; l < 8; l++) {
        s += sum[0][l];
        a += abs_sum[0][l];
    }
#endif
    for (; j < n; j++) {
        s += x[j] * y[j];
        a += fabs(x[j] * y[j]);
    }
    *size = a;
    return s;
}

#if defined(__GNUC__)
/* What the lanes of four sums, and of the sizes of their terms, add up to. */
WP_INLINE void wp_add_lanes(const wp_lanes *sum, const wp_lanes *abs_sum, double *dot, double *size)
{
    for (int k = 0; k < 4; k++) {
        dot[k] = size[k] = 0;
        for (int l = 0; l < 8; l++) {
            dot[k] += sum[k][l];
            size[k] += abs_sum[k][l];
        }
    }
}
#endif

/* The same for four x at once: dot[k] = x[k] . y and size[k] = |x[k]| . |y|. Four columns that are
 * read side by side arrive sooner than one after the other. */
WP_CLONES WP_HOT
static void wp_four_dots(ptrdiff_t n, const double *const *x, const double *y, double *dot,
                         double *size)
{
    const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    ptrdiff_t j = 0;
    for (int k = 0; k < 4; k++) dot[k] = size[k] = 0;
#if defined(__GNUC__)
    wp_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0};
    const wp_bits magnitude = (wp_bits){0} + 0x7fffffffffffffffLL;
    for (; j + 8 <= n; j += 8) {
        const wp_lanes v = *(const wp_lanes *)(y + j);
        const wp_lanes z0 = *(const wp_lanes *)(x0 + j) * v, z1 = *(const wp_lanes *)(x1 + j) * v;
        const wp_lanes z2 = *(const wp_lanes *)(x2 + j) * v, z3 = *(const wp_lanes *)(x3 + j) * v;
        s0 += z0;
        s1 += z1;
        s2 += z2;
        s3 += z3;
        a0 += (wp_lanes)((wp_bits)z0 & magnitude);
        a1 += (wp_lanes)((wp_bits)z1 & magnitude);
        a2 += (wp_lanes)((wp_bits)z2 & magnitude);
        a3 += (wp_lanes)((wp_bits)z3 & magnitude);
    }
    const wp_lanes sum[4] = {s0, s1, s2, s3}, abs_sum[4] = {a0, a1, a2, a3};
    wp_add_lanes(sum, abs_sum, dot, size);
#endif
    for (; j < n; j++)
        for (int k = 0; k < 4; k++) {
            dot[k] += x[k][j] * y[j];
            size[k] += fabs(x[k][j] * y[j]);
        }
}

/* Eight rows of a sum of columns: sum = sum_k coef[k] * col[k][from : from + 8], and in size what the
 * absolute terms add up to. */
WP_CLONES WP_HOT
static void wp_eight_rows(ptrdiff_t m, const double *const *col, const double *coef,
                          ptrdiff_t from, double *restrict sum, double *restrict size)
{
#if defined(__GNUC__)
    const wp_bits magnitude = (wp_bits){0} + 0x7fffffffffffffffLL;
    wp_lanes s = {0}, a = {0};
    for (ptrdiff_t k = 0; k < m; k++) {
        const wp_lanes z = coef[k] * *(const wp_lanes *)(col[k] + from);
        s += z;
        a += (wp_lanes)((wp_bits)z & magnitude);
    }
    *(wp_lanes *)sum = s;
    *(wp_lanes *)size = a;
#else
    for (int l = 0; l < 8; l++) sum[l] = size[l] = 0;
    for (ptrdiff_t k = 0; k < m; k++)
        for (int l = 0; l < 8; l++) {
            const double z = coef[k] * col[k][from + l];
            sum[l] += z;
            size[l] += fabs(z);
        }
#endif
}

#endif
