/*
 * Products K v with the Gaussian kernel of one or two features, in a time that grows with the
 * number of rows, not of pairs.
 *
 * The plane is cut into square boxes of half-width h, so small beside the width of the kernel that
 * Chebyshev polynomials of degree below MODES, in the coordinates of its box, represent a kernel
 * value to the last bit: with s = sqrt(gamma) h the error is at most
 *
 *     2 (s / sqrt(2))^MODES / sqrt(MODES!) < 1e-17        for s <= WIDEST
 *
 * in each coordinate, by the bound of the Gaussian's derivatives (Cramer) in the error of
 * interpolation at Chebyshev nodes. So
 *
 *     K(x, y) = sum over k, l of T_k(x) E_kl T_l(y)         in each coordinate,
 *
 * and a product is: the moments of v in all boxes, two products with the small matrices E, and a
 * sum of polynomials at each row. h is a power of two, so that the middles of boxes are exact.
 */
#ifndef WEIGHTPATH_SMOOTH_PRODUCTS_H
#define WEIGHTPATH_SMOOTH_PRODUCTS_H

#include "kernel_columns.h"

#define MODES 16
#define WIDEST 0.306

/* Boxes: the least coordinates, half of their width and its inverse, and how many there are. */
typedef struct {
    double least[2];
    double half, inverse;
    ptrdiff_t count[2];
} smooth_boxes;

/* Boxes of half-width `widest` / sqrt(gamma) at most around n rows from `first` on, whose panels have
   p = 1 or 2 features; 0 if some coordinate is so large that the number of boxes is not one */
static int smooth_open(const double *panels, ptrdiff_t p, ptrdiff_t first, ptrdiff_t n,
                       double gamma, double widest, smooth_boxes *boxes)
{
    int power;
    const double fraction = frexp(widest / sqrt(gamma), &power);
    if (!(fraction > 0.0) || fraction > 1.0 || power < -900 || power > 900) return 0;
    boxes->half = ldexp(1.0, power - 1);
    boxes->inverse = ldexp(1.0, 1 - power);
    boxes->least[1] = 0.0;
    boxes->count[1] = 1;
    for (ptrdiff_t k = 0; k < p; k++) {
        double least = INFINITY, largest = -INFINITY;
        for (ptrdiff_t i = first; i < first + n; i++) {
            const double x = panels[(i / LANES * p + k) * LANES + i % LANES];
            least = x < least ? x : least;
            largest = x > largest ? x : largest;
        }
        const double count = floor((largest - least) * 0.5 * boxes->inverse) + 1.0;
        if (!(count < 1e6)) return 0;
        boxes->least[k] = least;
        boxes->count[k] = (ptrdiff_t)count;
    }
    return 1;
}

/* The coefficients E of the kernel between two boxes that are `apart` boxes from each other; all
   rows share their roundings, which no sum averages, so there should be none */
static void smooth_block(double gamma, double half, ptrdiff_t apart, double *E)
{
    const long double PI = 3.14159265358979323846264338327950288L;
    long double node[MODES], wave[MODES][MODES], value[MODES][MODES], partial[MODES][MODES];
    for (int k = 0; k < MODES; k++) {
        node[k] = cosl(PI * (k + 0.5L) / MODES);
        for (int j = 0; j < MODES; j++)
            wave[k][j] = (k ? 2.0L : 1.0L) / MODES * cosl(PI * k * (j + 0.5L) / MODES);
    }
    for (int i = 0; i < MODES; i++)
        for (int j = 0; j < MODES; j++) {
            const long double away = half * (2.0L * (long double)apart + (node[i] - node[j]));
            value[i][j] = expl(-gamma * (away * away));
        }
    for (int k = 0; k < MODES; k++)
        for (int j = 0; j < MODES; j++) {
            long double sum = 0.0L;
            for (int i = 0; i < MODES; i++) sum += wave[k][i] * value[i][j];
            partial[k][j] = sum;
        }
    for (int k = 0; k < MODES; k++)
        for (int l = 0; l < MODES; l++) {
            long double sum = 0.0L;
            for (int j = 0; j < MODES; j++) sum += partial[k][j] * wave[l][j];
            E[k * MODES + l] = (double)sum;
        }
}

/* E of all pairs of `count` boxes in a row: a square matrix, symmetric */
static void smooth_matrix(double gamma, double half, ptrdiff_t count, double *E)
{
    const ptrdiff_t width = count * MODES;
    double block[MODES * MODES];
    for (ptrdiff_t apart = 0; apart < count; apart++) {
        smooth_block(gamma, half, apart, block);
        for (ptrdiff_t b = 0; b + apart < count; b++)
            for (int k = 0; k < MODES; k++)
                for (int l = 0; l < MODES; l++) {
                    const ptrdiff_t row = (b + apart) * MODES + k, column = b * MODES + l;
                    E[row * width + column] = E[column * width + row] = block[k * MODES + l];
                }
    }
}

