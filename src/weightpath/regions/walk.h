/* The solution of one region as a function of two parameters, and the way from region to region.
 *
 * With the position of every row on its staircase given, bias and coefficients are affine in
 * z = (z1, z2): each number has three coefficients, of 1, z1 and z2. `fixed` holds the targets minus
 * the kernel sums of the rows at knots; one kernel column changes it when a row changes its position.
 * Rows beyond the n-th have no staircase: they are further points, whose residuals are minus the
 * decision values.
 *
 * Where all rows are at knots and the balance of a bias holds everywhere, the bias is the middle of
 * an interval: `low` and `high` are the rows that bound it.
 */
#ifndef WEIGHTPATH_WALK_H
#define WEIGHTPATH_WALK_H

#include "engine/sweep.h"
#include "margin_system.h"
#include "polygon.h"

/* All kernel sums are computed afresh after so many changes of positions. */
#define WP_FRESH_AFTER 256

typedef struct {
    int32_t row;
    int8_t from, to;
} wp_change;

/* How one region follows from another: at most two rows change, and the rows that bound a bias. */
typedef struct {
    wp_change change[2];
    int32_t low, high;
} wp_step;

/* One half-plane: constant + x z1 + y z2 >= 0. */
typedef struct {
    double constant, x, y, slack;
    int32_t id;   /* 2 row + side; WP_MEET where the two bounds of the bias meet */
} wp_halfplane;

#define WP_MEET INT32_MAX

typedef struct {
    ptrdiff_t n, n_all, n_knots;
    const double *knots, *levels, *target, *kappa;   /* [row][knot][3], [row][level][3], [3][all] */
    const int8_t *idle;   /* rows whose knots coincide everywhere: they bound nothing */
    double total[3], largest_target;
    int has_bias;
    wp_system system;
    int8_t *position;
    double *fixed, *residual, *beta, *right;   /* [3][all] twice, [3][capacity], [capacity] */
    ptrdiff_t beta_capacity;
    double sum[3], reach, bias[3], noise;
    int32_t low, high;
    uint64_t hash;
    long n_changes;
    wp_halfplane *plane;
    double *distance;
    ptrdiff_t n_planes;
} wp_walk;

static inline int wp_is_free(int position) { return position % 2 == 0; }

static inline const double *wp_knot(const wp_walk *w, ptrdiff_t i, ptrdiff_t knot)
{
    return w->knots + 3 * (i * w->n_knots + knot);
}

static inline const double *wp_level(const wp_walk *w, ptrdiff_t i, ptrdiff_t level)
{
    return w->levels + 3 * (i * (w->n_knots + 1) + level);
}

