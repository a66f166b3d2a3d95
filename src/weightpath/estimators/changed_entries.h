/* Which numbers of a row differ from what they are now: one pass, where NumPy would take several. */
#ifndef WEIGHTPATH_CHANGED_ENTRIES_H
#define WEIGHTPATH_CHANGED_ENTRIES_H

#include <math.h>
#include <stddef.h>

#include "clones.h"

/* So many numbers are looked at before it is asked which of them differ; mostly none does. */
#define ENTRIES_BLOCK 32

#if defined(__GNUC__)
typedef double entry_lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long entry_bits __attribute__((vector_size(64), aligned(8), may_alias));
#endif

/* Whether `len` numbers, times their factors, may differ from what they are now: zeros may, of which
 * one is negative. */
ALWAYS_INLINE int may_differ(ptrdiff_t len, const double *given, const double *factor,
                             const double *now)
{
    ptrdiff_t j = 0;
    int found = 0;
#if defined(__GNUC__)
    entry_bits differ = {0};
    for (; j + 8 <= len; j += 8) {
        const entry_lanes z = *(const entry_lanes *)(given + j)
            * *(const entry_lanes *)(factor + j);
        differ |= (entry_bits)z ^ *(const entry_bits *)(now + j);
    }
    for (int l = 0; l < 8; l++)
        found |= differ[l] != 0;
#endif
    for (; j < len; j++) {
        const double z = given[j] * factor[j];
        found |= z != now[j] || signbit(z) != signbit(now[j]);
    }
    return found;
}

/*
 * The indices and values of the products given * factor that differ from now; returns how many.
 * `wrong` collects whether a number that was given is not finite (1) or negative (2).
 */
WP_CLONES WP_HOT
static ptrdiff_t changed_entries_of(ptrdiff_t n, const double *given, const double *factor,
                                    const double *now, ptrdiff_t *index, double *value, int *wrong)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t from = 0; from < n; from += ENTRIES_BLOCK) {
        const ptrdiff_t len = n - from < ENTRIES_BLOCK ? n - from : ENTRIES_BLOCK;
        if (!may_differ(len, given + from, factor + from, now + from))
            continue;
        for (ptrdiff_t j = from; j < from + len; j++) {
            const double z = given[j] * factor[j];
            *wrong |= (isfinite(given[j]) ? 0 : 1) | (given[j] < 0.0 ? 2 : 0);
            if (z != now[j]) {
                index[count] = j;
                value[count++] = z;
            }
        }
    }
    return count;
}

#endif