/* The box of each row of a panel, and the polynomials there: T[l][k] = T_k(row l) */
ALWAYS_INLINE void smooth_tile(const double *x, double least, double half, double inverse,
                               ptrdiff_t count, ptrdiff_t *box, double T[LANES][MODES])
{
    double t[LANES], before[LANES], now[LANES];
    for (int l = 0; l < LANES; l++) {
        const double from = x[l] - least;
        double b = floor(from * 0.5 * inverse);
        b = b > 0.0 ? b : 0.0;
        b = b < (double)(count - 1) ? b : (double)(count - 1);
        t[l] = (from - half * (2.0 * b + 1.0)) * inverse;
        box[l] = (ptrdiff_t)b;
        before[l] = 1.0;
        now[l] = t[l];
        T[l][0] = 1.0;
        T[l][1] = t[l];
    }
    for (int k = 2; k < MODES; k++)
        for (int l = 0; l < LANES; l++) {
            const double next = 2.0 * t[l] * now[l] - before[l];
            before[l] = now[l];
            T[l][k] = now[l] = next;
        }
}

/* What a panel of rows needs in both coordinates; rows that are not there are left out later. */
ALWAYS_INLINE void smooth_panel(const smooth_boxes *boxes, const double *panel, ptrdiff_t p,
                                ptrdiff_t *place, double T0[LANES][MODES], double T1[LANES][MODES])
{
    ptrdiff_t box0[LANES], box1[LANES];
    const double zero[LANES] = {0.0};
    smooth_tile(panel, boxes->least[0], boxes->half, boxes->inverse, boxes->count[0], box0, T0);
    smooth_tile(p > 1 ? panel + LANES : zero, boxes->least[1], boxes->half, boxes->inverse,
                boxes->count[1], box1, T1);
    for (int l = 0; l < LANES; l++)
        place[l] = (box0[l] * MODES * boxes->count[1] + box1[l]) * MODES;
}

/* M += the moments of v over n rows from `first` on; M has a row for each mode of the first
   coordinate, and in it one number for each of the second */
WP_CLONES WP_HOT
static void smooth_moments(const smooth_boxes *boxes, const double *panels, ptrdiff_t p,
                           ptrdiff_t first, ptrdiff_t n, const double *v, double *RESTRICT M)
{
    double T0[LANES][MODES], T1[LANES][MODES];
    ptrdiff_t place[LANES];
    const ptrdiff_t width = boxes->count[1] * MODES;
    for (ptrdiff_t begin = first / LANES * LANES; begin < first + n; begin += LANES) {
        smooth_panel(boxes, panels + begin * p, p, place, T0, T1);
        for (ptrdiff_t l = 0; l < LANES; l++) {
            const ptrdiff_t i = begin + l - first;
            if (i < 0 || i >= n || v[i] == 0.0) continue;
            double *RESTRICT out = M + place[l];
            double term[MODES];
            for (int k = 0; k < MODES; k++) term[k] = v[i] * T1[l][k];
            for (int k = 0; k < MODES; k++)
                for (int j = 0; j < MODES; j++) out[k * width + j] += T0[l][k] * term[j];
        }
    }
}

/* out[i] = the sum of the polynomials with coefficients C at row `first` + i */
WP_CLONES WP_HOT
static void smooth_values(const smooth_boxes *boxes, const double *panels, ptrdiff_t p,
                          ptrdiff_t first, ptrdiff_t n, const double *RESTRICT C, double *out)
{
    double T0[LANES][MODES], T1[LANES][MODES];
    ptrdiff_t place[LANES];
    const ptrdiff_t width = boxes->count[1] * MODES;
    for (ptrdiff_t begin = first / LANES * LANES; begin < first + n; begin += LANES) {
        smooth_panel(boxes, panels + begin * p, p, place, T0, T1);
        for (ptrdiff_t l = 0; l < LANES; l++) {
            const ptrdiff_t i = begin + l - first;
            if (i < 0 || i >= n) continue;
            const double *RESTRICT coef = C + place[l];
            double sum[MODES] = {0.0}, total = 0.0;
            for (int k = 0; k < MODES; k++)
                for (int j = 0; j < MODES; j++) sum[j] += T0[l][k] * coef[k * width + j];
            for (int j = MODES - 1; j >= 0; j--) total += sum[j] * T1[l][j];
            out[i] = total;
        }
    }
}

#endif
