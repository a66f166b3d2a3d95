/* Sums of multiples of columns, in blocks that stay in the first-level cache. */
#ifndef WEIGHTPATH_COLUMN_SUMS_H
#define WEIGHTPATH_COLUMN_SUMS_H

#include <stddef.h>

#define SUM_BLOCK 512

/* One function body compiled for several instruction sets, chosen when the library is loaded. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) \
    && defined(__GLIBC__) && __GNUC__ >= 12
#define SUM_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SUM_CLONES
#endif

/* out += sum_k coef[k] * col[k], of n rows and m columns */
SUM_CLONES
static void add_column_sums(ptrdiff_t n, ptrdiff_t m, const double *const *col,
                            const double *coef, double *out)
{
    for (ptrdiff_t from = 0; from < n; from += SUM_BLOCK) {
        const ptrdiff_t len = n - from < SUM_BLOCK ? n - from : SUM_BLOCK;
        double *sum = out + from;
        ptrdiff_t k = 0;
        for (; k + 4 <= m; k += 4) {
            const double *p0 = col[k] + from, *p1 = col[k + 1] + from;
            const double *p2 = col[k + 2] + from, *p3 = col[k + 3] + from;
            const double c0 = coef[k], c1 = coef[k + 1], c2 = coef[k + 2], c3 = coef[k + 3];
            for (ptrdiff_t j = 0; j < len; j++)
                sum[j] += (c0 * p0[j] + c1 * p1[j]) + (c2 * p2[j] + c3 * p3[j]);
        }
        for (; k < m; k++)
            for (ptrdiff_t j = 0; j < len; j++)
                sum[j] += coef[k] * col[k][from + j];
    }
}

#endif
