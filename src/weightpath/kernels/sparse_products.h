/* Inner products of one sparse row with others, by way of the features that it has.
 *
 * The rows are given a second time, feature by feature. Where most features are in few rows, as
 * words are in texts, far fewer entries are read than the others have.
 */
#ifndef WEIGHTPATH_SPARSE_PRODUCTS_H
#define WEIGHTPATH_SPARSE_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Rows that have feature f: row[start[f] ... start[f + 1]), increasing, with the values there. */
typedef struct {
    const double *data;
    const int32_t *row;
    const int64_t *start;
} sparse_features;

/* out[j - begin] = x . x_j for j from `begin` to before `end`; x has `count` entries */
static void sparse_products(const sparse_features *X, const double *x, const int32_t *feature,
                            ptrdiff_t count, ptrdiff_t begin, ptrdiff_t end, double *out)
{
    memset(out, 0, (size_t)(end - begin) * sizeof(double));
    for (ptrdiff_t k = 0; k < count; k++) {
        const double value = x[k];
        int64_t e = X->start[feature[k]];
        const int64_t last = X->start[feature[k] + 1];
        if (begin > 0) {
            int64_t above = last;
            while (e < above) {
                const int64_t middle = e + (above - e) / 2;
                if (X->row[middle] < begin)
                    e = middle + 1;
                else
                    above = middle;
            }
        }
        for (; e < last && X->row[e] < end; e++) out[X->row[e] - begin] += value * X->data[e];
    }
}

#endif
