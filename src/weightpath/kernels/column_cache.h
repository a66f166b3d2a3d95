/*
 * A least-recently-used cache of columns of n doubles with reference counts.
 *
 * column[i] is NULL unless column i is held. Held columns without pins stand in a ring from the
 * oldest to the newest, with position n as its end; only they can be given up. When every held
 * column is pinned the cache grows beyond its capacity, and shrinks again as pins are taken back.
 *
 * Buffers come from a pool, which gets memory in slabs of growing size. Large pages are not asked
 * for: where memory is in pieces, making room for one costs more than the kernel values in it. Nor
 * is a fresh small page free: see _cached_columns.pyx for which column is worth one.
 * Buffers that are given back wait there for the next column; the memory goes when none is out.
 *
 * Buffers may be longer than a column, which then begins at the same offset in all of them. So the
 * columns of a training set whose first rows depart and to whose end rows are added can stay where
 * they are (cache_take).
 */
#ifndef WEIGHTPATH_COLUMN_CACHE_H
#define WEIGHTPATH_COLUMN_CACHE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Buffers of the first slab, and the size of the largest ones. */
#define POOL_FIRST 16
#define POOL_LARGEST ((size_t)16 << 20)

typedef struct pool_slab {
    struct pool_slab *next;
    char *memory;
    size_t size, used;
} pool_slab;

typedef struct {
    size_t width;    /* bytes of a buffer */
    ptrdiff_t out;   /* buffers in use */
    void *spare;     /* buffers that were given back, each with the address of the next */
    pool_slab *slab; /* the newest */
} column_pool;

static void pool_clear(column_pool *pool)
{
    while (pool->slab) {
        pool_slab *slab = pool->slab;
        pool->slab = slab->next;
        free(slab->memory);
        free(slab);
    }
    pool->spare = NULL;
    pool->out = 0;
}

/* Another slab, twice as large as the last one; -1 when there is no memory. */
static int pool_grow(column_pool *pool)
{
    size_t size = pool->slab ? 2 * pool->slab->size : POOL_FIRST * pool->width;
    pool_slab *slab = (pool_slab *)malloc(sizeof(pool_slab));
    if (size > POOL_LARGEST)
        size = POOL_LARGEST;
    if (size < pool->width)
        size = pool->width;
    if (!slab)
        return -1;
    slab->memory = (char *)malloc(size);
    if (!slab->memory) {
        free(slab);
        return -1;
    }
    slab->size = size;
    slab->used = 0;
    slab->next = pool->slab;
    pool->slab = slab;
    return 0;
}

static double *pool_get(column_pool *pool)
{
    void *buffer = pool->spare;
    if (buffer) {
        pool->spare = *(void **)buffer;
    } else {
        if ((!pool->slab || pool->slab->used + pool->width > pool->slab->size)
            && pool_grow(pool) < 0)
            return NULL;
        buffer = pool->slab->memory + pool->slab->used;
        pool->slab->used += pool->width;
    }
    pool->out++;
    return (double *)buffer;
}

static void pool_put(column_pool *pool, double *buffer)
{
    *(void **)buffer = pool->spare;
    pool->spare = buffer;
    if (--pool->out == 0)
        pool_clear(pool);
}

typedef struct {
    ptrdiff_t n;
    ptrdiff_t capacity; /* columns that the budget allows */
    ptrdiff_t held;     /* buffers allocated */
    ptrdiff_t stride;   /* doubles in a buffer */
    ptrdiff_t offset;   /* where a column begins in its buffer */
    double **column;
    int *pins;
    ptrdiff_t *newer;
    ptrdiff_t *older;
    column_pool pool;
} column_cache;

/* Say how long buffers are, while none is out. */
static void cache_set_stride(column_cache *cache, ptrdiff_t stride)
{
    /* Whole cache lines, so that no two columns share one. */
    cache->stride = stride;
    cache->pool.width = ((size_t)(stride > 0 ? stride : 1) * sizeof(double) + 63) / 64 * 64;
}

