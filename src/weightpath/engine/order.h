/* The order of the values in one table of pairs, and the first pair that would break it.
 *
 * A table has uppers with the values u = rho + target and lowers with the values l = rho. The
 * residual of a pair is r = u - l: it is inside while the lower comes first and outside while the
 * upper does. So one order of all values tells the state of every pair of the table, and going
 * through it once with running maxima checks them all.
 */
#ifndef WEIGHTPATH_ORDER_H
#define WEIGHTPATH_ORDER_H

#include <stddef.h>

#include "sweep.h"

#define WP_NOTHING (-1e300)

/* One seat in the order of a table. */
typedef struct {
    double lift;            /* the target for an upper, zero for a lower */
    int document;
    int own;                /* number among the uppers, or among the lowers */
    int marks;              /* pairs of it that are watched one by one */
    int is_upper;
} wp_seat;

typedef struct {
    double worst;           /* how far an earlier value is above a later one of the other kind */
    ptrdiff_t upper, lower; /* whose: seats in the table */
} wp_break;

/* A table without pairs that are watched one by one. No branch hangs on the kind of a seat: what
 * does not count has WP_NOTHING added, in which every value is lost. */
WP_HOT
static wp_break wp_scan_plain(const wp_seat *seat, ptrdiff_t n, const double *x, const double *dx,
                              double t, double *value)
{
    static const double off[2] = {0, WP_NOTHING};
    double lowers = WP_NOTHING, uppers = WP_NOTHING, worst = WP_NOTHING;
    ptrdiff_t late = -1, early = -1;
    for (ptrdiff_t k = 0; k < n; k++) {
        const wp_seat *here = seat + k;
        const double v = x[here->document] + t * dx[here->document] + here->lift;
        const double not_upper = off[1 - here->is_upper], not_lower = off[here->is_upper];
        const double one = (lowers - v) + not_upper, two = (uppers - v) + not_lower;
        const double gap = one > two ? one : two;
        const double lower = v + not_lower, upper = v + not_upper;
        value[k] = v;
        lowers = lower > lowers ? lower : lowers;
        uppers = upper > uppers ? upper : uppers;
        if (gap > worst) {
            worst = gap;
            late = k;
        }
    }
    for (ptrdiff_t k = 0; k < late; k++)
        if (seat[k].is_upper != seat[late].is_upper && (early < 0 || value[k] > value[early]))
            early = k;
    if (early < 0) return (wp_break){WP_NOTHING, -1, -1};
    return seat[late].is_upper ? (wp_break){worst, late, early} : (wp_break){worst, early, late};
}

/* How far the order of such a table is broken now and at time t, both in one pass: it waits for
 * running maxima, not for numbers, and those of two times do not wait for each other. */
WP_HOT
static void wp_scan_twice(const wp_seat *seat, ptrdiff_t n, const double *x, const double *dx,
                          double t, double *worst_now, double *worst_then)
{
    static const double off[2] = {0, WP_NOTHING};
    double lowers[2] = {WP_NOTHING, WP_NOTHING}, uppers[2] = {WP_NOTHING, WP_NOTHING};
    double worst[2] = {WP_NOTHING, WP_NOTHING};
    for (ptrdiff_t k = 0; k < n; k++) {
        const wp_seat *here = seat + k;
        const double not_upper = off[1 - here->is_upper], not_lower = off[here->is_upper];
        const double now = x[here->document] + here->lift;
        const double v[2] = {now, now + t * dx[here->document]};
        for (int s = 0; s < 2; s++) {
            const double one = (lowers[s] - v[s]) + not_upper, two = (uppers[s] - v[s]) + not_lower;
            const double gap = one > two ? one : two;
            const double lower = v[s] + not_lower, upper = v[s] + not_upper;
            lowers[s] = lower > lowers[s] ? lower : lowers[s];
            uppers[s] = upper > uppers[s] ? upper : uppers[s];
            worst[s] = gap > worst[s] ? gap : worst[s];
        }
    }
    *worst_now = worst[0];
    *worst_then = worst[1];
}

/* The pairs that are watched one by one are known by special[first_pair + own_u * n_lower + own_l]
 * not being negative. `marked` has room for all seats. */
WP_HOT
static wp_break wp_scan(const wp_seat *seat, ptrdiff_t n, ptrdiff_t n_lower, const double *x,
                        const double *dx, double t, const int *special, double *value,
                        ptrdiff_t *marked)
{
    wp_break found = {WP_NOTHING, -1, -1};
    /* Running maxima by kind (0 lower, 1 upper): over all seats, and over those without marks. */
    double all[2] = {WP_NOTHING, WP_NOTHING}, free_only[2] = {WP_NOTHING, WP_NOTHING};
    ptrdiff_t arg_all[2] = {-1, -1}, arg_free[2] = {-1, -1};
    ptrdiff_t n_marked = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        const wp_seat *here = seat + k;
        const int kind = here->is_upper, other = 1 - kind;
        const double v = x[here->document] + t * dx[here->document] + here->lift;
        value[k] = v;
        if (here->marks == 0) {
            const double gap = all[other] - v;
            if (gap > found.worst) {
                found.worst = gap;
                found.upper = kind ? k : arg_all[other];
                found.lower = kind ? arg_all[other] : k;
            }
            if (v > free_only[kind]) {
                free_only[kind] = v;
                arg_free[kind] = k;
            }
        } else {
            double gap = free_only[other] - v;
            ptrdiff_t with = arg_free[other];
            for (ptrdiff_t m = 0; m < n_marked; m++) {
                const wp_seat *there = seat + marked[m];
                if (there->is_upper == kind || value[marked[m]] - v <= gap) continue;
                const ptrdiff_t pair = kind ? here->own * n_lower + there->own
                                            : there->own * n_lower + here->own;
                if (special[pair] >= 0) continue;
                gap = value[marked[m]] - v;
                with = marked[m];
            }
            if (gap > found.worst) {
                found.worst = gap;
                found.upper = kind ? k : with;
                found.lower = kind ? with : k;
            }
            marked[n_marked++] = k;
        }
        if (v > all[kind]) {
            all[kind] = v;
            arg_all[kind] = k;
        }
    }
    return found;
}

