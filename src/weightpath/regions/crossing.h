/* What changes where an edge of a region is crossed.
 *
 * Mostly one row changes its position. Three cases are exchanges, in which the solution jumps along
 * a direction that changes no other condition, until a second row stops it: the last row of the
 * margin leaves (the bias moves), a row depends on the margin (coefficients move, the function does
 * not), and the two bounds of a loose bias meet. Which row stops the jump can differ along the
 * edge, so that an edge has several pieces, each with a neighbour of its own.
 */
#ifndef WEIGHTPATH_CROSSING_H
#define WEIGHTPATH_CROSSING_H

#include "halfplanes.h"

/* Thresholds of pivots, as in the engine; components of a null direction below a fraction of the
 * largest stop nothing.                                                                        */
typedef struct {
    double pivot, roundings, least_diagonal, null_noise;
} wp_pivot_rules;

/* A row that can stop a jump: the length of the jump at both ends of the edge, and what it does. */
typedef struct {
    double first, last;
    wp_step step;
} wp_stop;

typedef struct {
    ptrdiff_t size, capacity;
    wp_stop *stop;
    double *null;   /* the direction of the margin, with room for one more */
    ptrdiff_t null_capacity;
} wp_stops;

typedef struct {
    double x[2], y[2];   /* the ends of an edge */
} wp_ends;

static inline double wp_affine(double c, double dx, double dy, const wp_ends *e, int end)
{
    return c + dx * e->x[end] + dy * e->y[end];
}

static int wp_stops_add(wp_stops *s, const double first_last[2], const wp_step *step)
{
    if (s->size == s->capacity) {
        const ptrdiff_t cap = 2 * s->capacity + 64;
        wp_stop *stop = realloc(s->stop, cap * sizeof(wp_stop));
        if (!stop) return -1;
        s->stop = stop, s->capacity = cap;
    }
    wp_stop *own = s->stop + s->size++;
    own->first = first_last[0], own->last = first_last[1], own->step = *step;
    return 0;
}

static wp_step wp_no_step(const wp_walk *w)
{
    const wp_step step = {{{-1, 0, 0}, {-1, 0, 0}}, w->low, w->high};
    return step;
}

static wp_change wp_change_of(const wp_walk *w, ptrdiff_t i, int by)
{
    const wp_change change = {(int32_t) i, w->position[i], (int8_t) (w->position[i] + by)};
    return change;
}

/* Distance of member k from the knot on a side, at both ends of an edge. */
static void wp_room_of_member(const wp_walk *w, ptrdiff_t k, int side, const wp_ends *e,
                              double out[2])
{
    const ptrdiff_t i = w->system.member[k], cap = w->beta_capacity;
    const double *knot = wp_knot(w, i, w->position[i] / 2 - 1 + side), *b = w->beta + k;
    for (int end = 0; end < 2; end++) {
        out[end] = wp_affine(knot[0] - b[0], knot[1] - b[cap], knot[2] - b[2 * cap], e, end);
        if (!side) out[end] = -out[end];
    }
}

/* The width of the interval beside the knot of row i. */
static void wp_width(const wp_walk *w, ptrdiff_t knot, ptrdiff_t i, int direction,
                     const wp_ends *e, double out[2])
{
    const double *a = wp_knot(w, i, knot), *b = wp_knot(w, i, knot + direction);
    for (int end = 0; end < 2; end++)
        out[end] = fabs(wp_affine(b[0] - a[0], b[1] - a[1], b[2] - a[2], e, end));
}

/* The last row of the margin leaves: the bias moves until another row meets its level. */
static int wp_cross_by_bias(const wp_walk *w, ptrdiff_t i, int side, const wp_ends *e, wp_stops *s)
{
    const int by = side ? 1 : -1;
    const ptrdiff_t all = w->n_all;
    for (ptrdiff_t j = 0; j < w->n; j++) {
        if (w->idle[j]) continue;
        const int p = j == i ? w->position[i] + by : w->position[j];
        if (wp_is_free(p)) continue;
        const double *level = wp_level(w, j, (p + side) / 2);
        if (isinf(level[0])) continue;
        double room[2];
        for (int end = 0; end < 2; end++) {
            const double *r = w->residual + j;
            room[end] = wp_affine(level[0] - r[0], level[1] - r[all], level[2] - r[2 * all], e, end);
            if (!side) room[end] = -room[end];
        }
        wp_step step = wp_no_step(w);
        step.change[0] = wp_change_of(w, i, j == i ? 2 * by : by);
        if (j != i) step.change[1] = wp_change_of(w, j, by);
        if (wp_stops_add(s, room, &step)) return -1;
    }
    return 0;
}