static void cache_close(column_cache *cache)
{
    pool_clear(&cache->pool);
    free(cache->column);
    free(cache->pins);
    free(cache->newer);
    free(cache->older);
    cache->column = NULL;
    cache->pins = NULL;
    cache->newer = NULL;
    cache->older = NULL;
    cache->held = 0;
}

/* An empty cache; -1 when there is no memory for its tables. */
static int cache_open(column_cache *cache, ptrdiff_t n, ptrdiff_t capacity)
{
    cache->n = n;
    cache->capacity = capacity;
    cache->held = 0;
    cache->offset = 0;
    cache->pool.out = 0;
    cache->pool.spare = NULL;
    cache->pool.slab = NULL;
    cache_set_stride(cache, n);
    cache->column = (double **)calloc((size_t)n + 1, sizeof(double *));
    cache->pins = (int *)calloc((size_t)n + 1, sizeof(int));
    cache->newer = (ptrdiff_t *)malloc(((size_t)n + 1) * sizeof(ptrdiff_t));
    cache->older = (ptrdiff_t *)malloc(((size_t)n + 1) * sizeof(ptrdiff_t));
    if (!cache->column || !cache->pins || !cache->newer || !cache->older) {
        cache_close(cache);
        return -1;
    }
    cache->newer[n] = cache->older[n] = n;
    return 0;
}

static void ring_remove(column_cache *cache, ptrdiff_t i)
{
    cache->newer[cache->older[i]] = cache->newer[i];
    cache->older[cache->newer[i]] = cache->older[i];
}

static void ring_append(column_cache *cache, ptrdiff_t i)
{
    ptrdiff_t last = cache->older[cache->n];
    cache->older[i] = last;
    cache->newer[i] = cache->n;
    cache->newer[last] = i;
    cache->older[cache->n] = i;
}

/* Take the oldest column without pins out; return its buffer, NULL if there is none. */
static double *cache_evict(column_cache *cache)
{
    ptrdiff_t i = cache->newer[cache->n];
    double *buffer;
    if (i == cache->n)
        return NULL;
    ring_remove(cache, i);
    buffer = cache->column[i];
    cache->column[i] = NULL;
    return buffer;
}

/* A buffer for one more column, to be given to cache_put or cache_return; NULL: no memory. */
static double *cache_slot(column_cache *cache)
{
    double *buffer = cache->held < cache->capacity ? NULL : cache_evict(cache);
    if (!buffer) {
        buffer = pool_get(&cache->pool);
        if (buffer) {
            buffer += cache->offset;
            cache->held++;
        } else
            buffer = cache_evict(cache);
    }
    return buffer;
}

/* The same without new memory where a column can be given up instead. */
static double *cache_old_slot(column_cache *cache)
{
    double *buffer = cache->pool.spare ? NULL : cache_evict(cache);
    return buffer ? buffer : cache_slot(cache);
}

/* Whether one more column fits into memory that was used before. */
static int cache_has_spare(const column_cache *cache)
{
    return cache->pool.spare != NULL;
}

/* Give back a buffer that holds no column. */
static void cache_return(column_cache *cache, double *buffer)
{
    pool_put(&cache->pool, buffer - cache->offset);
    cache->held--;
}

/* Hold column i, not held before, as the newest one, without pins. */
static void cache_put(column_cache *cache, ptrdiff_t i, double *buffer)
{
    cache->column[i] = buffer;
    ring_append(cache, i);
}

/* One more pin on column i, which is held. */
static const double *cache_pin(column_cache *cache, ptrdiff_t i)
{
    if (cache->pins[i]++ == 0)
        ring_remove(cache, i);
    return cache->column[i];
}

/* One pin less on column i, which is held; above capacity the oldest column goes. */
static void cache_unpin(column_cache *cache, ptrdiff_t i)
{
    if (--cache->pins[i] == 0) {
        ring_append(cache, i);
        if (cache->held > cache->capacity)
            cache_return(cache, cache_evict(cache));
    }
}