/* x += step * dx;  dx = g - sum_k coef_k col_k;  turn[block] = max |change of dx| in each block */
WP_CLONES WP_HOT
static void wp_advance_documents(ptrdiff_t n, double step, ptrdiff_t m, const double *const *col,
                                 const double *coef, const double *g, double *x, double *dx,
                                 double *turn)
{
    double acc[WP_BLOCK];
    for (ptrdiff_t from = 0, block = 0; from < n; from += WP_BLOCK, block++) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict xx = x + from, *restrict dd = dx + from;
        const double *restrict gg = g + from;
        for (ptrdiff_t j = 0; j < len; j++) acc[j] = gg[j];
        wp_subtract_columns(acc, from, len, m, col, coef);
        for (ptrdiff_t j = 0; j < len; j++) {
            const double d = acc[j];
            xx[j] += step * dd[j];
            acc[j] = -fabs(d - dd[j]);
            dd[j] = d;
        }
        for (ptrdiff_t j = len; j < WP_BLOCK; j++) acc[j] = 0;
        turn[block] = -wp_block_min(acc);
    }
}

/* Spreads, largest minus least, of some documents about their lines anchor + since course. */
typedef struct {
    double now, speed;      /* of x - anchor - since course, and of dx - course */
    double then;            /* of the first after a time t: never more than now + t speed */
} wp_spreads;

/* The documents follow one another from x on if `document` is NULL. */
WP_CLONES WP_HOT
static wp_spreads wp_spread(const int *document, ptrdiff_t n, const double *x, const double *dx,
                            double t, const double *anchor, const double *course, double since)
{
    double high[3][8], low[3][8];
    ptrdiff_t k = 0;
    for (int s = 0; s < 3; s++)
        for (int l = 0; l < 8; l++) {
            high[s][l] = WP_NOTHING;
            low[s][l] = -WP_NOTHING;
        }
    if (!document)
        for (; k + 8 <= n; k += 8)
            for (int l = 0; l < 8; l++) {
                const double speed = dx[k + l] - course[k + l];
                const double now = (x[k + l] - anchor[k + l]) - since * course[k + l];
                const double then = now + t * speed;
                high[0][l] = now > high[0][l] ? now : high[0][l];
                low[0][l] = now < low[0][l] ? now : low[0][l];
                high[1][l] = speed > high[1][l] ? speed : high[1][l];
                low[1][l] = speed < low[1][l] ? speed : low[1][l];
                high[2][l] = then > high[2][l] ? then : high[2][l];
                low[2][l] = then < low[2][l] ? then : low[2][l];
            }
    for (; k < n; k++) {
        const ptrdiff_t d = document ? document[k] : k;
        const double speed = dx[d] - course[k], now = (x[d] - anchor[k]) - since * course[k];
        const double value[3] = {now, speed, now + t * speed};
        for (int s = 0; s < 3; s++) {
            high[s][0] = value[s] > high[s][0] ? value[s] : high[s][0];
            low[s][0] = value[s] < low[s][0] ? value[s] : low[s][0];
        }
    }
    for (int s = 0; s < 3; s++)
        for (int l = 1; l < 8; l++) {
            high[s][0] = high[s][l] > high[s][0] ? high[s][l] : high[s][0];
            low[s][0] = low[s][l] < low[s][0] ? low[s][l] : low[s][0];
        }
    return (wp_spreads){high[0][0] - low[0][0], high[1][0] - low[1][0], high[2][0] - low[2][0]};
}

/* Put the two seats in the other order, all other pairs of kinds staying as they are. 0 if done,
 * 1 if something in between does not allow it. `kept` has room for all seats. */
static int wp_swap(wp_seat *seat, ptrdiff_t early, ptrdiff_t late, wp_seat *kept)
{
    const wp_seat one = seat[early], two = seat[late];
    ptrdiff_t n_kept = 0, to = early;
    for (ptrdiff_t k = early + 1; k < late; k++) {
        if (seat[k].is_upper == two.is_upper)
            n_kept++;
        else if (n_kept)
            return 1;
    }
    n_kept = 0;
    for (ptrdiff_t k = early + 1; k < late; k++) {
        if (seat[k].is_upper == two.is_upper)
            kept[n_kept++] = seat[k];
        else
            seat[to++] = seat[k];
    }
    seat[to++] = two;
    seat[to++] = one;
    for (ptrdiff_t k = 0; k < n_kept; k++) seat[to++] = kept[k];
    return 0;
}

/* Sort a nearly sorted order by value; equal values keep their order. */
static void wp_sort(wp_seat *seat, ptrdiff_t n, const double *x, double *value)
{
    for (ptrdiff_t k = 0; k < n; k++) value[k] = x[seat[k].document] + seat[k].lift;
    for (ptrdiff_t k = 1; k < n; k++) {
        const wp_seat here = seat[k];
        const double v = value[k];
        ptrdiff_t j = k;
        for (; j > 0 && value[j - 1] > v; j--) {
            seat[j] = seat[j - 1];
            value[j] = value[j - 1];
        }
        seat[j] = here;
        value[j] = v;
    }
}

#endif
