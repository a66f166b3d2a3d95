/* Passes over all rows for one segment of a path: kernel sums, and whether any row is off its bounds.
 *
 * Kernel values come as rows of K, one for each training row in use, each n numbers. The points are
 * taken in tiles that stay in the first-level cache, so that every array is read once. On x86-64
 * Linux with GCC each function is compiled for several instruction sets and the loader picks one.
 */
#ifndef WEIGHTPATH_SEGMENT_PASS_H
#define WEIGHTPATH_SEGMENT_PASS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clones.h"

#define WP_TILE 256


/* Where a segment is looked at: both ends and the middle. */
#define WP_PLACES 3

/* One of them: the coefficients of the margin there, what other products have added to their kernel
 * sums, if anything, and how far beyond its bounds a row is of no interest; `response` is filled in
 * where it is asked for. */
typedef struct {
    double theta, bias, slack;
    const double *margin, *sums;
    double *response;
} wp_place;

/* a += sum_k f[k] K[slot[k]], b += sum_k g[k] K[slot[k]], from one point on for len points */
ALWAYS_INLINE void wp_add_tile(ptrdiff_t n, const double *K, ptrdiff_t m, const ptrdiff_t *slot,
                               const double *f, const double *g, ptrdiff_t from, ptrdiff_t len,
                               double *restrict a, double *restrict b)
{
    ptrdiff_t k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *restrict p0 = K + slot[k] * n + from, *restrict p1 = K + slot[k + 1] * n + from;
        const double *restrict p2 = K + slot[k + 2] * n + from;
        const double *restrict p3 = K + slot[k + 3] * n + from;
        const double f0 = f[k], f1 = f[k + 1], f2 = f[k + 2], f3 = f[k + 3];
        const double g0 = g[k], g1 = g[k + 1], g2 = g[k + 2], g3 = g[k + 3];
        for (ptrdiff_t j = 0; j < len; j++) {
            a[j] += (f0 * p0[j] + f1 * p1[j]) + (f2 * p2[j] + f3 * p3[j]);
            b[j] += (g0 * p0[j] + g1 * p1[j]) + (g2 * p2[j] + g3 * p3[j]);
        }
    }
    for (; k < m; k++) {
        const double *restrict p0 = K + slot[k] * n + from;
        const double f0 = f[k], g0 = g[k];
        for (ptrdiff_t j = 0; j < len; j++) {
            a[j] += f0 * p0[j];
            b[j] += g0 * p0[j];
        }
    }
}

/* The same for all points. */
WP_CLONES
static void wp_add_columns(ptrdiff_t n, const double *K, ptrdiff_t m, const ptrdiff_t *slot,
                           const double *f, const double *g, double *a, double *b)
{
    for (ptrdiff_t from = 0; from < n; from += WP_TILE) {
        const ptrdiff_t len = n - from < WP_TILE ? n - from : WP_TILE;
        wp_add_tile(n, K, m, slot, f, g, from, len, a + from, b + from);
    }
}

/* x_p += sum_k f_p[k] K[slot[k]] for the three places, from one point on for len points */
ALWAYS_INLINE void wp_add_margin(ptrdiff_t n, const double *K, ptrdiff_t m, const ptrdiff_t *slot,
                                 const wp_place *places, ptrdiff_t from, ptrdiff_t len,
                                 double *restrict x0, double *restrict x1, double *restrict x2)
{
    const double *f = places[0].margin, *g = places[1].margin, *h = places[2].margin;
    ptrdiff_t k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *restrict p0 = K + slot[k] * n + from, *restrict p1 = K + slot[k + 1] * n + from;
        const double *restrict p2 = K + slot[k + 2] * n + from;
        const double *restrict p3 = K + slot[k + 3] * n + from;
        const double f0 = f[k], f1 = f[k + 1], f2 = f[k + 2], f3 = f[k + 3];
        const double g0 = g[k], g1 = g[k + 1], g2 = g[k + 2], g3 = g[k + 3];
        const double h0 = h[k], h1 = h[k + 1], h2 = h[k + 2], h3 = h[k + 3];
        for (ptrdiff_t j = 0; j < len; j++) {
            x0[j] += (f0 * p0[j] + f1 * p1[j]) + (f2 * p2[j] + f3 * p3[j]);
            x1[j] += (g0 * p0[j] + g1 * p1[j]) + (g2 * p2[j] + g3 * p3[j]);
            x2[j] += (h0 * p0[j] + h1 * p1[j]) + (h2 * p2[j] + h3 * p3[j]);
        }
    }
    for (; k < m; k++) {
        const double *restrict p0 = K + slot[k] * n + from;
        const double f0 = f[k], g0 = g[k], h0 = h[k];
        for (ptrdiff_t j = 0; j < len; j++) {
            x0[j] += f0 * p0[j];
            x1[j] += g0 * p0[j];
            x2[j] += h0 * p0[j];
        }
    }
}

