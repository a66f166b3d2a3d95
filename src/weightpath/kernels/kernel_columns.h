/*
 * Values of the four kernels for blocks of rows: the hot loops of _columns.pyx.
 *
 * Compile with -O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math. The last two change no
 * value but let the compiler vectorise the comparison in exp_nonpositive; the first lets it fuse
 * multiply and add, which -std=c11 forbids by default. The code relies on the order of operations,
 * so never -ffast-math, -funsafe-math-optimizations or -fassociative-math.
 *
 * Every value goes through a tile of LANES rows, a loop of constant length without a remainder.
 * Whether the compiler fuses multiply and add or not, it does so in the same way for all entries,
 * so that K[i, j] == K[j, i] and equal rows give equal columns to the last bit.
 */
#ifndef WEIGHTPATH_KERNEL_COLUMNS_H
#define WEIGHTPATH_KERNEL_COLUMNS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "clones.h"

/* Rows in a tile: eight AVX2 registers of sums, held across the loop over the features. */
#define LANES 32

enum kernel_kind { KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF, KERNEL_SIGMOID };

typedef struct {
    int kind; /* one of kernel_kind */
    int degree;
    double gamma;
    double coef0;
} kernel_form;

/*
 * exp(x) for x <= 0, error below 1.5 ulp; 0 for x < -708, just above the subnormal numbers.
 *
 * x = m ln2 + r with |r| <= ln2 / 2, exp(x) = 2^m exp(r). Adding 1.5 * 2^52 rounds x / ln2 to the
 * integer m and leaves m in the low bits of the sum. ln2 is split in two, the first part with 32
 * bits, so that m * LN2_HIGH is exact (Cody and Waite). exp(r) = 1 + r + r^2 q(r), with q the
 * polynomial of degree 9 through the Chebyshev nodes; its error is 2e-17 of exp(r).
 */
ALWAYS_INLINE double exp_nonpositive(double x)
{
    const double LOWEST = -708.0;
    const double PER_LN2 = 0x1.71547652b82fep+0;
    const double LN2_HIGH = 0x1.62e42fee00000p-1;
    const double LN2_LOW = 0x1.a39ef35793c76p-33;
    const double ROUNDER = 0x1.8p+52;
    double clipped = x < LOWEST ? LOWEST : x;
    double shifted = clipped * PER_LN2 + ROUNDER;
    double m = shifted - ROUNDER;
    double r = (clipped - m * LN2_HIGH) - m * LN2_LOW;
    double q = 0x1.af38a9b0ec855p-26;
    uint64_t bits, power;
    double value;
    q = q * r + 0x1.289185613a3d6p-22;
    q = q * r + 0x1.71de0dae63bb3p-19;
    q = q * r + 0x1.a019b90d2ae7ap-16;
    q = q * r + 0x1.a01a01a7c41d5p-13;
    q = q * r + 0x1.6c16c1788bd90p-10;
    q = q * r + 0x1.11111111109b3p-7;
    q = q * r + 0x1.5555555553d63p-5;
    q = q * r + 0x1.5555555555556p-3;
    q = q * r + 0x1.0000000000001p-1;
    value = 1.0 + (r + (r * r) * q);
    memcpy(&power, &shifted, sizeof power);
    memcpy(&bits, &value, sizeof bits);
    bits += power << 52; /* m more in the exponent; the bits of ROUNDER are shifted out */
    memcpy(&value, &bits, sizeof value);
    return x < LOWEST ? 0.0 : value;
}

/* values[l] = (gamma values[l] + coef0)^degree, by repeated squaring. */
ALWAYS_INLINE void power_tile(const kernel_form *form, double *values)
{
    double base[LANES];
    int degree = form->degree;
    for (int l = 0; l < LANES; l++) {
        base[l] = form->gamma * values[l] + form->coef0;
        values[l] = 1.0;
    }
    while (degree > 0) {
        if (degree & 1)
            for (int l = 0; l < LANES; l++)
                values[l] *= base[l];
        for (int l = 0; l < LANES; l++)
            base[l] *= base[l];
        degree >>= 1;
    }
}

/* In place: squared distances (rbf) or inner products (all others) become kernel values. */
ALWAYS_INLINE void finish_tile(const kernel_form *form, double *values)
{
    switch (form->kind) {
    case KERNEL_RBF:
        for (int l = 0; l < LANES; l++)
            values[l] = exp_nonpositive(-form->gamma * values[l]);
        break;
    case KERNEL_POLY:
        power_tile(form, values);
        break;
    case KERNEL_SIGMOID:
        for (int l = 0; l < LANES; l++)
            values[l] = tanh(form->gamma * values[l] + form->coef0);
        break;
    }
}

