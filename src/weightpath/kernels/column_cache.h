/*
 * A least-recently-used cache of columns of n doubles with reference counts.
 *
 * column[i] is NULL unless column i is held. Held columns without pins stand in a ring from the
 * oldest to the newest, with position n as its end; only they can be given up. Buffers are
 * allocated one by one as they are needed. When every held column is pinned the cache grows beyond
 * its capacity, and shrinks again as pins are taken back.
 *
 * Buffers may be longer than a column, which then begins at the same offset in all of them. So the
 * columns of a training set whose first rows depart and to whose end rows are added can stay where
 * they are (cache_take).
 */
#ifndef WEIGHTPATH_COLUMN_CACHE_H
#define WEIGHTPATH_COLUMN_CACHE_H

#include <stddef.h>
#include <stdlib.h>

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
} column_cache;

static void cache_close(column_cache *cache)
{
    if (cache->column)
        for (ptrdiff_t i = 0; i < cache->n; i++)
            if (cache->column[i])
                free(cache->column[i] - cache->offset);
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
    cache->stride = n;
    cache->offset = 0;
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
        buffer = (double *)malloc((size_t)cache->stride * sizeof(double));
        if (buffer) {
            buffer += cache->offset;
            cache->held++;
        } else
            buffer = cache_evict(cache);
    }
    return buffer;
}

/* Give back a buffer that holds no column. */
static void cache_return(column_cache *cache, double *buffer)
{
    free(buffer - cache->offset);
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
    ptrdiff_t i;
    cache->stride = other->stride;
    cache->offset = other->offset + gone;
    while (other->held > cache->capacity)
        cache_return(other, cache_evict(other));
    while ((i = other->newer[other->n]) != other->n) {
        double *buffer = cache_evict(other);
        if (i < gone) {
            cache_return(other, buffer);
        } else {
            other->held--;
            cache->held++;
            cache_put(cache, i - gone, buffer + gone);
        }
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
