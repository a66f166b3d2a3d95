/* Products with the kernel matrix of the margin, a small symmetric matrix stored by rows.
 *
 * Sums run over whole rows at a time, so that the compiler can vectorise them without changing the
 * order of any sum.
 */
#ifndef WEIGHTPATH_MARGIN_PRODUCTS_H
#define WEIGHTPATH_MARGIN_PRODUCTS_H

#include <math.h>
#include <stddef.h>

#include "clones.h"


/* out = K x */
WP_CLONES WP_HOT
static void wp_margin_product(ptrdiff_t m, ptrdiff_t width, const double *restrict K,
                              const double *restrict x, double *restrict out)
{
    ptrdiff_t i = 0;
    for (ptrdiff_t j = 0; j < m; j++) out[j] = 0;
    for (; i + 4 <= m; i += 4) {
        const double *restrict p0 = K + i * width, *restrict p1 = p0 + width;
        const double *restrict p2 = p1 + width, *restrict p3 = p2 + width;
        const double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (ptrdiff_t j = 0; j < m; j++)
            out[j] += (x0 * p0[j] + x1 * p1[j]) + (x2 * p2[j] + x3 * p3[j]);
    }
    for (; i < m; i++) {
        const double *restrict p0 = K + i * width;
        const double x0 = x[i];
        for (ptrdiff_t j = 0; j < m; j++) out[j] += x0 * p0[j];
    }
}

/* Return x' |K| x for x >= 0; `out` is scratch space. */
WP_CLONES WP_HOT
static double wp_margin_terms(ptrdiff_t m, ptrdiff_t width, const double *restrict K,
                              const double *restrict x, double *restrict out)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < m; j++) out[j] = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        const double *restrict p0 = K + i * width;
        const double x0 = x[i];
        for (ptrdiff_t j = 0; j < m; j++) out[j] += x0 * fabs(p0[j]);
    }
    for (ptrdiff_t j = 0; j < m; j++) sum += out[j] * x[j];
    return sum;
}

#endif
