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

#include <stdlib.h>

#include "smooth_products.h"

#define FINE 8
#define FINEST 0.0124
#define TILE 8

/* Columns that are subtracted together. */
#define SOURCES 128

/* The rows sorted by boxes: those of box b are from start[b] to start[b + 1], at places t in it, and
   padded by TILE numbers. Room for the coefficients of three vectors, and for what they are made
   of: the points, and their coefficients in each coordinate. */
typedef struct {
    smooth_boxes boxes;
    ptrdiff_t *start, *row;
    double *t[2], *table[3], *side[2], *point[2];
} fine_boxes;

static void fine_close(fine_boxes *fine)
{
    if (!fine) return;
    free(fine->start);
    free(fine->t[0]);
    free(fine);
}

/* Where row i is: its box in coordinate k, and its place there */
static ptrdiff_t fine_place(const smooth_boxes *boxes, const double *panels, ptrdiff_t p, ptrdiff_t k,
                            ptrdiff_t i, double *t)
{
    /* A feature that is not there is 0. */
    const double x = k < p ? panels[(i / LANES * p + k) * LANES + i % LANES] : 0.0;
    const double from = x - boxes->least[k];
    ptrdiff_t b = (ptrdiff_t)(from * 0.5 * boxes->inverse);
    b = b < boxes->count[k] ? b : boxes->count[k] - 1;
    *t = (from - boxes->half * (2.0 * (double)b + 1.0)) * boxes->inverse;
    return b;
}

/* Sort n rows from `first` on; NULL without memory, or with more than `most` coefficients */
static fine_boxes *fine_open(const double *panels, ptrdiff_t p, ptrdiff_t first, ptrdiff_t n,
                             double gamma, double most)
{
    fine_boxes *fine = (fine_boxes *)calloc(1, sizeof(fine_boxes));
    smooth_boxes *boxes = fine ? &fine->boxes : NULL;
    if (!fine || !smooth_open(panels, p, first, n, gamma, FINEST, boxes)
        || (double)(boxes->count[0] * boxes->count[1]) * (FINE * FINE) > most) {
        fine_close(fine);
        return NULL;
    }
    const ptrdiff_t count = boxes->count[0] * boxes->count[1], wide = boxes->count[1];
    const size_t side = (size_t)(boxes->count[0] > wide ? boxes->count[0] : wide) * FINE * SOURCES;
    const size_t size = (size_t)count * FINE * FINE, rows = (size_t)(n + TILE);
    fine->start = (ptrdiff_t *)calloc((size_t)(count + 2 + n), sizeof(ptrdiff_t));
    fine->t[0] = (double *)calloc(2 * rows + 3 * size + 2 * side + 2 * SOURCES, sizeof(double));
    if (!fine->start || !fine->t[0]) {
        fine_close(fine);
        return NULL;
    }
    fine->row = fine->start + count + 2;
    fine->t[1] = fine->t[0] + rows;
    for (int c = 0; c < 3; c++) fine->table[c] = fine->t[1] + rows + (size_t)c * size;
    for (int k = 0; k < 2; k++) {
        fine->side[k] = fine->table[2] + size + (size_t)k * side;
        fine->point[k] = fine->table[2] + size + 2 * side + k * SOURCES;
    }
    /* How many are in the boxes before, two places further on; then where each begins. */
    double t[2];
    for (int round = 0; round < 2; round++) {
        for (ptrdiff_t i = 0; i < n; i++) {
            ptrdiff_t b = fine_place(boxes, panels, p, 0, first + i, t) * wide;
            b += fine_place(boxes, panels, p, 1, first + i, t + 1);
            if (round) {
                const ptrdiff_t at = fine->start[b + 1]++;
                fine->row[at] = i;
                fine->t[0][at] = t[0];
                fine->t[1][at] = t[1];
            } else
                fine->start[b + 2]++;
        }
        for (ptrdiff_t b = 0; !round && b < count; b++) fine->start[b + 2] += fine->start[b + 1];
    }
    return fine;
}

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

/* Subtract from each of up to three vectors v the polynomials of its table. */
WP_CLONES WP_HOT
static void fine_subtract(const fine_boxes *fine, int count, double *const *v)
{
    double T0[FINE][TILE], T1[FINE][TILE], value[3][TILE];
    const smooth_boxes *boxes = &fine->boxes;
    const ptrdiff_t width = boxes->count[1] * FINE, *start = fine->start, *row = fine->row;
    for (ptrdiff_t b = 0; b < boxes->count[0] * boxes->count[1]; b++) {
        const ptrdiff_t at = b / boxes->count[1] * FINE * width + b % boxes->count[1] * FINE;
        for (ptrdiff_t s = start[b]; s < start[b + 1]; s += TILE) {
            const ptrdiff_t some = start[b + 1] - s < TILE ? start[b + 1] - s : TILE;
            fine_polynomials(fine->t[0] + s, T0);
            fine_polynomials(fine->t[1] + s, T1);
            for (int c = 0; c < count; c++)
                fine_values(fine->table[c] + at, width, T0, T1, value[c]);
            for (int c = 0; c < count; c++)
                for (ptrdiff_t l = 0; l < some; l++) v[c][row[s + l]] -= value[c][l];
        }
    }
}

#endif
