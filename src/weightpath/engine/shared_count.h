/* A number that several threads count up: each takes the next pieces of work for itself. */
#ifndef WEIGHTPATH_SHARED_COUNT_H
#define WEIGHTPATH_SHARED_COUNT_H

#include <stddef.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

/* Return *next, and count it up by `count`, at once for all threads. */
static inline ptrdiff_t wp_take_next(ptrdiff_t *next, ptrdiff_t count)
{
#if defined(_MSC_VER) && !defined(__clang__)
#if defined(_WIN64)
    return (ptrdiff_t) _InterlockedExchangeAdd64((volatile __int64 *) next, count);
#else
    return (ptrdiff_t) _InterlockedExchangeAdd((volatile long *) next, count);
#endif
#else
    return __atomic_fetch_add(next, count, __ATOMIC_RELAXED);
#endif
}

/* Return *next as it is just now: other threads may have counted it up when this is used. */
static inline ptrdiff_t wp_count_now(ptrdiff_t *next)
{
#if defined(_MSC_VER) && !defined(__clang__)
    return *(volatile ptrdiff_t *) next;
#else
    return __atomic_load_n(next, __ATOMIC_RELAXED);
#endif
}

#endif