/* Whether some row of a tile is not (as NaN is not) within its bounds, by more than a slack. */
ALWAYS_INLINE int64_t wp_is_beyond(ptrdiff_t len, const double *RESTRICT x, const double *RESTRICT lo,
                                   const double *RESTRICT hi, const double *RESTRICT dl,
                                   const double *RESTRICT dh, double theta, double bias, double slack)
{
    int64_t beyond = 0;
    if (dl == NULL)
        for (ptrdiff_t j = 0; j < len; j++) {
            const double y = x[j] + bias;
            beyond |= !((y >= lo[j] - slack) & (y <= hi[j] + slack));
        }
    else
        for (ptrdiff_t j = 0; j < len; j++) {
            const double y = x[j] + bias;
            beyond |= !((y >= lo[j] + theta * dl[j] - slack) & (y <= hi[j] + theta * dh[j] + slack));
        }
    return beyond;
}

/* Look at the kernel sums of one segment at its places: those of m members of the margin, and the
 * share of all rows at knots, between share0 at theta = 0 and share1 at theta = 1. Return a bit for
 * each place at which some row is not within its bounds, which move by low_speed and high_speed, if
 * given. Responses are kept if `keeps`: most are never looked at.                                 */
WP_CLONES WP_HOT
static int wp_pass(ptrdiff_t n, const double *K, ptrdiff_t m, const ptrdiff_t *slot,
                   const double *share0, const double *share1, const double *low,
                   const double *high, const double *low_speed, const double *high_speed,
                   const wp_place *places, int keeps)
{
    double sum[WP_PLACES][WP_TILE];
    int off = 0;
    for (ptrdiff_t from = 0; from < n; from += WP_TILE) {
        const ptrdiff_t len = n - from < WP_TILE ? n - from : WP_TILE;
        const double *RESTRICT u = share0 + from, *RESTRICT v = share1 + from;
        for (int p = 0; p < WP_PLACES; p++) {
            const double theta = places[p].theta, rest = 1.0 - theta;
            double *RESTRICT x = sum[p];
            for (ptrdiff_t j = 0; j < len; j++) x[j] = rest * u[j] + theta * v[j];
            if (places[p].sums != NULL)
                for (ptrdiff_t j = 0; j < len; j++) x[j] += places[p].sums[from + j];
        }
        wp_add_margin(n, K, m, slot, places, from, len, sum[0], sum[1], sum[2]);
        for (int p = 0; p < WP_PLACES; p++) {
            if (keeps) memcpy(places[p].response + from, sum[p], len * sizeof(double));
            if (wp_is_beyond(len, sum[p], low + from, high + from,
                             low_speed == NULL ? NULL : low_speed + from,
                             low_speed == NULL ? NULL : high_speed + from, places[p].theta,
                             places[p].bias, places[p].slack))
                off |= 1 << p;
        }
    }
    return off;
}

/* The responses of m members of the margin alone: the sums of wp_pass, row by row. */
static void wp_member_responses(ptrdiff_t n, const double *K, ptrdiff_t m, const ptrdiff_t *slot,
                                const double *share0, const double *share1, ptrdiff_t count,
                                const int64_t *member, const wp_place *places)
{
    for (int p = 0; p < WP_PLACES; p++)
        for (ptrdiff_t e = 0; e < count; e++) {
            const ptrdiff_t i = (ptrdiff_t)member[e];
            const double theta = places[p].theta;
            double sum = (1.0 - theta) * share0[i] + theta * share1[i];
            if (places[p].sums != NULL) sum += places[p].sums[i];
            for (ptrdiff_t k = 0; k < m; k++) sum += places[p].margin[k] * K[slot[k] * n + i];
            places[p].response[i] = sum;
        }
}

#endif
