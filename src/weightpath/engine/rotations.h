/* A row and column taken out of a Cholesky factor, stored by rows, by Givens rotations.
 *
 * Every row below the one that goes becomes the one before it and has one entry to the right of the
 * diagonal, which a rotation of its last two columns removes; rows further down undergo all
 * rotations before. What is to the left of the column that goes stays as it is. Each number needs
 * the one before it, so four rows are worked on side by side.
 */
#ifndef WEIGHTPATH_ROTATIONS_H
#define WEIGHTPATH_ROTATIONS_H

#include <math.h>
#include <stddef.h>

#include "clones.h"


#define WP_SIDE_BY_SIDE 4

/* Take row `at` out of the first m + 1 rows of L, in place: row[i + 1] has the numbers of the new row i
   afterwards. Cosine and sine of the rotations j = at, ..., m - 1 are returned. */
WP_CLONES WP_HOT
static void wp_rotate_out(ptrdiff_t at, ptrdiff_t m, double *const *row, double *cosine, double *sine)
{
    for (ptrdiff_t first = at; first < m; first += WP_SIDE_BY_SIDE) {
        const ptrdiff_t count = m - first < WP_SIDE_BY_SIDE ? m - first : WP_SIDE_BY_SIDE;
        double carried[WP_SIDE_BY_SIDE];
        for (ptrdiff_t r = 0; r < count; r++) carried[r] = row[first + r + 1][at];
        if (count == WP_SIDE_BY_SIDE) {
            double *r0 = row[first + 1], *r1 = row[first + 2], *r2 = row[first + 3];
            double *r3 = row[first + 4];
            double x0 = carried[0], x1 = carried[1], x2 = carried[2], x3 = carried[3];
            for (ptrdiff_t j = at; j < first; j++) {
                const double c = cosine[j], s = sine[j];
                const double y0 = r0[j + 1], y1 = r1[j + 1], y2 = r2[j + 1], y3 = r3[j + 1];
                r0[j] = c * x0 + s * y0;
                r1[j] = c * x1 + s * y1;
                r2[j] = c * x2 + s * y2;
                r3[j] = c * x3 + s * y3;
                x0 = c * y0 - s * x0;
                x1 = c * y1 - s * x1;
                x2 = c * y2 - s * x2;
                x3 = c * y3 - s * x3;
            }
            carried[0] = x0;
            carried[1] = x1;
            carried[2] = x2;
            carried[3] = x3;
        }
        for (ptrdiff_t r = 0; r < count; r++) {
            const ptrdiff_t i = first + r;
            double *numbers = row[i + 1];
            double x = carried[r], y, h;
            for (ptrdiff_t j = count == WP_SIDE_BY_SIDE ? first : at; j < i; j++) {
                y = numbers[j + 1];
                numbers[j] = cosine[j] * x + sine[j] * y;
                x = cosine[j] * y - sine[j] * x;
            }
            y = numbers[i + 1];
            h = sqrt(x * x + y * y);
            cosine[i] = x / h;
            sine[i] = y / h;
            numbers[i] = h;
        }
    }
}

#endif
