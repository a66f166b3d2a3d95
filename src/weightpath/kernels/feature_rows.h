/* Products with rows of features, read where they lie: in single or double precision, all of them
 * or those that an index names. Sums are in double precision.
 */
#ifndef WEIGHTPATH_FEATURE_ROWS_H
#define WEIGHTPATH_FEATURE_ROWS_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "clones.h"


#define WP_ROW_LANES 16

/* Row i has `width` entries and begins `stride` entries after the one before it in `data`; which
 * row of `data` it is, `index` says, if there is one.                                          */
typedef struct {
    const double *wide;   /* NULL where the data are in single precision */
    const float *narrow;
    ptrdiff_t stride, width;
    const ptrdiff_t *index;
} feature_rows;

ALWAYS_INLINE ptrdiff_t wp_row_start(const feature_rows *X, ptrdiff_t i)
{
    return (X->index ? X->index[i] : i) * X->stride;
}

#define WP_DOT(x, y, p, out)                                                            \
    do {                                                                                \
        double sum_[WP_ROW_LANES] = {0}, total_ = 0;                                    \
        ptrdiff_t j_ = 0;                                                               \
        for (; j_ + WP_ROW_LANES <= (p); j_ += WP_ROW_LANES)                            \
            for (int l_ = 0; l_ < WP_ROW_LANES; l_++) sum_[l_] += (x)[j_ + l_] * (y)[j_ + l_]; \
        for (; j_ < (p); j_++) total_ += (x)[j_] * (y)[j_];                             \
        for (int l_ = 0; l_ < WP_ROW_LANES; l_++) total_ += sum_[l_];                   \
        (out) = total_;                                                                 \
    } while (0)

ALWAYS_INLINE double wp_row_times(const feature_rows *X, ptrdiff_t i, const double *v)
{
    const ptrdiff_t at = wp_row_start(X, i);
    double result;
    if (X->wide)
        WP_DOT(X->wide + at, v, X->width, result);
    else
        WP_DOT(X->narrow + at, v, X->width, result);
    return result;
}

/* x_i . v */
WP_CLONES WP_HOT
static double feature_dot(const feature_rows *X, ptrdiff_t i, const double *v)
{
    return wp_row_times(X, i, v);
}

/* out[s] = x_i . v for the i that `list` names, or the first `count` */
WP_CLONES WP_HOT
static void feature_dots(const feature_rows *X, const ptrdiff_t *list, ptrdiff_t count,
                         const double *v, double *out)
{
    for (ptrdiff_t s = 0; s < count; s++) out[s] = wp_row_times(X, list ? list[s] : s, v);
}

/* The same with two vectors, in one pass over the rows. */
WP_CLONES WP_HOT
static void feature_dots_of_two(const feature_rows *X, const ptrdiff_t *list, ptrdiff_t count,
                                const double *v, const double *w, double *out, double *more)
{
    for (ptrdiff_t s = 0; s < count; s++) {
        const ptrdiff_t i = list ? list[s] : s;
        out[s] = wp_row_times(X, i, v);
        more[s] = wp_row_times(X, i, w);
    }
}

/* out += a x_i, and size += |a| |x_i| where it is given */
WP_CLONES WP_HOT
static void feature_add(const feature_rows *X, ptrdiff_t i, double a, double *restrict out)
{
    const ptrdiff_t at = wp_row_start(X, i), p = X->width;
    if (X->wide) {
        const double *restrict x = X->wide + at;
        for (ptrdiff_t j = 0; j < p; j++) out[j] += a * x[j];
    } else {
        const float *restrict x = X->narrow + at;
        for (ptrdiff_t j = 0; j < p; j++) out[j] += a * x[j];
    }
}

/* One number is added to a sum; what the sum rounds off goes into `lost`. */
#define WP_ADD(sum, lost, term)                                                         \
    do {                                                                                \
        const double term_ = (term), before_ = (sum), after_ = before_ + term_;         \
        const double part_ = after_ - before_;                                          \
        (lost) += (before_ - (after_ - part_)) + (term_ - part_);                       \
        (sum) = after_;                                                                 \
    } while (0)

/* out + lost += sum of coef_i x_i, and size += the sum of change_i |x_i| where it is given, over the
 * rows with coef != 0 or change != 0. Terms of different signs may be far larger than their sum.  */
WP_CLONES WP_HOT
static void feature_sums(const feature_rows *X, ptrdiff_t n, const double *coef,
                         const double *change, double *restrict out, double *restrict lost,
                         double *restrict size)
{
    const ptrdiff_t p = X->width;
    for (ptrdiff_t i = 0; i < n; i++) {
        const double a = coef[i], b = change ? change[i] : 0;
        if (a == 0 && b == 0) continue;
        const ptrdiff_t at = wp_row_start(X, i);
        if (X->wide) {
            const double *restrict x = X->wide + at;
            for (ptrdiff_t j = 0; j < p; j++) WP_ADD(out[j], lost[j], a * x[j]);
            for (ptrdiff_t j = 0; b != 0 && j < p; j++) size[j] += b * fabs(x[j]);
        } else {
            const float *restrict x = X->narrow + at;
            for (ptrdiff_t j = 0; j < p; j++) WP_ADD(out[j], lost[j], a * x[j]);
            for (ptrdiff_t j = 0; b != 0 && j < p; j++) size[j] += b * fabs((double)x[j]);
        }
    }
}

/* out[i] = |x_i - c|^2 for `count` rows from `first` on; c = 0 where it is NULL */
WP_CLONES WP_HOT
static void feature_squares(const feature_rows *X, ptrdiff_t first, ptrdiff_t count,
                            const double *c, double *out)
{
    const ptrdiff_t p = X->width;
    for (ptrdiff_t s = 0; s < count; s++) {
        const ptrdiff_t at = wp_row_start(X, first + s);
        double sum[WP_ROW_LANES] = {0}, total = 0, d;
        ptrdiff_t j = 0;
        if (X->wide) {
            const double *x = X->wide + at;
            for (; j + WP_ROW_LANES <= p; j += WP_ROW_LANES)
                for (int l = 0; l < WP_ROW_LANES; l++) {
                    const double e = x[j + l] - (c ? c[j + l] : 0);
                    sum[l] += e * e;
                }
            for (; j < p; j++) d = x[j] - (c ? c[j] : 0), total += d * d;
        } else {
            const float *x = X->narrow + at;
            for (; j + WP_ROW_LANES <= p; j += WP_ROW_LANES)
                for (int l = 0; l < WP_ROW_LANES; l++) {
                    const double e = x[j + l] - (c ? c[j + l] : 0);
                    sum[l] += e * e;
                }
            for (; j < p; j++) d = x[j] - (c ? c[j] : 0), total += d * d;
        }
        for (int l = 0; l < WP_ROW_LANES; l++) total += sum[l];
        out[s] = total;
    }
}

/* Row i in double precision. */
ALWAYS_INLINE void feature_copy(const feature_rows *X, ptrdiff_t i, double *out)
{
    const ptrdiff_t at = wp_row_start(X, i);
    if (X->wide)
        memcpy(out, X->wide + at, X->width * sizeof(double));
    else
        for (ptrdiff_t j = 0; j < X->width; j++) out[j] = X->narrow[at + j];
}

#endif