/* What one feature adds to a squared distance or to an inner product. */
ALWAYS_INLINE double feature_term(int is_distance, double a, double b)
{
    double difference = a - b;
    return is_distance ? difference * difference : a * b;
}

/*
 * values[l] = sum_k feature_term(panel[k, l], x[k]), summed in the order of k. Four features are
 * added between a load and a store of the sums.
 */
ALWAYS_INLINE void sum_features(int is_distance, const double *RESTRICT panel, ptrdiff_t p,
                                const double *RESTRICT x, double *RESTRICT values)
{
    ptrdiff_t k;
    for (int l = 0; l < LANES; l++)
        values[l] = feature_term(is_distance, panel[l], x[0]);
    for (k = 1; k + 4 <= p; k += 4) {
        const double *RESTRICT four = panel + k * LANES;
        for (int l = 0; l < LANES; l++) {
            double sum = values[l];
            sum += feature_term(is_distance, four[l], x[k]);
            sum += feature_term(is_distance, four[LANES + l], x[k + 1]);
            sum += feature_term(is_distance, four[2 * LANES + l], x[k + 2]);
            sum += feature_term(is_distance, four[3 * LANES + l], x[k + 3]);
            values[l] = sum;
        }
    }
    for (; k < p; k++)
        for (int l = 0; l < LANES; l++)
            values[l] += feature_term(is_distance, panel[k * LANES + l], x[k]);
}

/*
 * values[l] = K(row l of the panel, x). Dense rows are stored in panels of LANES rows, each panel
 * feature by feature: row i, feature k is panels[(i / LANES) * LANES * p + k * LANES + i % LANES].
 */
ALWAYS_INLINE void dense_tile(const kernel_form *form, const double *panel, ptrdiff_t p,
                              const double *x, double *values)
{
    if (form->kind == KERNEL_RBF)
        sum_features(1, panel, p, x, values);
    else
        sum_features(0, panel, p, x, values);
    finish_tile(form, values);
}

/* panels of the rows X[index[i], :], or of X[i, :] without an index; the last one padded by zeros */
static void fill_panels(const double *X, ptrdiff_t p, const ptrdiff_t *index, ptrdiff_t n,
                        double *panels)
{
    for (ptrdiff_t first = 0; first < n; first += LANES) {
        double *panel = panels + first * p;
        const ptrdiff_t count = first + LANES < n ? LANES : n - first;
        if (count < LANES)
            memset(panel, 0, (size_t)(LANES * p) * sizeof(double));
        for (ptrdiff_t l = 0; l < count; l++) {
            const double *row = X + (index ? index[first + l] : first + l) * p;
            for (ptrdiff_t k = 0; k < p; k++)
                panel[k * LANES + l] = row[k];
        }
    }
}

/* rows[c, :] = X[index[c], :] */
static void gather_rows(const double *panels, ptrdiff_t p, const ptrdiff_t *index,
                        ptrdiff_t count, double *rows)
{
    for (ptrdiff_t c = 0; c < count; c++) {
        const double *row = panels + (index[c] / LANES) * LANES * p + index[c] % LANES;
        for (ptrdiff_t k = 0; k < p; k++)
            rows[c * p + k] = row[k * LANES];
    }
}

/* out[c][:] = K(X[begin:end], rows[c]); each panel is read once for all columns. */
WP_CLONES WP_HOT
static void dense_columns(const kernel_form *form, const double *panels, ptrdiff_t p,
                          const double *rows, ptrdiff_t count, ptrdiff_t begin, ptrdiff_t end,
                          double *const *out)
{
    double values[LANES];
    for (ptrdiff_t first = begin - begin % LANES; first < end; first += LANES) {
        ptrdiff_t low = first < begin ? begin : first;
        ptrdiff_t high = first + LANES < end ? first + LANES : end;
        const int is_whole = high - low == LANES;
        for (ptrdiff_t c = 0; c < count; c++) {
            double *tile = is_whole ? out[c] + (first - begin) : values;
            dense_tile(form, panels + first * p, p, rows + c * p, tile);
            if (is_whole)
                continue;
            memcpy(out[c] + (low - begin), values + (low - first),
                   (size_t)(high - low) * sizeof(double));
        }
    }
}

