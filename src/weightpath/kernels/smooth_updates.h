/*
 * Multiples of a few columns of the Gaussian kernel of one or two features, subtracted from vectors
 * over very many rows.
 *
 * The plane is cut into boxes as in smooth_products.h, but into so small ones that polynomials of
 * degree below FINE, of both coordinates together, are exact to the last bit: with x = sqrt(gamma) h
 * / sqrt(2) the terms left out add up to less than
 *
 *     4 x^FINE (sum over i of 1 / sqrt(i! (FINE - i)!)) (1 + ...) < 3e-17        for s <= FINEST.
 *
 * The coefficients of all boxes come from the columns by a product of two matrices; the rows are
 * sorted by their boxes, and a row costs a sum of FINE (FINE + 1) / 2 terms however many columns
 * there are.
 */
#ifndef WEIGHTPATH_SMOOTH_UPDATES_H
#define WEIGHTPATH_SMOOTH_UPDATES_H

#include "smooth_products.h"

#define FINE 8
#define FINEST 0.0124
#define TILE 8

/* Coefficients, in all boxes of coordinate k, of the Gaussians around `count` points x, times
   `factor` if that is given: a row of FINE numbers for each box, and such rows for each point */
static void fine_coefficients(const smooth_boxes *boxes, int k, double gamma, ptrdiff_t count,
                              const double *x, const double *factor, double *out)
{
    const double PI = 3.14159265358979323846;
    double node[FINE], wave[FINE][FINE], value[FINE];
    for (int i = 0; i < FINE; i++) {
        node[i] = cos(PI * (i + 0.5) / FINE);
        for (int j = 0; j < FINE; j++)
            wave[i][j] = (i ? 2.0 : 1.0) / FINE * cos(PI * i * (j + 0.5) / FINE);
    }
    for (ptrdiff_t c = 0; c < count; c++) {
        const double times = factor ? factor[c] : 1.0;
        for (ptrdiff_t b = 0; b < boxes->count[k]; b++, out += FINE) {
            const double middle = (boxes->least[k] - x[c]) + boxes->half * (2.0 * (double)b + 1.0);
            for (int j = 0; j < FINE; j++) {
                const double away = middle + boxes->half * node[j];
                value[j] = times * exp_nonpositive(-gamma * (away * away));
            }
            for (int i = 0; i < FINE; i++) {
                double sum = 0.0;
                for (int j = 0; j < FINE; j++) sum += wave[i][j] * value[j];
                out[i] = sum;
            }
        }
    }
}

/* T[k][l] = T_k(t[l]) */
ALWAYS_INLINE void fine_polynomials(const double *RESTRICT t, double T[FINE][TILE])
{
    for (int l = 0; l < TILE; l++) {
        T[0][l] = 1.0;
        T[1][l] = t[l];
    }
#pragma GCC unroll 8
    for (int k = 2; k < FINE; k++)
        for (int l = 0; l < TILE; l++) T[k][l] = 2.0 * t[l] * T[k - 1][l] - T[k - 2][l];
}

/* out[l] = the sum of the polynomials with coefficients C, whose rows are `width` numbers apart */
ALWAYS_INLINE void fine_values(const double *RESTRICT C, ptrdiff_t width,
                               const double T0[FINE][TILE], const double T1[FINE][TILE],
                               double *RESTRICT out)
{
    for (int l = 0; l < TILE; l++) out[l] = 0.0;
#pragma GCC unroll 8
    for (int i = 0; i < FINE; i++) {
        const double *RESTRICT coef = C + i * width;
        double sum[TILE];
        for (int l = 0; l < TILE; l++) sum[l] = coef[0];
#pragma GCC unroll 8
        for (int j = 1; j < FINE - i; j++)
            for (int l = 0; l < TILE; l++) sum[l] += coef[j] * T1[j][l];
        for (int l = 0; l < TILE; l++) out[l] += sum[l] * T0[i][l];
    }
}

/*
 * Subtract from each of up to three vectors v the polynomials with coefficients C. `row` has the
 * rows sorted by boxes, t0 and t1 their places in them, padded by TILE numbers; box `b` has those
 * from start[b] on.
 */
WP_CLONES WP_HOT
static void fine_subtract(const smooth_boxes *boxes, const ptrdiff_t *start, const ptrdiff_t *row,
                          const double *t0, const double *t1, int count, const double *const *C,
                          double *const *v)
{
    double T0[FINE][TILE], T1[FINE][TILE], value[3][TILE];
    const ptrdiff_t width = boxes->count[1] * FINE;
    for (ptrdiff_t b = 0; b < boxes->count[0] * boxes->count[1]; b++) {
        const ptrdiff_t at = b / boxes->count[1] * FINE * width + b % boxes->count[1] * FINE;
        for (ptrdiff_t s = start[b]; s < start[b + 1]; s += TILE) {
            const ptrdiff_t some = start[b + 1] - s < TILE ? start[b + 1] - s : TILE;
            fine_polynomials(t0 + s, T0);
            fine_polynomials(t1 + s, T1);
            for (int c = 0; c < count; c++) fine_values(C[c] + at, width, T0, T1, value[c]);
            for (int c = 0; c < count; c++)
                for (ptrdiff_t l = 0; l < some; l++) v[c][row[s + l]] -= value[c][l];
        }
    }
}

#endif
