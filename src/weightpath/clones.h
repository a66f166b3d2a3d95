/* How the loops that matter are compiled. */
#ifndef WEIGHTPATH_CLONES_H
#define WEIGHTPATH_CLONES_H

/* A function that is worth its size in a module that is compiled for size. Functions that it calls are
   not inlined, unless they must be. */
#if defined(__GNUC__) && !defined(__clang__)
#define WP_HOT __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic")))
#else
#define WP_HOT
#endif

/* What hot functions call, and pointers that lead to different numbers. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define RESTRICT __restrict__
#elif defined(_MSC_VER)
#define ALWAYS_INLINE static __forceinline
#define RESTRICT __restrict
#else
#define ALWAYS_INLINE static inline
#define RESTRICT
#endif

/* A function compiled for several instruction sets, chosen when the library is loaded. Older
   compilers do not know the names of these sets, and only glibc chooses. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) \
    && defined(__GLIBC__) && __GNUC__ >= 12
#define WP_CLONED
#define WP_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WP_CLONES
#endif

#endif