/* out[:] = K(X, points) coef for n rows in panels; no kernel value is kept. */
WP_CLONES WP_HOT
static void dense_sums(const kernel_form *form, const double *panels, ptrdiff_t p, ptrdiff_t n,
                       const double *points, const double *coef, ptrdiff_t count, double *out)
{
    double values[LANES], sums[LANES];
    for (ptrdiff_t first = 0; first < n; first += LANES) {
        const ptrdiff_t high = first + LANES < n ? LANES : n - first;
        memset(sums, 0, sizeof(sums));
        for (ptrdiff_t c = 0; c < count; c++) {
            dense_tile(form, panels + first * p, p, points + c * p, values);
            for (ptrdiff_t l = 0; l < LANES; l++)
                sums[l] += coef[c] * values[l];
        }
        memcpy(out + first, sums, (size_t)high * sizeof(double));
    }
}

/* out[i] = K(X[i], X[i]), with the sums in the order of dense_tile */
WP_CLONES WP_HOT
static void dense_diagonal(const kernel_form *form, const double *panels, ptrdiff_t n,
                           ptrdiff_t p, double *out)
{
    for (ptrdiff_t first = 0; first < n; first += LANES) {
        const double *panel = panels + first * p;
        double sum[LANES] = {0.0};
        if (form->kind != KERNEL_RBF)
            for (ptrdiff_t k = 0; k < p; k++)
                for (int l = 0; l < LANES; l++)
                    sum[l] += panel[k * LANES + l] * panel[k * LANES + l];
        finish_tile(form, sum);
        memcpy(out + first, sum,
               (size_t)(first + LANES < n ? LANES : n - first) * sizeof(double));
    }
}

/* Sparse rows: compressed sparse rows with sorted, distinct feature indices. */
typedef struct {
    ptrdiff_t n;
    const double *data;
    const int32_t *feature;
    const int64_t *start;
    const double *norm; /* squared norms of the rows, by sparse_norms */
} sparse_rows;

/* work[features of row i] = its values (or zero when `clear`) */
static void scatter_row(const sparse_rows *X, ptrdiff_t i, int clear, double *work)
{
    for (int64_t e = X->start[i]; e < X->start[i + 1]; e++)
        work[X->feature[e]] = clear ? 0.0 : X->data[e];
}

/* X[j] @ work. Zeros of work add nothing, so the sum is the same for (i, j) and (j, i). */
ALWAYS_INLINE double sparse_dot(const sparse_rows *X, ptrdiff_t j, const double *work)
{
    double sum = 0.0;
    for (int64_t e = X->start[j]; e < X->start[j + 1]; e++)
        sum += X->data[e] * work[X->feature[e]];
    return sum;
}

/* norm[i] = X[i] @ X[i]; work holds zeros before and after */
WP_CLONES WP_HOT
static void sparse_norms(const sparse_rows *X, double *work, double *norm)
{
    for (ptrdiff_t i = 0; i < X->n; i++) {
        scatter_row(X, i, 0, work);
        norm[i] = sparse_dot(X, i, work);
        scatter_row(X, i, 1, work);
    }
}

/* out[:] = K(X[begin:end], X[i]) with row i scattered in work */
WP_CLONES WP_HOT
static void sparse_column(const kernel_form *form, const sparse_rows *X, ptrdiff_t i,
                          const double *work, ptrdiff_t begin, ptrdiff_t end, double *out)
{
    for (ptrdiff_t first = begin; first < end; first += LANES) {
        ptrdiff_t count = first + LANES < end ? LANES : end - first;
        double values[LANES] = {0.0};
        for (ptrdiff_t l = 0; l < count; l++)
            values[l] = sparse_dot(X, first + l, work);
        if (form->kind == KERNEL_RBF)
            for (ptrdiff_t l = 0; l < count; l++) {
                double square = (X->norm[i] + X->norm[first + l]) - 2.0 * values[l];
                values[l] = square > 0.0 ? square : 0.0;
            }
        finish_tile(form, values);
        memcpy(out + (first - begin), values, (size_t)count * sizeof(double));
    }
}

/* out[i] = K(X[i], X[i]) */
WP_CLONES WP_HOT
static void sparse_diagonal(const kernel_form *form, const sparse_rows *X, double *out)
{
    for (ptrdiff_t first = 0; first < X->n; first += LANES) {
        ptrdiff_t count = first + LANES < X->n ? LANES : X->n - first;
        double values[LANES] = {0.0};
        if (form->kind != KERNEL_RBF)
            memcpy(values, X->norm + first, (size_t)count * sizeof(double));
        finish_tile(form, values);
        memcpy(out + first, values, (size_t)count * sizeof(double));
    }
}

/* The same in four sums side by side, which need not wait for each other: for products, which have no
   order to keep.                                                                                */
