/* Sums over the coefficients of a table of pairs, and differences of columns of documents. */
#ifndef WEIGHTPATH_PAIR_SUMS_H
#define WEIGHTPATH_PAIR_SUMS_H

#include <stddef.h>

#include "clones.h"


/* Return the sum of v[0 : n], and add each of them to below[0 : n]. */
WP_CLONES WP_HOT
static double fold_row(const double *restrict v, ptrdiff_t n, double *restrict below)
{
    double sum[8] = {0};
    ptrdiff_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int l = 0; l < 8; l++) {
            sum[l] += v[k + l];
            below[k + l] += v[k + l];
        }
    for (; k < n; k++) {
        sum[0] += v[k];
        below[k] += v[k];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/* out = one - other */
WP_CLONES WP_HOT
static void column_difference(ptrdiff_t n, const double *restrict one, const double *restrict other,
                              double *restrict out)
{
    for (ptrdiff_t k = 0; k < n; k++) out[k] = one[k] - other[k];
}

#endif
