/* Passes over all rows for the distances from landmarks: see _landmarks.pyx. */
#ifndef WEIGHTPATH_LANDMARKS_H
#define WEIGHTPATH_LANDMARKS_H

#include "sweep.h"

/* out = col - origin + shift */
WP_CLONES WP_HOT
static void wp_see_from(ptrdiff_t n, const double *restrict col, const double *restrict origin,
                        double shift, double *restrict out)
{
    for (ptrdiff_t i = 0; i < n; i++) out[i] = (col[i] - origin[i]) + shift;
}

/* left += part ** 2 */
WP_CLONES WP_HOT
static void wp_add_square(ptrdiff_t n, const double *restrict part, double *restrict left)
{
    for (ptrdiff_t i = 0; i < n; i++) left[i] += part[i] * part[i];
}

/* left -= the sum of the squares of `size` vectors of n numbers */
WP_CLONES WP_HOT
static void wp_subtract_squares(ptrdiff_t n, ptrdiff_t size, const double *restrict part,
                                double *restrict left)
{
    for (ptrdiff_t k = 0; k < size; k++, part += n)
        for (ptrdiff_t i = 0; i < n; i++) left[i] -= part[i] * part[i];
}

#endif
