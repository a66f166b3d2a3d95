/* Sums of multiples of columns, in blocks that stay in the first-level cache. Each sum has one
   order, wherever the columns are read from. */
#ifndef WEIGHTPATH_COLUMN_SUMS_H
#define WEIGHTPATH_COLUMN_SUMS_H

#include <stddef.h>

#include "clones.h"

#define SUM_BLOCK 512


/* out += sum_k coef[k] * col[k], of n rows and m columns */
WP_CLONES WP_HOT
static void add_column_sums(ptrdiff_t n, ptrdiff_t m, const double *const *col,
                            const double *coef, double *out)
{
    for (ptrdiff_t from = 0; from < n; from += SUM_BLOCK) {
        const ptrdiff_t len = n - from < SUM_BLOCK ? n - from : SUM_BLOCK;
        double *sum = out + from;
        ptrdiff_t k = 0;
        for (; k + 4 <= m; k += 4) {
            const double *p0 = col[k] + from, *p1 = col[k + 1] + from;
            const double *p2 = col[k + 2] + from, *p3 = col[k + 3] + from;
            const double c0 = coef[k], c1 = coef[k + 1], c2 = coef[k + 2], c3 = coef[k + 3];
            for (ptrdiff_t j = 0; j < len; j++)
                sum[j] += (c0 * p0[j] + c1 * p1[j]) + (c2 * p2[j] + c3 * p3[j]);
        }
        for (; k < m; k++)
            for (ptrdiff_t j = 0; j < len; j++)
                sum[j] += coef[k] * col[k][from + j];
    }
}

#if defined(__GNUC__)
typedef double sum_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#endif

/*
 * Four rows of a symmetric matrix, each number read once: out += sum_k coef[k] * row[k] over the
 * columns from..to, and dot[k] += row[k]'v over the same.
 */
WP_CLONES WP_HOT
static void add_four_rows(ptrdiff_t from, ptrdiff_t to, const double *const *row,
                          const double *coef, const double *v, double *out, double *dot)
{
    const double *p0 = row[0], *p1 = row[1], *p2 = row[2], *p3 = row[3];
    const double c0 = coef[0], c1 = coef[1], c2 = coef[2], c3 = coef[3];
    ptrdiff_t j = from;
#if defined(__GNUC__)
    sum_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (; j + 8 <= to; j += 8) {
        const sum_lanes x = *(const sum_lanes *)(v + j);
        const sum_lanes k0 = *(const sum_lanes *)(p0 + j), k1 = *(const sum_lanes *)(p1 + j);
        const sum_lanes k2 = *(const sum_lanes *)(p2 + j), k3 = *(const sum_lanes *)(p3 + j);
        *(sum_lanes *)(out + j) += (c0 * k0 + c1 * k1) + (c2 * k2 + c3 * k3);
        s0 += k0 * x;
        s1 += k1 * x;
        s2 += k2 * x;
        s3 += k3 * x;
    }
    for (int l = 0; l < 8; l++) {
        dot[0] += s0[l];
        dot[1] += s1[l];
        dot[2] += s2[l];
        dot[3] += s3[l];
    }
#endif
    for (; j < to; j++) {
        out[j] += (c0 * p0[j] + c1 * p1[j]) + (c2 * p2[j] + c3 * p3[j]);
        dot[0] += p0[j] * v[j];
        dot[1] += p1[j] * v[j];
        dot[2] += p2[j] * v[j];
        dot[3] += p3[j] * v[j];
    }
}

/* The most rows of a panel. */
#define PANEL_ROWS 32

/*
 * out += the share in K v of the first `count` rows of a symmetric matrix K of n rows: these rows
 * from the diagonal on, and the same numbers as columns. row[r][j] is K[r, j].
 */
static void add_symmetric_panel(ptrdiff_t n, ptrdiff_t count, const double *const *row,
                                const double *v, double *out)
{
    double dot[PANEL_ROWS] = {0}, coef[PANEL_ROWS] = {0};
    const double *p[PANEL_ROWS];
    const ptrdiff_t rows = (count + 3) / 4 * 4;
    for (ptrdiff_t r = 0; r < rows; r++) {
        /* Rows that are not there: the last one, with a factor of zero. */
        p[r] = row[r < count ? r : count - 1];
        coef[r] = r < count ? v[r] : 0.0;
    }
    for (ptrdiff_t r = 0; r < count; r++)
        for (ptrdiff_t j = 0; j < count; j++)
            dot[r] += p[r][j] * v[j];
    for (ptrdiff_t from = count; from < n; from += SUM_BLOCK) {
        const ptrdiff_t to = n - from < SUM_BLOCK ? n : from + SUM_BLOCK;
        for (ptrdiff_t r = 0; r < rows; r += 4)
            add_four_rows(from, to, p + r, coef + r, v, out, dot + r);
    }
    for (ptrdiff_t r = 0; r < count; r++)
        out[r] += dot[r];
}

#endif