/* Row i depends on the margin: it moves along the null direction until a row meets a knot. */
static int wp_cross_by_null(const wp_walk *w, ptrdiff_t i, int side, const wp_ends *e,
                            double null_noise, wp_stops *s)
{
    const int by = side ? 1 : -1;
    const ptrdiff_t m = w->system.size, knot = w->position[i] / 2;
    double largest = 1.0, room[2];
    wp_step step;
    for (ptrdiff_t k = 0; k < m; k++) largest = fmax(largest, fabs(s->null[k]));
    for (ptrdiff_t k = 0; k < m; k++) {
        const double speed = -by * s->null[k];
        if (fabs(speed) <= null_noise * largest) continue;
        const ptrdiff_t row = w->system.member[k], end = w->position[row] / 2 - 1 + (speed > 0.0);
        if (end < 0 || end >= w->n_knots) continue;
        wp_room_of_member(w, k, speed > 0.0, e, room);
        room[0] = fmax(room[0], 0.0) / fabs(speed), room[1] = fmax(room[1], 0.0) / fabs(speed);
        step = wp_no_step(w);
        step.change[0] = wp_change_of(w, row, speed > 0.0 ? 1 : -1);
        step.change[1] = wp_change_of(w, i, by);
        if (wp_stops_add(s, room, &step)) return -1;
    }
    if (knot + by >= 0 && knot + by < w->n_knots) {
        wp_width(w, knot, i, by, e, room);
        step = wp_no_step(w);
        step.change[0] = wp_change_of(w, i, 2 * by);
        if (wp_stops_add(s, room, &step)) return -1;
    }
    return 0;
}

/* The bounds of a loose bias meet, at rows that depend on each other: one rises, one falls. */
static int wp_cross_by_pair(const wp_walk *w, const wp_ends *e, wp_stops *s)
{
    const ptrdiff_t low = w->low, high = w->high;
    double rise[2], fall[2];
    wp_step step = wp_no_step(w);
    wp_width(w, w->position[low] / 2, low, 1, e, rise);
    wp_width(w, w->position[high] / 2, high, -1, e, fall);
    if (rise[0] == fall[0] && rise[1] == fall[1]) {
        step.change[0] = wp_change_of(w, low, 2), step.change[1] = wp_change_of(w, high, -2);
        step.low = (int32_t) high, step.high = (int32_t) low;
        return wp_stops_add(s, rise, &step);
    }
    step.low = step.high = -1;
    step.change[0] = wp_change_of(w, low, 2), step.change[1] = wp_change_of(w, high, -1);
    if (wp_stops_add(s, rise, &step)) return -1;
    step.change[0] = wp_change_of(w, low, 1), step.change[1] = wp_change_of(w, high, -2);
    return wp_stops_add(s, fall, &step);
}

/* A row leaves the margin. Where two are left and both reach their knots everywhere on the edge,
 * because their sum is given, both leave, and the bias is loose.                                */
static int wp_cross_by_leaving(const wp_walk *w, ptrdiff_t i, int side, const wp_ends *e,
                               wp_stops *s)
{
    static const double nothing[2] = {0.0, 0.0};
    const ptrdiff_t m = w->system.size;
    wp_step step = wp_no_step(w);
    step.change[0] = wp_change_of(w, i, side ? 1 : -1);
    if (w->has_bias && m == 2) {
        const ptrdiff_t k = w->system.member[0] == i, j = w->system.member[k];
        const ptrdiff_t end = w->position[j] / 2 - side;
        if (end >= 0 && end < w->n_knots) {
            const double *b = w->beta + k, *knot = wp_knot(w, j, end), *own = wp_knot(
                w, i, w->position[i] / 2 - 1 + side);
            int same = 1;
            for (int c = 0; c < 3; c++) {
                /* The sum of both, without them. */
                const double sum = wp_exact_value(w->sum + c), left = sum - own[c] - knot[c];
                const double size = fabs(own[c]) + fabs(knot[c]) + fabs(b[c * w->beta_capacity]);
                same = same && fabs(left) <= 1e-12 * (size + fabs(sum));
            }
            if (same) {
                step.change[1] = wp_change_of(w, j, side ? -1 : 1);
                /* The row that rises to its knot keeps the residual above its level. */
                step.low = (int32_t) (side ? j : i), step.high = (int32_t) (side ? i : j);
            }
        }
    }
    return wp_stops_add(s, nothing, &step);
}

