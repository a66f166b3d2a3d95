/*
 * Products K v from one half of the rows of K that v asks for, without storing kernel values.
 *
 * The rows with v != 0, the support, are put in front of the others. The value of two rows of the
 * support serves both of them, that of one of them and another row serves the other: m (n - m / 2)
 * values for a support of m rows. The order of all sums depends on v alone.
 */
#ifndef WEIGHTPATH_KERNEL_PRODUCTS_H
#define WEIGHTPATH_KERNEL_PRODUCTS_H

#include "kernel_columns.h"

/* order = the rows with v != 0, then the others, counted from `first` on; return how many have */
static ptrdiff_t support_first(ptrdiff_t n, const double *v, ptrdiff_t first, ptrdiff_t *order)
{
    ptrdiff_t m = 0, rest;
    for (ptrdiff_t i = 0; i < n; i++)
        if (v[i] != 0.0)
            order[m++] = first + i;
    rest = m;
    for (ptrdiff_t i = 0; i < n; i++)
        if (v[i] == 0.0)
            order[rest++] = first + i;
    return m;
}

/* Panels of the rows order[0], ..., order[n - 1] of other panels; the last one padded by zeros */
static void reorder_panels(const double *panels, ptrdiff_t p, const ptrdiff_t *order, ptrdiff_t n,
                           double *out)
{
    for (ptrdiff_t first = 0; first < n; first += LANES) {
        double *panel = out + first * p;
        const ptrdiff_t count = first + LANES < n ? LANES : n - first;
        if (count < LANES)
            memset(panel, 0, (size_t)(LANES * p) * sizeof(double));
        for (ptrdiff_t l = 0; l < count; l++) {
            const ptrdiff_t i = order[first + l];
            const double *row = panels + (i / LANES) * LANES * p + i % LANES;
            for (ptrdiff_t k = 0; k < p; k++)
                panel[k * LANES + l] = row[k * LANES];
        }
    }
}

/*
 * Add to `out` what the `count` <= LANES rows from `begin`, a multiple of LANES, have to do with
 * themselves and with the rows behind them. Rows from m on have v = 0. All arrays are padded to
 * whole panels, v by zeros; `rows` are the rows in question, one after the other.
 */
WP_CLONES WP_HOT
static void add_symmetric_rows(const kernel_form *form, const double *panels, ptrdiff_t p,
                               const double *rows, ptrdiff_t begin, ptrdiff_t count, ptrdiff_t m,
                               ptrdiff_t n, const double *v, double *out)
{
    double values[LANES], own[LANES][LANES];
    for (ptrdiff_t c = 0; c < count; c++)
        for (int l = 0; l < LANES; l++)
            own[c][l] = 0.0;
    for (ptrdiff_t first = begin; first < n; first += LANES) {
        const double *other = v + first;
        double sum[LANES] = {0.0};
        for (ptrdiff_t c = 0; c < count; c++) {
            const double weight = v[begin + c];
            dense_tile(form, panels + first * p, p, rows + c * p, values);
            if (first == begin)
                /* Each row of the panel sees all of them: nothing is left for the others. */
                for (int l = 0; l < LANES; l++)
                    sum[l] += weight * values[l];
            else if (first < m)
                for (int l = 0; l < LANES; l++) {
                    sum[l] += weight * values[l];
                    own[c][l] += other[l] * values[l];
                }
            else
                for (int l = 0; l < LANES; l++)
                    sum[l] += weight * values[l];
        }
        /* Sums of sums: roundings grow with the root of the length, not with the length. */
        for (int l = 0; l < LANES; l++)
            out[first + l] += sum[l];
    }
    for (ptrdiff_t c = 0; c < count; c++) {
        double total = 0.0;
        for (int l = 0; l < LANES; l++)
            total += own[c][l];
        out[begin + c] += total;
    }
}

#endif
