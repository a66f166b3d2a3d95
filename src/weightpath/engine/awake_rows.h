/* Passes over rows whose kernel values with the margin lie one row after the other.
 *
 * A row has `width` numbers, of which the first `m` count: a multiple of WP_LANES, with zeros where
 * there is no member. "No level on this side" is +-WP_FAR. dlo and dup are NULL where levels do not
 * move.
 */
#ifndef WEIGHTPATH_AWAKE_ROWS_H
#define WEIGHTPATH_AWAKE_ROWS_H

#include "sweep.h"

#define WP_LANES 8

/* x . y */
WP_INLINE double wp_row_dot(ptrdiff_t m, const double *restrict x, const double *restrict y)
{
    double sum[2 * WP_LANES] = {0}, total = 0;
    ptrdiff_t j = 0;
    for (; j + 2 * WP_LANES <= m; j += 2 * WP_LANES)
        for (int l = 0; l < 2 * WP_LANES; l++) sum[l] += x[j + l] * y[j + l];
    for (; j < m; j += WP_LANES)
        for (int l = 0; l < WP_LANES; l++) sum[l] += x[j + l] * y[j + l];
    for (int l = 0; l < 2 * WP_LANES; l++) total += sum[l];
    return total;
}

/* wanted[i] = whether the residual of row i, which moves at the speed `own`, may come to a level:
 * unless both are farther than norm[i] * reach + lift, and what it goes towards them on its own. */
WP_CLONES
static void wp_mark_wanted(ptrdiff_t n, double reach, double lift, double theta,
                           const double *norm, const double *r, const double *own,
                           const double *lo, const double *up, const double *dlo,
                           const double *dup, unsigned char *wanted)
{
    double spare[WP_BLOCK], above[WP_BLOCK], below[WP_BLOCK];
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        const double *restrict rr = r + from, *restrict nn = norm + from;
        const double *restrict ll = lo + from, *restrict uu = up + from;
        for (ptrdiff_t j = 0; j < len; j++) above[j] = own[from + j], below[j] = -own[from + j];
        if (dlo)
            for (ptrdiff_t j = 0; j < len; j++)
                above[j] -= dup[from + j], below[j] += dlo[from + j];
        for (ptrdiff_t j = 0; j < len; j++) {
            const double base = nn[j] * reach + lift;
            const double a = above[j] > 0 ? above[j] : 0, b = below[j] > 0 ? below[j] : 0;
            const double su = (uu[j] - rr[j]) - (base + theta * a);
            const double sd = (rr[j] - ll[j]) - (base + theta * b);
            spare[j] = su < sd ? su : sd;
        }
        for (ptrdiff_t j = 0; j < len; j++) wanted[from + j] = !(spare[j] > 0);
    }
}

/* For the rows a in near: r += step * dr, levels likewise; dr = g - db - row . coef; return
 * min (slack + tol) / speed over those whose speed exceeds `noise`.                           */
WP_CLONES
static double wp_near_sweep(ptrdiff_t count, const ptrdiff_t *near, const double *kernel,
                            ptrdiff_t width, ptrdiff_t m, const double *coef, double db,
                            double step, const double *g, double *lo, double *up,
                            const double *dlo, const double *dup, double *r, double *dr,
                            double tol, double noise)
{
    double best = WP_FAR;
    for (ptrdiff_t s = 0; s < count; s++) {
        const ptrdiff_t a = near[s];
        const double d = g[a] - db - wp_row_dot(m, kernel + a * width, coef);
        double vu = d, vd = -d, slack;
        r[a] += step * dr[a];
        dr[a] = d;
        if (dlo) {
            lo[a] += step * dlo[a];
            up[a] += step * dup[a];
            vu -= dup[a];
            vd += dlo[a];
        }
        if (vu > noise) {
            slack = up[a] - r[a];
            slack = ((slack > 0 ? slack : 0) + tol) / vu;
            best = slack < best ? slack : best;
        }
        if (vd > noise) {
            slack = r[a] - lo[a];
            slack = ((slack > 0 ? slack : 0) + tol) / vd;
            best = slack < best ? slack : best;
        }
    }
    return best;
}

/* The fastest of the rows in near that meets a level within `bound`; -1 if there is none.
 * Out: side (+1 up, -1 down), speed, and ratio = slack / speed.                              */
static ptrdiff_t wp_near_choose(ptrdiff_t count, const ptrdiff_t *near, const double *lo,
                                const double *up, const double *dlo, const double *dup,
                                const double *r, const double *dr, double bound, double noise,
                                int *side, double *ratio, double *speed)
{
    ptrdiff_t best = -1;
    double fastest = noise;
    for (ptrdiff_t s = 0; s < count; s++) {
        const ptrdiff_t a = near[s];
        const double vu = dup ? dr[a] - dup[a] : dr[a];
        const double vd = dlo ? dlo[a] - dr[a] : -dr[a];
        if (vu > fastest && up[a] - r[a] <= bound * vu) {
            best = a;
            *side = 1;
            fastest = vu;
        }
        if (vd > fastest && r[a] - lo[a] <= bound * vd) {
            best = a;
            *side = -1;
            fastest = vd;
        }
    }
    if (best >= 0) {
        const double slack = *side > 0 ? up[best] - r[best] : r[best] - lo[best];
        *speed = fastest;
        *ratio = slack > 0 ? slack / fastest : 0;
    }
    return best;
}

/* For all rows: dr = g - db - row . coef. Those that are far (near_at < 0) lag behind:
 * r += lag * g - shift - row . move, and their levels by lag.                               */
WP_CLONES
static void wp_look_at_all(ptrdiff_t count, const ptrdiff_t *near_at, const double *kernel,
                           ptrdiff_t width, ptrdiff_t m, const double *move, const double *coef,
                           double lag, double shift, double db, const double *g, double *lo,
                           double *up, const double *dlo, const double *dup, double *r, double *dr)
{
    for (ptrdiff_t a = 0; a < count; a++) {
        const double *row = kernel + a * width;
        dr[a] = g[a] - db - wp_row_dot(m, row, coef);
        if (near_at[a] >= 0) continue;
        r[a] += lag * g[a] - shift - wp_row_dot(m, row, move);
        if (dlo) {
            lo[a] += lag * dlo[a];
            up[a] += lag * dup[a];
        }
    }
}

/* out[slot[k]] = row[member[k]]. What will be read of another row meanwhile sets out to here. */
WP_HOT
static void wp_pack_row(ptrdiff_t m, const ptrdiff_t *member, const ptrdiff_t *slot,
                        const double *row, const double *next, double *out)
{
    for (ptrdiff_t k = 0; k < m; k++) {
#if defined(__GNUC__)
        __builtin_prefetch(next + member[k]);
#endif
        out[slot[k]] = row[member[k]];
    }
}

#endif
