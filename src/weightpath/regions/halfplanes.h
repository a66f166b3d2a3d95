/* The half-planes of a region, and the polygon that they leave of the plane.
 *
 * Half-planes are first known as well as doubles allow; those that are not clearly redundant are
 * worked out exactly.
 */
#ifndef WEIGHTPATH_HALFPLANES_H
#define WEIGHTPATH_HALFPLANES_H

#include "polygon.h"
#include "walk.h"

static inline void wp_walk_halfplane(wp_walk *w, const double c[3], double noise, int32_t id)
{
    wp_halfplane *p = w->plane + w->n_planes++;
    p->constant = c[0], p->x = c[1], p->y = c[2], p->id = id, p->slack = noise, p->exact = 0;
}

/* Coefficient d of the slack of a row at a knot against its level on a side, exactly. */
static double wp_exact_slack(const wp_walk *w, ptrdiff_t i, int side, int d)
{
    const wp_system *s = &w->system;
    wp_exact r = wp_bound(w, i, side, d), other = w->exact_bias[d];
    /* The bias that matters is the bound, not the middle. */
    if (wp_walk_is_loose(w)) other = wp_bound(w, side ? w->low : w->high, side, d);
    wp_exact_add(&r, -other.value), r.rest -= other.rest;
    for (ptrdiff_t k = 0; k < s->size; k++) {
        const wp_exact *beta = w->exact_beta + d * w->beta_capacity + k;
        const double value = wp_kernel(s, s->member[k], i);
        wp_exact_add_product(&r, -value, beta->value), r.rest -= value * beta->rest;
    }
    return side ? -wp_exact_value(&r) : wp_exact_value(&r);
}

/* Work a half-plane out exactly. */
WP_CLONES
static void wp_walk_refine(wp_walk *w, wp_halfplane *h)
{
    const ptrdiff_t i = h->id / 2;
    const int side = h->id % 2;
    double c[3], size = 0.0;
    ptrdiff_t k = 0;
    if (h->exact) return;
    if (h->id != WP_MEET && wp_is_free(w->position[i]))
        while (w->system.member[k] != i) k++;
    for (int d = 0; d < 3; d++) {
        if (h->id == WP_MEET) {
            wp_exact gap = wp_bound(w, w->high, 0, d), low = wp_bound(w, w->low, 1, d);
            wp_exact_add(&gap, -low.value), gap.rest -= low.rest;
            c[d] = wp_exact_value(&gap);
        } else if (wp_is_free(w->position[i])) {
            wp_exact room = w->exact_beta[d * w->beta_capacity + k];
            wp_exact_add(&room, -wp_knot(w, i, w->position[i] / 2 - 1 + side)[d]);
            c[d] = side ? -wp_exact_value(&room) : wp_exact_value(&room);
        } else {
            c[d] = wp_exact_slack(w, i, side, d);
        }
        size += fabs(c[d]);
    }
    h->constant = c[0], h->x = c[1], h->y = c[2], h->exact = 1;
    h->slack = 4.0 * DBL_EPSILON * (size + 16.0 * h->slack);
}

/* The half-planes on which the solution stays optimal. */
static void wp_walk_halfplanes(wp_walk *w)
{
    const ptrdiff_t all = w->n_all;
    const int loose = wp_walk_is_loose(w);
    double c[3];
    w->n_planes = 0;
    for (ptrdiff_t k = 0; k < w->system.size; k++) {
        const ptrdiff_t i = w->system.member[k];
        for (int side = 0; side < 2; side++) {
            const ptrdiff_t knot = w->position[i] / 2 - 1 + side;
            if (knot < 0 || knot >= w->n_knots) continue;
            const double *end = wp_knot(w, i, knot);
            double size = 0.0;
            for (int d = 0; d < 3; d++) {
                const double beta = w->beta[d * w->beta_capacity + k];
                c[d] = side ? end[d] - beta : beta - end[d];
                size += fabs(end[d]) + fabs(beta);
            }
            wp_walk_halfplane(w, c, 8.0 * DBL_EPSILON * size, (int32_t) (2 * i + side));
        }
    }
    for (ptrdiff_t i = 0; i < w->n; i++) {
        const int p = w->position[i];
        if (wp_is_free(p) || w->idle[i]) continue;
        for (int side = 0; side < 2; side++) {
            const double *level = wp_level(w, i, (p + side) / 2);
            if (isinf(level[0]) || (loose && i == (side ? w->low : w->high))) continue;
            for (int d = 0; d < 3; d++) {
                const double value = w->residual[d * all + i];
                c[d] = side ? level[d] - value : value - level[d];
                if (loose) c[d] = wp_exact_slack(w, i, side, d);
            }
            wp_walk_halfplane(w, c, w->noise, (int32_t) (2 * i + side));
        }
    }
    if (loose && w->low >= 0 && w->high >= 0) {
        for (int d = 0; d < 3; d++)
            c[d] = wp_bound(w, w->high, 0, d).value - wp_bound(w, w->low, 1, d).value;
        wp_walk_halfplane(w, c, w->noise, WP_MEET);
    }
}

