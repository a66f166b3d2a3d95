/* The margin system of a region, whose matrix is read from a dense kernel matrix.
 *
 *     [0  a'] [b]   [total]
 *     [a  K ] [x] = [rhs  ]            a = ones, K the kernel matrix of the margin.
 *
 * The factor is that of weightpath/engine/_factor.pyx: the Cholesky factor L of K + lift a a' with
 * L^-1 a beside it. Without a bias the border and the lift are absent. Members come one by one, at
 * the end, and leave from anywhere.
 */
#ifndef WEIGHTPATH_MARGIN_SYSTEM_H
#define WEIGHTPATH_MARGIN_SYSTEM_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sweep.h"
#include "exact_sums.h"

typedef struct {
    const double *K;   /* kernel values: row i of the problem with row j at K[i * stride + j] */
    ptrdiff_t stride;
    int bordered;
    double lift, largest;   /* the largest diagonal of the whole matrix */
    ptrdiff_t size, capacity;
    int32_t *member;
    double *chol, *border, *work;   /* L by rows; L^-1 a; two vectors */
} wp_system;

static int wp_system_reserve(wp_system *s, ptrdiff_t size)
{
    if (size <= s->capacity) return 0;
    const ptrdiff_t cap = size + size / 2 + 16, old = s->capacity;
    double *chol = malloc(cap * cap * sizeof(double));
    double *border = malloc(cap * sizeof(double)), *work = malloc(2 * cap * sizeof(double));
    int32_t *member = malloc(cap * sizeof(int32_t));
    if (!chol || !border || !work || !member) {
        free(chol), free(border), free(work), free(member);
        return -1;
    }
    for (ptrdiff_t k = 0; k < s->size; k++)
        memcpy(chol + k * cap, s->chol + k * old, s->size * sizeof(double));
    if (s->size) {
        memcpy(border, s->border, s->size * sizeof(double));
        memcpy(member, s->member, s->size * sizeof(int32_t));
    }
    free(s->chol), free(s->border), free(s->work), free(s->member);
    s->chol = chol, s->border = border, s->work = work, s->member = member, s->capacity = cap;
    return 0;
}

static void wp_system_free(wp_system *s)
{
    free(s->chol), free(s->border), free(s->work), free(s->member);
}

static inline double wp_kernel(const wp_system *s, ptrdiff_t i, ptrdiff_t j)
{
    return s->K[i * s->stride + j];
}

/* x <- the solution for the right-hand side x; return b */
static double wp_system_solve_once(const wp_system *s, double *x, double total)
{
    const ptrdiff_t m = s->size, cap = s->capacity;
    double b = 0.0, wy = 0.0, ww = 0.0;
    for (ptrdiff_t k = 0; k < m; k++) {
        const double *row = s->chol + k * cap;
        double sum = x[k];
        for (ptrdiff_t j = 0; j < k; j++) sum -= row[j] * x[j];
        x[k] = sum / row[k];
    }
    if (s->bordered) {
        for (ptrdiff_t k = 0; k < m; k++) wy += s->border[k] * x[k], ww += s->border[k] * s->border[k];
        b = (wy - total) / ww;
        for (ptrdiff_t k = 0; k < m; k++) x[k] -= b * s->border[k];
        b += s->lift * total;
    }
    for (ptrdiff_t k = m - 1; k >= 0; k--) {
        const double *row = s->chol + k * cap;
        x[k] /= row[k];
        for (ptrdiff_t j = 0; j < k; j++) x[j] -= row[j] * x[k];
    }
    return b;
}

/* Solve with one step of refinement; `rhs` is kept. Out: x; return b. */
static double wp_system_solve(const wp_system *s, const double *rhs, double total, double *x)
{
    const ptrdiff_t m = s->size;
    double b, rest_total = total, *rest = s->work;
    if (m == 0) return 0.0;
    memcpy(x, rhs, m * sizeof(double));
    b = wp_system_solve_once(s, x, total);
    for (ptrdiff_t k = 0; k < m; k++) {
        const double *row = s->K + s->member[k] * s->stride;
        double sum = rhs[k] - (s->bordered ? b : 0.0);
        for (ptrdiff_t j = 0; j < m; j++) sum -= row[s->member[j]] * x[j];
        rest[k] = sum;
        rest_total -= x[k];
    }
    b += wp_system_solve_once(s, rest, rest_total);
    for (ptrdiff_t k = 0; k < m; k++) x[k] += rest[k];
    return s->bordered ? b : 0.0;
}

/* Refine a solution, x and *b with what is rounded off them, until rounding is all that is left of
 * the system's residuals. The right-hand side is exact, too. `factor` errors only slow this down. */