ALWAYS_INLINE double sparse_dot_of_four(const sparse_rows *X, ptrdiff_t j, const double *work)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    const int64_t last = X->start[j + 1];
    int64_t e = X->start[j];
    for (; e + 4 <= last; e += 4) {
        s0 += X->data[e] * work[X->feature[e]];
        s1 += X->data[e + 1] * work[X->feature[e + 1]];
        s2 += X->data[e + 2] * work[X->feature[e + 2]];
        s3 += X->data[e + 3] * work[X->feature[e + 3]];
    }
    for (; e < last; e++) s0 += X->data[e] * work[X->feature[e]];
    return (s0 + s1) + (s2 + s3);
}

/* out = X (X'v), work holds zeros before and after; zeros of v are skipped, and where v is not zero
   out is left as it is if the `rest` is enough                                                  */
WP_CLONES WP_HOT
static void sparse_gram_product(const sparse_rows *X, const double *v, ptrdiff_t p, int rest,
                                double *work, double *out)
{
    for (ptrdiff_t i = 0; i < X->n; i++)
        if (v[i] != 0.0)
            for (int64_t e = X->start[i]; e < X->start[i + 1]; e++)
                work[X->feature[e]] += v[i] * X->data[e];
    for (ptrdiff_t i = 0; i < X->n; i++)
        if (!rest || v[i] == 0.0) out[i] = sparse_dot_of_four(X, i, work);
    memset(work, 0, (size_t)p * sizeof(double));
}

/* The products of a row's entries with `count` numbers for each feature, or the other way round */
ALWAYS_INLINE void sparse_row_block(const sparse_rows *X, ptrdiff_t i, ptrdiff_t count, int collects,
                                    const double *RESTRICT from, double *RESTRICT to)
{
    for (int64_t e = X->start[i]; e < X->start[i + 1]; e++) {
        const double x = X->data[e];
        const double *RESTRICT in = collects ? from + X->feature[e] * count : from;
        double *RESTRICT out = collects ? to : to + X->feature[e] * count;
        for (ptrdiff_t c = 0; c < count; c++) out[c] += x * in[c];
    }
}

/* For the rows that are not chosen, out = X (X'v) with v of the m chosen ones, in the order of their
   `index`, `count` products side by side: v and out have `count` numbers in a row, and `sums`, of zeros,
   as many for each feature */
ALWAYS_INLINE void sparse_gram_side_by_side(const sparse_rows *X, const unsigned char *chosen,
                                            const ptrdiff_t *index, ptrdiff_t m, const double *v,
                                            ptrdiff_t count, double *sums, double *out)
{
    for (ptrdiff_t k = 0; k < m; k++) sparse_row_block(X, index[k], count, 0, v + k * count, sums);
    for (ptrdiff_t i = 0; i < X->n; i++) {
        if (chosen[i]) continue;
        for (ptrdiff_t c = 0; c < count; c++) out[i * count + c] = 0.0;
        sparse_row_block(X, i, count, 1, sums, out + i * count);
    }
}

WP_CLONES WP_HOT
static void sparse_gram_block(const sparse_rows *X, const unsigned char *chosen,
                              const ptrdiff_t *index, ptrdiff_t m, const double *v, ptrdiff_t count,
                              double *sums, double *out)
{
    /* A number that the compiler knows becomes vectors. */
    if (count == 16)
        sparse_gram_side_by_side(X, chosen, index, m, v, 16, sums, out);
    else
        sparse_gram_side_by_side(X, chosen, index, m, v, count, sums, out);
}

/* out = |X| (|X|'|v|), the sums of the absolute terms of that product */
static void sparse_gram_terms(const sparse_rows *X, const double *v, ptrdiff_t p, double *work,
                              double *out)
{
    for (ptrdiff_t i = 0; i < X->n; i++)
        if (v[i] != 0.0)
            for (int64_t e = X->start[i]; e < X->start[i + 1]; e++)
                work[X->feature[e]] += fabs(v[i] * X->data[e]);
    for (ptrdiff_t i = 0; i < X->n; i++) {
        double sum = 0.0;
        for (int64_t e = X->start[i]; e < X->start[i + 1]; e++)
            sum += fabs(X->data[e]) * work[X->feature[e]];
        out[i] = sum;
    }
    memset(work, 0, (size_t)p * sizeof(double));
}

/* out[i] = exp(x[i]), for tests */
WP_CLONES WP_HOT
static void exp_array(const double *x, ptrdiff_t n, double *out)
{
    for (ptrdiff_t i = 0; i < n; i++)
        out[i] = exp_nonpositive(x[i]);
}

#endif