/* In a loose region: the rows that bound the bias at a point, -1 for none. */
static void wp_walk_find_bounds(wp_walk *w, double x, double y)
{
    double low = -INFINITY, high = INFINITY;
    w->low = w->high = -1;
    for (ptrdiff_t i = 0; i < w->n; i++) {
        if (w->idle[i] || wp_is_free(w->position[i])) continue;
        for (int side = 0; side < 2; side++) {
            if (isinf(wp_level(w, i, (w->position[i] + side) / 2)[0])) continue;
            const double b = wp_bound(w, i, side, 0).value + x * wp_bound(w, i, side, 1).value
                             + y * wp_bound(w, i, side, 2).value;
            if (side && b > low) low = b, w->low = (int32_t) i;
            if (!side && b < high) high = b, w->high = (int32_t) i;
        }
    }
}

/* Clip by a half-plane, which is worked out exactly if it is not clearly redundant. */
static void wp_walk_clip(wp_walk *w, wp_polygon *p, ptrdiff_t k)
{
    wp_halfplane *h = w->plane + k;
    double least = INFINITY;
    for (ptrdiff_t v = 0; v < p->size; v++)
        least = fmin(least, h->constant + h->x * p->x[v] + h->y * p->y[v]);
    if (least > 4.0 * h->slack) return;
    wp_walk_refine(w, h);
    wp_polygon_clip(p, h->constant, h->x, h->y, h->slack, h->id);
}

/* The polygon of the region, by half-planes near the point (x, y) first. It has no vertices where
 * there is no region.                                                                            */
static void wp_walk_polygon(wp_walk *w, double x, double y, wp_polygon *p)
{
    enum { FIRST = 6 };
    double near[FIRST];
    ptrdiff_t which[FIRST], found = 0;
    wp_polygon_square(p);
    for (ptrdiff_t k = 0; k < w->n_planes; k++) {
        const wp_halfplane *h = w->plane + k;
        const double norm = sqrt(h->x * h->x + h->y * h->y), at = h->constant + h->x * x + h->y * y;
        const double d = norm > 0.0 ? (at - 4.0 * h->slack) / norm
                                    : at > 4.0 * h->slack ? INFINITY : -INFINITY;
        w->distance[k] = d;
        if (found == FIRST && d >= near[FIRST - 1]) continue;
        ptrdiff_t j = found < FIRST ? found++ : FIRST - 1;
        for (; j > 0 && near[j - 1] > d; j--) near[j] = near[j - 1], which[j] = which[j - 1];
        near[j] = d, which[j] = k;
    }
    for (ptrdiff_t j = 0; j < found && p->size; j++) wp_walk_clip(w, p, which[j]);
    double radius = wp_polygon_radius(p, x, y);
    for (ptrdiff_t k = 0; k < w->n_planes && p->size; k++)
        if (w->distance[k] < radius) {
            const ptrdiff_t before = p->size;
            const double first = p->x[0], second = p->y[0];
            wp_walk_clip(w, p, k);
            if (p->size != before || p->x[0] != first || p->y[0] != second)
                radius = wp_polygon_radius(p, x, y);
        }
}

#endif