WP_CLONES
static void wp_system_refine(const wp_system *s, const wp_exact *rhs, const wp_exact *total,
                             wp_exact *x, wp_exact *b)
{
    const ptrdiff_t m = s->size;
    double *rest = s->work, left = 1.0;
    for (int round = 0; round < 8; round++) {
        wp_exact sum = *total;
        double change = 0.0, size = 0.0;
        for (ptrdiff_t k = 0; k < m; k++) {
            const double *row = s->K + s->member[k] * s->stride;
            wp_exact r = rhs[k];
            if (s->bordered) wp_exact_add(&r, -b->value), r.rest -= b->rest;
            for (ptrdiff_t j = 0; j < m; j++) {
                wp_exact_add_product(&r, -row[s->member[j]], x[j].value);
                r.rest -= row[s->member[j]] * x[j].rest;
            }
            rest[k] = wp_exact_value(&r);
            wp_exact_add(&sum, -x[k].value), sum.rest -= x[k].rest;
        }
        const double db = wp_system_solve_once(s, rest, wp_exact_value(&sum));
        for (ptrdiff_t k = 0; k < m; k++) {
            change = fmax(change, fabs(rest[k])), size = fmax(size, fabs(x[k].value));
            wp_exact_add(x + k, rest[k]);
        }
        if (s->bordered) wp_exact_add(b, db);
        if (!(change > 0.0)) return;
        /* What is left shrinks by the same factor each time. */
        left *= fmin(change / (size * left), 1.0);
        if (round && left >= 0.5) return;
        if (left * pow(left, 1.0 / (round + 1)) < 1e-26) return;
    }
}

static int wp_system_append(wp_system *s, ptrdiff_t i)
{
    if (wp_system_reserve(s, s->size + 1)) return -1;
    const ptrdiff_t m = s->size, cap = s->capacity;
    double *own = s->chol + m * cap, square = wp_kernel(s, i, i) + s->lift, edge = 1.0;
    for (ptrdiff_t k = 0; k < m; k++) {
        const double *row = s->chol + k * cap;
        double sum = wp_kernel(s, i, s->member[k]) + s->lift;
        for (ptrdiff_t j = 0; j < k; j++) sum -= row[j] * own[j];
        own[k] = sum / row[k];
        square -= own[k] * own[k];
        edge -= own[k] * s->border[k];
    }
    /* A pivot was tested before: what rounding leaves of it must only be a number. */
    own[m] = sqrt(fmax(square, 1e-18 * (s->largest + s->lift)));
    s->border[m] = edge / own[m];
    s->member[m] = (int32_t) i;
    s->size++;
    return 0;
}

/* Member `at` leaves; the rows behind it are made triangular again by Givens rotations. */
static void wp_system_delete(wp_system *s, ptrdiff_t at)
{
    const ptrdiff_t m = --s->size, cap = s->capacity;
    for (ptrdiff_t k = at; k < m; k++) {
        memcpy(s->chol + k * cap, s->chol + (k + 1) * cap, (k + 2) * sizeof(double));
        s->member[k] = s->member[k + 1];
    }
    for (ptrdiff_t c = at; c < m; c++) {
        double *row = s->chol + c * cap;
        const double r = hypot(row[c], row[c + 1]), cs = row[c] / r, sn = row[c + 1] / r;
        row[c] = r;
        for (ptrdiff_t k = c + 1; k < m; k++) {
            double *below = s->chol + k * cap;
            const double x = below[c], y = below[c + 1];
            below[c] = cs * x + sn * y;
            below[c + 1] = cs * y - sn * x;
        }
    }
    for (ptrdiff_t k = at; k < m; k++) {
        const double *row = s->chol + k * cap;
        double sum = 1.0;
        for (ptrdiff_t j = 0; j < k; j++) sum -= row[j] * s->border[j];
        s->border[k] = sum / row[k];
    }
}

static int wp_system_refactor(wp_system *s)
{
    const ptrdiff_t m = s->size;
    s->size = 0;
    for (ptrdiff_t k = 0; k < m; k++)
        if (wp_system_append(s, s->member[k])) return -1;
    return 0;
}

/* Whether row i depends on the margin: its pivot is at noise. Out: x and *b solve the system for
 * (1, k), so that (1, -x) and -*b are the null direction; the thresholds are those of the engine. */
static int wp_system_depends(const wp_system *s, ptrdiff_t i, double part, double roundings,
                             double least_diagonal, double *x, double *b)
{
    const ptrdiff_t m = s->size;
    const double kii = wp_kernel(s, i, i), scale = fmax(kii, least_diagonal * s->largest);
    double *k = s->work + s->capacity, delta = kii, terms = kii;
    *b = 0.0;
    if (m) {
        for (ptrdiff_t j = 0; j < m; j++) k[j] = wp_kernel(s, i, s->member[j]);
        *b = wp_system_solve(s, k, 1.0, x);
    }
    delta -= *b;
    terms += 2.0 * fabs(*b);
    for (ptrdiff_t j = 0; j < m; j++) {
        const double *row = s->K + s->member[j] * s->stride;
        double sum = 2.0 * fabs(*b);
        delta -= k[j] * x[j];
        for (ptrdiff_t l = 0; l < m; l++) sum += fabs(row[s->member[l]] * x[l]);
        terms += fabs(x[j]) * sum;
    }
    return !(delta > fmax(part * scale, roundings * DBL_EPSILON * terms));
}

#endif
