/* Passes of the working-set solver over the rows: choose a pair of rows, and apply its step.
 *
 * g is the gradient t - K beta. A row can rise to the next interval of its staircase where g minus
 * the level above exceeds the bias, and fall where g minus the level below is less than the bias;
 * a level of +-infinity says that it cannot. Rows may be a selection: `index` gives the place of
 * each in the columns, NULL that all rows are there, in order. A column may be packed instead: a
 * float for each row. Blocks of WP_BLOCK rows stay in the first-level cache, and only a block with a
 * larger value than all before is searched for its row.
 */
#ifndef WEIGHTPATH_WORKING_SET_H
#define WEIGHTPATH_WORKING_SET_H

#include <stdint.h>

#include "sweep.h"

/* Largest element of a block of WP_BLOCK numbers, in eight independent lanes. */
ALWAYS_INLINE double ws_block_max(const double *x)
{
    double lane[8];
    for (int l = 0; l < 8; l++) lane[l] = x[l];
    for (ptrdiff_t k = 8; k < WP_BLOCK; k += 8)
        for (int l = 0; l < 8; l++) lane[l] = x[k + l] > lane[l] ? x[k + l] : lane[l];
    for (int l = 1; l < 8; l++)
        if (lane[l] > lane[0]) lane[0] = lane[l];
    return lane[0];
}

/* The first place of a value that is in the block. */
ALWAYS_INLINE ptrdiff_t ws_place_of(const double *x, double value)
{
    ptrdiff_t k = 0;
    while (x[k] != value) k++;
    return k;
}

/* out[k] = entries of rows from, from + 1, ... of a column, packed or not; in doubles */
ALWAYS_INLINE const double *ws_entries(ptrdiff_t from, ptrdiff_t len, const int32_t *index,
                                       const double *column, const float *packed, double *out)
{
    if (packed)
        for (ptrdiff_t k = 0; k < len; k++) out[k] = packed[from + k];
    else if (index)
        for (ptrdiff_t k = 0; k < len; k++) out[k] = column[index[from + k]];
    else
        return column + from;
    return out;
}

/* g -= step * (up - down);  return max (g - above); out: where it is, -1 if it is -infinity.
 * `up` and `down` are the columns of the rows that rise and fall by `step`.                   */
WP_CLONES WP_HOT
static double ws_apply_step(ptrdiff_t n, const int32_t *index, double step, const double *up,
                            const double *down, const float *packed_up, const float *packed_down,
                            double *g, const double *above, ptrdiff_t *where)
{
    double best = -INFINITY, value[WP_BLOCK], rise[WP_BLOCK], fall[WP_BLOCK];
    *where = -1;
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        double *restrict gg = g + from;
        const double *restrict aa = above + from;
        const double *restrict uu = ws_entries(from, len, index, up, packed_up, rise);
        const double *restrict dd = ws_entries(from, len, index, down, packed_down, fall);
        for (ptrdiff_t k = 0; k < len; k++) gg[k] -= step * (uu[k] - dd[k]);
        for (ptrdiff_t k = 0; k < len; k++) value[k] = gg[k] - aa[k];
        for (ptrdiff_t k = len; k < WP_BLOCK; k++) value[k] = -INFINITY;
        const double largest = ws_block_max(value);
        if (largest > best) {
            best = largest;
            *where = from + ws_place_of(value, largest);
        }
    }
    return best;
}

/* The row that should fall while row i, whose g minus the level above is `top`, rises: the one with
 * the largest gain (top - low)^2 / (K_ii + K_jj - 2 K_ij), where low = g - below is less than top.
 * `column` is that of row i, `own` its diagonal entry. Returns min low; out: the row, -1 if there
 * is none.                                                                                      */
WP_CLONES WP_HOT
static double ws_choose_partner(ptrdiff_t n, const int32_t *index, double top, double own,
                                double least, const double *column, const float *packed,
                                const double *diag, const double *g, const double *below,
                                ptrdiff_t *where)
{
    double lowest = INFINITY, best = 0.0, gain[WP_BLOCK], low[WP_BLOCK], inner[WP_BLOCK];
    *where = -1;
    for (ptrdiff_t from = 0; from < n; from += WP_BLOCK) {
        const ptrdiff_t len = n - from < WP_BLOCK ? n - from : WP_BLOCK;
        const double *restrict gg = g + from, *restrict bb = below + from;
        const double *restrict dd = diag + from;
        const double *restrict kk = ws_entries(from, len, index, column, packed, inner);
        for (ptrdiff_t k = 0; k < len; k++) {
            double gap, curvature = own + dd[k] - 2.0 * kk[k];
            low[k] = gg[k] - bb[k];
            gap = top - low[k];
            gap = gap > 0.0 ? gap : 0.0;
            curvature = curvature > least ? curvature : least;
            gain[k] = gap * gap / curvature;
        }
        for (ptrdiff_t k = len; k < WP_BLOCK; k++) {
            gain[k] = 0.0;
            low[k] = INFINITY;
        }
        const double largest = ws_block_max(gain), smallest = wp_block_min(low);
        lowest = smallest < lowest ? smallest : lowest;
        if (largest > best) {
            best = largest;
            *where = from + ws_place_of(gain, largest);
        }
    }
    return lowest;
}

#endif
