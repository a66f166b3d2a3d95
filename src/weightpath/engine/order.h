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

#define WP_NOTHING (-1e300)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define WP_ORDER_CLONES \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WP_ORDER_CLONES
#endif

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

/* The pairs that are watched one by one are known by special[first_pair + own_u * n_lower + own_l]
 * not being negative. `marked` has room for all seats. */
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

/* The spread, largest minus least, of the values x + t dx of some documents about their lines
 * anchor + since course. The documents follow one another from x on if `document` is NULL. */
WP_ORDER_CLONES
static double wp_spread(const int *document, ptrdiff_t n, const double *x, const double *dx,
                        double t, const double *anchor, const double *course, double since)
{
    double high[8], low[8];
    ptrdiff_t k = 0;
    for (int l = 0; l < 8; l++) {
        high[l] = WP_NOTHING;
        low[l] = -WP_NOTHING;
    }
    if (!document)
        for (; k + 8 <= n; k += 8)
            for (int l = 0; l < 8; l++) {
                const double off = (x[k + l] - anchor[k + l])
                                   + (t * dx[k + l] - since * course[k + l]);
                high[l] = off > high[l] ? off : high[l];
                low[l] = off < low[l] ? off : low[l];
            }
    for (; k < n; k++) {
        const ptrdiff_t d = document ? document[k] : k;
        const double off = (x[d] - anchor[k]) + (t * dx[d] - since * course[k]);
        high[0] = off > high[0] ? off : high[0];
        low[0] = off < low[0] ? off : low[0];
    }
    for (int l = 1; l < 8; l++) {
        high[0] = high[l] > high[0] ? high[l] : high[0];
        low[0] = low[l] < low[0] ? low[l] : low[0];
    }
    return high[0] - low[0];
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
