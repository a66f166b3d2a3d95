/* What is going on, as several threads see it. Whoever reads a state, or changes it, sees all that was
 * written before it was set. */
#ifndef WEIGHTPATH_SHARED_STATE_H
#define WEIGHTPATH_SHARED_STATE_H

#include <stddef.h>

#if defined(_MSC_VER) && !defined(__clang__)

#include <intrin.h>
#if defined(_WIN64)
#define WP_EXCHANGE_IF(state, now, then) \
    _InterlockedCompareExchange64((volatile __int64 *) (state), (then), (now))
#else
#define WP_EXCHANGE_IF(state, now, then) \
    _InterlockedCompareExchange((volatile long *) (state), (then), (now))
#endif

static inline ptrdiff_t wp_state(ptrdiff_t *state)
{
    return (ptrdiff_t) WP_EXCHANGE_IF(state, 0, 0);
}

static inline int wp_change_state(ptrdiff_t *state, ptrdiff_t now, ptrdiff_t then)
{
    return (ptrdiff_t) WP_EXCHANGE_IF(state, now, then) == now;
}

static inline void wp_set_state(ptrdiff_t *state, ptrdiff_t then)
{
    while (!wp_change_state(state, wp_state(state), then))
        ;
}

static inline void wp_pause(void)
{
#if defined(_M_IX86) || defined(_M_X64)
    _mm_pause();
#else
    __yield();
#endif
}

#else

static inline ptrdiff_t wp_state(ptrdiff_t *state)
{
    return __atomic_load_n(state, __ATOMIC_ACQUIRE);
}

/* Set a state if it is `now`; return whether it was. */
static inline int wp_change_state(ptrdiff_t *state, ptrdiff_t now, ptrdiff_t then)
{
    return __atomic_compare_exchange_n(state, &now, then, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static inline void wp_set_state(ptrdiff_t *state, ptrdiff_t then)
{
    __atomic_store_n(state, then, __ATOMIC_RELEASE);
}

/* Let a moment pass before looking again, some ten nanoseconds. */
static inline void wp_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

#endif

#endif
