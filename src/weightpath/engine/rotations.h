/* A row and column taken out of a Cholesky factor, stored by rows, by Givens rotations.
 *
 * Every row below the one that goes becomes the one before it and has one entry to the right of the
 * diagonal, which a rotation of its last two columns removes; rows further down undergo all
 * rotations before. What is to the left of the column that goes stays as it is. Each number needs
 * the one before it, so four rows, or sixteen, are worked on side by side.
 */
#ifndef WEIGHTPATH_ROTATIONS_H
#define WEIGHTPATH_ROTATIONS_H

#include <math.h>
#include <stddef.h>

#include "clones.h"


/* The first rotations, before column `first`, of the four rows that become first, ..., first + 3, for the
   numbers of column `at` that are carried along; the column from which on rotations are left */
WP_CLONES WP_HOT
static ptrdiff_t wp_rotate_four(ptrdiff_t at, ptrdiff_t first, double *const *row,
                                const double *cosine, const double *sine, double *carried)
{
    double *r0 = row[first + 1], *r1 = row[first + 2], *r2 = row[first + 3], *r3 = row[first + 4];
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
    return first;
}

#if defined(WP_CLONED)
typedef double wp_quad __attribute__((vector_size(32), aligned(8), may_alias));

#define WP_TURN(a, b, c, d) \
    do { \
        const wp_quad u = __builtin_shufflevector(a, b, 0, 4, 2, 6); \
        const wp_quad v = __builtin_shufflevector(a, b, 1, 5, 3, 7); \
        const wp_quad w = __builtin_shufflevector(c, d, 0, 4, 2, 6); \
        const wp_quad z = __builtin_shufflevector(c, d, 1, 5, 3, 7); \
        a = __builtin_shufflevector(u, w, 0, 1, 4, 5); \
        b = __builtin_shufflevector(v, z, 0, 1, 4, 5); \
        c = __builtin_shufflevector(u, w, 2, 3, 6, 7); \
        d = __builtin_shufflevector(v, z, 2, 3, 6, 7); \
    } while (0)

#define WP_ROTATE(x, y, c, s) \
    do { \
        const wp_quad rotated = c * x + s * y; \
        x = c * y - s * x; \
        y = rotated; \
    } while (0)

/* Four rotations of four rows, side by side: four by four numbers, turned and turned back. Returns the
   numbers that are carried along. */
__attribute__((target("arch=x86-64-v3"))) ALWAYS_INLINE void
wp_rotate_square(double *const *row, ptrdiff_t j, const double *c, const double *s, double *carried)
{
    double *r0 = row[0] + j, *r1 = row[1] + j, *r2 = row[2] + j, *r3 = row[3] + j;
    wp_quad x = *(wp_quad *)carried;
    wp_quad y0 = *(wp_quad *)(r0 + 1), y1 = *(wp_quad *)(r1 + 1);
    wp_quad y2 = *(wp_quad *)(r2 + 1), y3 = *(wp_quad *)(r3 + 1);
    WP_TURN(y0, y1, y2, y3);
    WP_ROTATE(x, y0, c[j], s[j]);
    WP_ROTATE(x, y1, c[j + 1], s[j + 1]);
    WP_ROTATE(x, y2, c[j + 2], s[j + 2]);
    WP_ROTATE(x, y3, c[j + 3], s[j + 3]);
    WP_TURN(y0, y1, y2, y3);
    *(wp_quad *)r0 = y0;
    *(wp_quad *)r1 = y1;
    *(wp_quad *)r2 = y2;
    *(wp_quad *)r3 = y3;
    *(wp_quad *)carried = x;
}

/* As wp_rotate_four, for sixteen rows and all but the last few columns */
__attribute__((target("arch=x86-64-v3"))) WP_HOT
static ptrdiff_t wp_rotate_sixteen(ptrdiff_t at, ptrdiff_t first, double *const *row,
                                   const double *cosine, const double *sine, double *carried)
{
    ptrdiff_t j = at;
    for (; j + 4 <= first; j += 4) {
        wp_rotate_square(row + first + 1, j, cosine, sine, carried);
        wp_rotate_square(row + first + 5, j, cosine, sine, carried + 4);
        wp_rotate_square(row + first + 9, j, cosine, sine, carried + 8);
        wp_rotate_square(row + first + 13, j, cosine, sine, carried + 12);
    }
    return j;
}

#undef WP_TURN
#undef WP_ROTATE
#define WP_HAS_SIXTEEN __builtin_cpu_supports("x86-64-v3")
#else
#define WP_HAS_SIXTEEN 0
#define wp_rotate_sixteen wp_rotate_four
#endif

/* The other rotations of these rows, one after the other, from column `begin` on; each row's own is found */
WP_CLONES WP_HOT
static void wp_finish_rows(ptrdiff_t begin, ptrdiff_t first, ptrdiff_t count, double *const *row,
                           double *cosine, double *sine, const double *carried)
{
    for (ptrdiff_t r = 0; r < count; r++) {
        const ptrdiff_t i = first + r;
        double *numbers = row[i + 1];
        double x = carried[r], y, h;
        for (ptrdiff_t j = begin; j < i; j++) {
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

/* Smaller triangles are in the nearest cache, and sixteen rows bring nothing. */
#define WP_MANY_ROWS 200

/* Take row `at` out of the first m + 1 rows of L, in place: row[i + 1] has the numbers of the new row i
   afterwards. Cosine and sine of the rotations j = at, ..., m - 1 are returned. */
static void wp_rotate_out(ptrdiff_t at, ptrdiff_t m, double *const *row, double *cosine, double *sine)
{
    const int by_sixteen = m >= WP_MANY_ROWS && WP_HAS_SIXTEEN;
    ptrdiff_t count;
    for (ptrdiff_t first = at; first < m; first += count) {
        double carried[16];
        ptrdiff_t begin = at;
        count = m - first >= 16 && by_sixteen ? 16 : m - first < 4 ? m - first : 4;
        for (ptrdiff_t r = 0; r < count; r++) carried[r] = row[first + r + 1][at];
        if (count == 16)
            begin = wp_rotate_sixteen(at, first, row, cosine, sine, carried);
        else if (count == 4)
            begin = wp_rotate_four(at, first, row, cosine, sine, carried);
        wp_finish_rows(begin, first, count, row, cosine, sine, carried);
    }
}

#endif
