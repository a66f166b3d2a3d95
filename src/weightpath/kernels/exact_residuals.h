/* Residuals in which only the last rounding counts: sums in twice the precision of a double. */
#ifndef WEIGHTPATH_EXACT_RESIDUALS_H
#define WEIGHTPATH_EXACT_RESIDUALS_H

#include <stddef.h>

#include "clones.h"
#include "exact_sums.h"
#include "feature_rows.h"


/* out[i] -= a column[i], for n rows */
WP_CLONES
static void exact_subtract_column(ptrdiff_t n, double a, const double *column, wp_exact *out)
{
    for (ptrdiff_t i = 0; i < n; i++) wp_exact_add_product(out + i, -a, column[i]);
}

/* normal += a x_i */
WP_CLONES
static void exact_add_row(const feature_rows *X, ptrdiff_t i, double a, wp_exact *normal)
{
    const ptrdiff_t at = wp_row_start(X, i), p = X->width;
    if (X->wide)
        for (ptrdiff_t j = 0; j < p; j++) wp_exact_add_product(normal + j, a, X->wide[at + j]);
    else
        for (ptrdiff_t j = 0; j < p; j++) wp_exact_add_product(normal + j, a, X->narrow[at + j]);
}

/* out[i] -= x_i . normal, for n rows */
WP_CLONES
static void exact_subtract_dots(const feature_rows *X, ptrdiff_t n, const wp_exact *normal,
                                wp_exact *out)
{
    const ptrdiff_t p = X->width;
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t at = wp_row_start(X, i);
        wp_exact sum = out[i];
        for (ptrdiff_t j = 0; j < p; j++) {
            const double x = -(X->wide ? X->wide[at + j] : (double)X->narrow[at + j]);
            wp_exact_add_product(&sum, x, normal[j].value);
            sum.rest += x * normal[j].rest;
        }
        out[i] = sum;
    }
}

#endif
