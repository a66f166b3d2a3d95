/* Sums in twice the precision of a double: a value and what was rounded off it.
 *
 * Edges between regions are where small differences of large kernel sums change their sign, and
 * rows that are close to each other make margin systems ill-conditioned. In plain doubles an edge
 * can then be off by 1e-6 of the plane. With kernel values, knots, levels and targets taken as exact
 * both neighbours find the same edge to rounding. And where features are large, residuals are small
 * differences of such sums, too.
 *
 * The sums are Knuth's, the products Dekker's by a fused multiply-add. What includes this is
 * compiled without contraction of products and sums, which would spoil them.
 */
#ifndef WEIGHTPATH_EXACT_SUMS_H
#define WEIGHTPATH_EXACT_SUMS_H

#include <math.h>

typedef struct {
    double value, rest;
} wp_exact;

static inline void wp_exact_add(wp_exact *s, double x)
{
    const double sum = s->value + x, part = sum - s->value;
    s->rest += (s->value - (sum - part)) + (x - part);
    s->value = sum;
}

static inline void wp_exact_add_product(wp_exact *s, double x, double y)
{
    const double product = x * y;
    s->rest += fma(x, y, -product);
    wp_exact_add(s, product);
}

static inline double wp_exact_value(const wp_exact *s) { return s->value + s->rest; }

#endif
