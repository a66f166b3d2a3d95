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

#include "margin_system.h"

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
    int32_t exact;   /* whether its numbers are */
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
    double *fixed, *rest, *residual;   /* [3][all]; `rest` was rounded off `fixed` */
    double *beta, *right;              /* [3][capacity], [capacity] */
    wp_exact *exact_beta, *exact_right;
    ptrdiff_t beta_capacity;
    wp_exact sum[3], exact_bias[3];
    double reach, bias[3], noise;
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

/* The same without rounding: what is rounded off goes to `rest`. */
WP_CLONES
static void wp_add_column_exactly(ptrdiff_t n, double factor, const double *coef,
                                  const double *column, double *out, double *rest)
{
    for (int c = 0; c < 3; c++) {
        const double a = factor * coef[c];
        double *restrict p = out + c * n, *restrict q = rest + c * n;
        if (a == 0.0) continue;
        for (ptrdiff_t i = 0; i < n; i++) {
            wp_exact sum = {p[i], q[i]};
            wp_exact_add_product(&sum, a, column[i]);
            p[i] = sum.value, q[i] = sum.rest;
        }
    }
}

/* Row i comes to a knot (sign 1) or leaves it (sign -1). */
static void wp_walk_at_knot(wp_walk *w, ptrdiff_t i, int position, double sign)
{
    const double *knot = wp_knot(w, i, position / 2);
    wp_add_column_exactly(w->n_all, -sign, knot, w->system.K + i * w->system.stride, w->fixed,
                          w->rest);
    for (int c = 0; c < 3; c++) wp_exact_add(w->sum + c, -sign * knot[c]);
    w->reach += sign * w->kappa[i] * (fabs(knot[0]) + fabs(knot[1]) + fabs(knot[2]));
}

static int wp_walk_fresh(wp_walk *w)
{
    memcpy(w->fixed, w->target, 3 * w->n_all * sizeof(double));
    memset(w->rest, 0, 3 * w->n_all * sizeof(double));
    for (int c = 0; c < 3; c++) w->sum[c].value = w->total[c], w->sum[c].rest = 0.0;
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
static inline wp_exact wp_bound(const wp_walk *w, ptrdiff_t i, int side, int c)
{
    wp_exact bound = {w->fixed[c * w->n_all + i], w->rest[c * w->n_all + i]};
    wp_exact_add(&bound, -wp_level(w, i, (w->position[i] + side) / 2)[c]);
    return bound;
}

static int wp_walk_reserve(wp_walk *w, ptrdiff_t m)
{
    if (m <= w->beta_capacity) return 0;
    const ptrdiff_t cap = m + m / 2 + 16;
    double *beta = realloc(w->beta, 4 * cap * sizeof(double));
    if (!beta) return -1;
    w->beta = beta, w->right = beta + 3 * cap;
    wp_exact *exact = realloc(w->exact_beta, 4 * cap * sizeof(wp_exact));
    if (!exact) return -1;
    w->exact_beta = exact, w->exact_right = exact + 3 * cap, w->beta_capacity = cap;
    return 0;
}

/* The bias, and the coefficients of the margin: coefficient c of each. */
static void wp_walk_solve_margin(wp_walk *w, int c)
{
    wp_system *s = &w->system;
    wp_exact *bias = w->exact_bias + c, *beta = w->exact_beta + c * w->beta_capacity;
    double *x = w->beta + c * w->beta_capacity;
    bias->value = bias->rest = 0.0;
    if (wp_walk_is_loose(w)) {
        const double share = w->low >= 0 && w->high >= 0 ? 0.5 : 1.0;
        for (int side = 0; side < 2; side++) {
            const int32_t row = side ? w->low : w->high;
            if (row < 0) continue;
            const wp_exact bound = wp_bound(w, row, side, c);
            wp_exact_add(bias, share * bound.value), bias->rest += share * bound.rest;
        }
    } else {
        for (ptrdiff_t k = 0; k < s->size; k++) {
            /* On its level, the row bounds the bias from both sides. */
            w->exact_right[k] = wp_bound(w, s->member[k], 0, c);
            w->right[k] = wp_exact_value(w->exact_right + k);
        }
        memcpy(x, w->right, s->size * sizeof(double));
        bias->value = s->size ? wp_system_solve_once(s, x, wp_exact_value(w->sum + c)) : 0.0;
        for (ptrdiff_t k = 0; k < s->size; k++) beta[k].value = x[k], beta[k].rest = 0.0;
        wp_system_refine(s, w->exact_right, w->sum + c, beta, bias);
        for (ptrdiff_t k = 0; k < s->size; k++) x[k] = wp_exact_value(beta + k);
        if (!w->has_bias) bias->value = bias->rest = 0.0;
    }
    w->bias[c] = wp_exact_value(bias);
}

/* Coefficients of the margin and the bias, and the residuals of rows `from` to `to`. */
static int wp_walk_solve(wp_walk *w, ptrdiff_t from, ptrdiff_t to)
{
    wp_system *s = &w->system;
    const ptrdiff_t m = s->size, all = w->n_all;
    if (wp_walk_reserve(w, m)) return -1;
    for (int c = 0; c < 3; c++) wp_walk_solve_margin(w, c);
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

#endif
