/* Systems with a lower triangle L, whose rows lie anywhere: one right-hand side, or panels of several.
 *
 * A panel has WP_PANEL right-hand sides, side by side in each row. Nothing of the triangle is copied:
 * some of its rows are read at once, from the left to the right, and every number serves the whole
 * panel. Where the first rows of right-hand sides are zero, so are those of L^-1 times them, and the
 * way forward begins behind them.
 */
#ifndef WEIGHTPATH_TRIANGLES_H
#define WEIGHTPATH_TRIANGLES_H

#include <stddef.h>

#include "clones.h"


#define WP_PANEL 16
#define WP_FOUR(F) F(0) F(1) F(2) F(3)
#define WP_EIGHT(F) WP_FOUR(F) F(4) F(5) F(6) F(7)

#if defined(__GNUC__)
typedef double wp_two_lanes __attribute__((vector_size(16), aligned(8), may_alias));
typedef double wp_four_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef double wp_eight_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#endif

#if defined(WP_CLONED)
#define WP_V wp_eight_lanes
#define WP_L 8
#define WP_ROWS WP_EIGHT
#define WP_N_ROWS 8
#define WP_FOR(name) name##_v4
#define WP_TARGET __attribute__((target("arch=x86-64-v4")))
#include "triangle_rows.h"
#define WP_V wp_four_lanes
#define WP_L 4
#define WP_ROWS WP_FOUR
#define WP_N_ROWS 4
#define WP_FOR(name) name##_v3
#define WP_TARGET __attribute__((target("arch=x86-64-v3")))
#include "triangle_rows.h"
#endif

#if defined(__GNUC__)
#define WP_V wp_two_lanes
#define WP_L 2
#else
#define WP_V double
#define WP_L 1
#endif
#define WP_ROWS WP_FOUR
#define WP_N_ROWS 4
#define WP_FOR(name) name##_any
#define WP_TARGET
#include "triangle_rows.h"

#if defined(WP_CLONED)
#define WP_CHOOSE(name, ...) \
    do { \
        if (__builtin_cpu_supports("x86-64-v4")) \
            name##_v4(__VA_ARGS__); \
        else if (__builtin_cpu_supports("x86-64-v3")) \
            name##_v3(__VA_ARGS__); \
        else \
            name##_any(__VA_ARGS__); \
    } while (0)
#else
#define WP_CHOOSE(name, ...) name##_any(__VA_ARGS__)
#endif

static void wp_forward_panel(ptrdiff_t first, ptrdiff_t m, const double *const *row, double *X)
{
    WP_CHOOSE(wp_forward_panel, first, m, row, X);
}

static void wp_backward_panel(ptrdiff_t m, const double *const *row, double *X)
{
    WP_CHOOSE(wp_backward_panel, m, row, X);
}

static void wp_forward_one(ptrdiff_t first, ptrdiff_t m, const double *const *row, double *x)
{
    WP_CHOOSE(wp_forward_one, first, m, row, x);
}

static void wp_backward_one(ptrdiff_t m, const double *const *row, double *x)
{
    WP_CHOOSE(wp_backward_one, m, row, x);
}

#endif