/* Row i bounds a loose bias from below (side 1) or above. If it was the bound on the other side, and
 * its levels are as far apart as those of the row that it replaces, the two change places.        */
static void wp_take_over(const wp_walk *w, int32_t i, int side, const wp_ends *e, wp_step *step)
{
    const int32_t old = side ? w->low : w->high, other = side ? w->high : w->low;
    *(side ? &step->low : &step->high) = i;
    if (i != other || old < 0 || isinf(wp_level(w, old, (w->position[old] + !side) / 2)[0])) return;
    for (int end = 0; end < 2; end++) {
        double c[3];
        for (int d = 0; d < 3; d++) {
            const wp_exact a = wp_bound(w, old, !side, d), b = wp_bound(w, other, !side, d);
            c[d] = (a.value - b.value) + (a.rest - b.rest);
        }
        if (fabs(wp_affine(c[0], c[1], c[2], e, end)) > w->noise) return;
    }
    *(side ? &step->high : &step->low) = old;
}

/* Fill `s` with the steps across an edge and the lengths of their jumps; -1 when memory is short. */
static int wp_cross(const wp_walk *w, int32_t id, const wp_ends *e, const wp_pivot_rules *rules,
                    wp_stops *s)
{
    static const double nothing[2] = {0.0, 0.0};
    const ptrdiff_t i = id / 2, m = w->system.size;
    const int side = id % 2;
    double bias;
    wp_step step = wp_no_step(w);
    s->size = 0;
    if (m + 1 > s->null_capacity) {
        double *null = realloc(s->null, (2 * m + 16) * sizeof(double));
        if (!null) return -1;
        s->null = null, s->null_capacity = 2 * m + 16;
    }
    if (id == WP_MEET) {
        const double kll = wp_kernel(&w->system, w->low, w->low);
        const double khh = wp_kernel(&w->system, w->high, w->high);
        const double pivot = kll + khh - 2.0 * wp_kernel(&w->system, w->low, w->high);
        if (!(pivot > rules->roundings * DBL_EPSILON * (kll + khh + w->system.largest)))
            return wp_cross_by_pair(w, e, s);
        step.change[0] = wp_change_of(w, w->low, 1), step.change[1] = wp_change_of(w, w->high, -1);
        step.low = step.high = -1;
        return wp_stops_add(s, nothing, &step);
    }
    if (wp_walk_is_loose(w)) {
        wp_take_over(w, (int32_t) i, side, e, &step);
        return wp_stops_add(s, nothing, &step);
    }
    if (wp_is_free(w->position[i])) {
        if (w->has_bias && m == 1) return wp_cross_by_bias(w, i, side, e, s);
        return wp_cross_by_leaving(w, i, side, e, s);
    }
    if (wp_system_depends(&w->system, i, rules->pivot, rules->roundings, rules->least_diagonal,
                          s->null, &bias))
        return wp_cross_by_null(w, i, side, e, rules->null_noise, s);
    step.change[0] = wp_change_of(w, i, side ? 1 : -1);
    return wp_stops_add(s, nothing, &step);
}

/* The first stop at `t` on an edge, from 0 to 1, and the t up to which it stays the first. `before`
 * was the first until t, or -1.                                                                   */
static ptrdiff_t wp_first_stop(const wp_stops *s, double t, ptrdiff_t before, double *until)
{
    ptrdiff_t best = -1;
    double least = INFINITY;
    *until = 1.0;
    if (s->size == 1) return 0;
    for (ptrdiff_t j = 0; j < s->size; j++) {
        if (j == before) continue;
        const wp_stop *o = s->stop + j;
        const double at = o->first + t * (o->last - o->first);
        if (at < least || (at == least && o->last < s->stop[best].last)) least = at, best = j;
    }
    if (best < 0) return -1;
    const wp_stop *b = s->stop + best;
    for (ptrdiff_t j = 0; j < s->size; j++) {
        const wp_stop *o = s->stop + j;
        const double a = o->first - b->first, z = o->last - b->last;
        if (j == best || !(z < a)) continue;
        const double meets = a / (a - z);
        if (meets > t && meets < *until) *until = meets;
    }
    return best;
}

#endif