/* Give up every column without pins. */
static void cache_clear(column_cache *cache)
{
    double *buffer;
    while ((buffer = cache_evict(cache)) != NULL)
        cache_return(cache, buffer);
}

/*
 * Move all columns of another cache, none of them pinned, into this one, which is empty. Its rows
 * are those of the other without the first `gone`; columns of these are given up.
 */
static void cache_take(column_cache *cache, column_cache *other, ptrdiff_t gone)
{
    ptrdiff_t i, kept = other->n - gone;
    const ptrdiff_t last = other->n;
    const column_pool empty = {other->pool.width, 0, NULL, NULL};
    while (other->held > cache->capacity)
        cache_return(other, cache_evict(other));
    for (i = 0; i < gone; i++)
        if (other->column[i]) {
            ring_remove(other, i);
            cache_return(other, other->column[i]);
            other->column[i] = NULL;
        }
    cache->stride = other->stride;
    cache->offset = other->offset + gone;
    cache->held = other->held;
    cache->pool = other->pool;
    other->held = 0;
    other->pool = empty;
    /* The ring is the same with other numbers: one pass, and not column by column. */
    for (i = 0; i < kept; i++)
        if (other->column[gone + i]) {
            const ptrdiff_t newer = other->newer[gone + i], older = other->older[gone + i];
            cache->column[i] = other->column[gone + i] + gone;
            cache->newer[i] = newer == last ? cache->n : newer - gone;
            cache->older[i] = older == last ? cache->n : older - gone;
            other->column[gone + i] = NULL;
        }
    cache->newer[cache->n] = other->newer[last] == last ? cache->n : other->newer[last] - gone;
    cache->older[cache->n] = other->older[last] == last ? cache->n : other->older[last] - gone;
    other->newer[last] = other->older[last] = last;
}

/*
 * The same where any rows went: `number` has the new number of each row, -1 for those, and the rows
 * that stay are copied within their columns, run after run: new begin, old begin, length.
 */
static void cache_take_rows(column_cache *cache, column_cache *other, const ptrdiff_t *number,
                            const ptrdiff_t *run, ptrdiff_t n_runs)
{
    ptrdiff_t i;
    const column_pool empty = {other->pool.width, 0, NULL, NULL};
    while (other->held > cache->capacity)
        cache_return(other, cache_evict(other));
    cache->stride = other->stride;
    cache->offset = other->offset;
    cache->held = other->held;
    cache->pool = other->pool;
    other->held = 0;
    other->pool = empty;
    while ((i = other->newer[other->n]) != other->n) {
        double *buffer = cache_evict(other);
        if (number[i] < 0) {
            cache_return(cache, buffer);
            continue;
        }
        for (ptrdiff_t r = 0; r < n_runs; r++)
            memmove(buffer + run[3 * r], buffer + run[3 * r + 1],
                    (size_t)run[3 * r + 2] * sizeof(double));
        cache_put(cache, number[i], buffer);
    }
}

/* Whether any column is pinned. */
static int cache_in_use(const column_cache *cache)
{
    for (ptrdiff_t i = 0; i < cache->n; i++)
        if (cache->pins[i])
            return 1;
    return 0;
}

/* Rows mirrored together, so that their entries stay in the nearest cache. */
#define MIRROR_TILE 32

/* matrix[last:, first:last] = matrix[first:last, last:].T of n rows, `width` doubles apart */
static void mirror_rows(double *matrix, ptrdiff_t n, ptrdiff_t width, ptrdiff_t first,
                        ptrdiff_t last)
{
    for (ptrdiff_t tile = last; tile < n; tile += MIRROR_TILE) {
        ptrdiff_t stop = tile + MIRROR_TILE < n ? tile + MIRROR_TILE : n;
        for (ptrdiff_t j = tile; j < stop; j++)
            for (ptrdiff_t i = first; i < last; i++)
                matrix[j * width + i] = matrix[i * width + j];
    }
}

#endif