/* A number for each row and position; their sum modulo two names a region (splitmix64). */
static inline uint64_t wp_name(ptrdiff_t row, int what)
{
    uint64_t x = ((uint64_t) row << 8) + (uint64_t) what + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t wp_name_of_bounds(int32_t low, int32_t high)
{
    return (low < 0 ? 0 : wp_name(low, 254)) ^ (high < 0 ? 0 : wp_name(high, 255));
}

/* out_c += factor * coefficient_c * column, for the three coefficients */
WP_CLONES
static void wp_add_column(ptrdiff_t n, double factor, const double *coef, const double *column,
                          double *out, ptrdiff_t stride)
{
    const double a = factor * coef[0], b = factor * coef[1], c = factor * coef[2];
    double *restrict p = out, *restrict q = out + stride, *restrict r = out + 2 * stride;
    if (a == 0.0 && b == 0.0 && c == 0.0) return;
    for (ptrdiff_t i = 0; i < n; i++) {
        p[i] += a * column[i];
        q[i] += b * column[i];
        r[i] += c * column[i];
    }
}

/* Row i comes to a knot (sign 1) or leaves it (sign -1). */
static void wp_walk_at_knot(wp_walk *w, ptrdiff_t i, int position, double sign)
{
    const double *knot = wp_knot(w, i, position / 2);
    wp_add_column(w->n_all, -sign, knot, w->system.K + i * w->system.stride, w->fixed, w->n_all);
    for (int c = 0; c < 3; c++) w->sum[c] -= sign * knot[c];
    w->reach += sign * w->kappa[i] * (fabs(knot[0]) + fabs(knot[1]) + fabs(knot[2]));
}

static int wp_walk_fresh(wp_walk *w)
{
    memcpy(w->fixed, w->target, 3 * w->n_all * sizeof(double));
    memcpy(w->sum, w->total, sizeof w->sum);
    w->reach = 0.0;
    w->n_changes = 0;
    for (ptrdiff_t i = 0; i < w->n; i++)
        if (!wp_is_free(w->position[i])) wp_walk_at_knot(w, i, w->position[i], 1.0);
    return wp_system_refactor(&w->system);
}

/* Begin with these positions. */
static int wp_walk_begin(wp_walk *w, const int8_t *position)
{
    memcpy(w->position, position, w->n);
    w->hash = 0;
    w->low = w->high = -1;
    w->system.size = 0;
    for (ptrdiff_t i = 0; i < w->n; i++) {
        w->hash ^= wp_name(i, position[i]);
        if (wp_is_free(position[i]) && wp_system_append(&w->system, i)) return -1;
    }
    return wp_walk_fresh(w);
}

static int wp_walk_put(wp_walk *w, ptrdiff_t i, int to)
{
    const int from = w->position[i];
    wp_system *s = &w->system;
    if (wp_is_free(from)) {
        ptrdiff_t k = 0;
        while (k < s->size && s->member[k] != i) k++;
        if (k < s->size) wp_system_delete(s, k);
    } else {
        wp_walk_at_knot(w, i, from, -1.0);
    }
    w->position[i] = (int8_t) to;
    w->hash ^= wp_name(i, from) ^ wp_name(i, to);
    w->n_changes++;
    if (wp_is_free(to)) return wp_system_append(s, i);
    wp_walk_at_knot(w, i, to, 1.0);
    return 0;
}

/* Take a step, or take it back; sums that have been carried along for long are computed afresh. */
static int wp_walk_step(wp_walk *w, const wp_step *step, int back, int32_t low, int32_t high)
{
    for (int k = 0; k < 2; k++) {
        const wp_change *c = step->change + (back ? 1 - k : k);
        if (c->row >= 0 && wp_walk_put(w, c->row, back ? c->from : c->to)) return -1;
    }
    w->low = low, w->high = high;
    return w->n_changes >= WP_FRESH_AFTER ? wp_walk_fresh(w) : 0;
}

static inline uint64_t wp_walk_name(const wp_walk *w)
{
    return w->hash ^ wp_name_of_bounds(w->low, w->high);
}

/* Whether the bias is the middle of an interval. */
static inline int wp_walk_is_loose(const wp_walk *w)
{
    return w->has_bias && w->system.size == 0;
}

/* The bound that row i sets to the bias from below (side 1) or above (side 0), coefficient c. */
static inline double wp_bound(const wp_walk *w, ptrdiff_t i, int side, int c)
{
    const double *level = wp_level(w, i, (w->position[i] + side) / 2);
    return w->fixed[c * w->n_all + i] - level[c];
}

/* Coefficients of the margin and the bias, and the residuals of rows `from` to `to`. */
static int wp_walk_solve(wp_walk *w, ptrdiff_t from, ptrdiff_t to)
{
    wp_system *s = &w->system;
    const ptrdiff_t m = s->size, all = w->n_all;
    if (m > w->beta_capacity) {
        const ptrdiff_t cap = m + m / 2 + 16;
        double *beta = realloc(w->beta, 4 * cap * sizeof(double));
        if (!beta) return -1;
        w->beta = beta, w->right = beta + 3 * cap, w->beta_capacity = cap;
    }
    for (int c = 0; c < 3; c++) {
        w->bias[c] = 0.0;
        if (wp_walk_is_loose(w)) {
            const int both = w->low >= 0 && w->high >= 0;
            if (w->low >= 0) w->bias[c] += (both ? 0.5 : 1.0) * wp_bound(w, w->low, 1, c);
            if (w->high >= 0) w->bias[c] += (both ? 0.5 : 1.0) * wp_bound(w, w->high, 0, c);
            continue;
        }
        for (ptrdiff_t k = 0; k < m; k++) {
            const ptrdiff_t i = s->member[k];
            w->right[k] = w->fixed[c * all + i] - wp_level(w, i, w->position[i] / 2)[c];
        }
        w->bias[c] = wp_system_solve(s, w->right, w->sum[c], w->beta + c * w->beta_capacity);
    }
    double size = w->reach + w->largest_target;
    for (int c = 0; c < 3; c++) {
        double *restrict r = w->residual + c * all;
        const double *restrict g = w->fixed + c * all, b = w->bias[c];
        for (ptrdiff_t i = from; i < to; i++) r[i] = g[i] - b;
        size += fabs(b);
    }
    for (ptrdiff_t k = 0; k < m; k++) {
        const double *beta = w->beta + k;
        const double coef[3] = {beta[0], beta[w->beta_capacity], beta[2 * w->beta_capacity]};
        wp_add_column(to - from, -1.0, coef, s->K + s->member[k] * s->stride + from,
                      w->residual + from, all);
        size += w->kappa[s->member[k]] * (fabs(coef[0]) + fabs(coef[1]) + fabs(coef[2]));
    }
    w->noise = 4.0 * DBL_EPSILON * size;
    return 0;
}

static inline void wp_walk_halfplane(wp_walk *w, const double c[3], double noise, int32_t id)
{
    wp_halfplane *p = w->plane + w->n_planes++;
    p->constant = c[0], p->x = c[1], p->y = c[2], p->id = id, p->slack = noise;
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
            const ptrdiff_t bound = side ? w->low : w->high;
            for (int d = 0; d < 3; d++) {
                double value = w->residual[d * all + i];
                /* The bias that matters is the bound, not the middle. */
                if (loose) value = w->fixed[d * all + i] - wp_bound(w, bound, side, d);
                c[d] = side ? level[d] - value : value - level[d];
            }
            wp_walk_halfplane(w, c, w->noise, (int32_t) (2 * i + side));
        }
    }
    if (loose && w->low >= 0 && w->high >= 0) {
        for (int d = 0; d < 3; d++) c[d] = wp_bound(w, w->high, 0, d) - wp_bound(w, w->low, 1, d);
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
            const double b = wp_bound(w, i, side, 0) + x * wp_bound(w, i, side, 1)
                             + y * wp_bound(w, i, side, 2);
            if (side && b > low) low = b, w->low = (int32_t) i;
            if (!side && b < high) high = b, w->high = (int32_t) i;
        }
    }
}

static void wp_walk_clip(const wp_walk *w, wp_polygon *p, ptrdiff_t k)
{
    const wp_halfplane *h = w->plane + k;
    wp_polygon_clip(p, h->constant, h->x, h->y, h->slack + 1e-14 * (fabs(h->x) + fabs(h->y)),
                    h->id);
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
        double d = INFINITY;
        if (norm * 1.5 > h->slack) d = at / norm;
        else if (at < -8.0 * h->slack) {
            p->size = 0;
            return;
        }
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
