/* The plane tiled by regions: from one region through its edges to all others, depth first.
 *
 * A region is known by the positions of all rows (and, where the bias is loose, by the rows that
 * bound it), as a hash of 64 bits. What is kept of it: the region it was found from and the step
 * that led from there, and its polygon. Regions are numbered in the order in which they are found,
 * in which each is one step from the one before or from one of the regions on the way to that.
 */
#ifndef WEIGHTPATH_TILING_H
#define WEIGHTPATH_TILING_H

#include "crossing.h"

typedef struct {
    int32_t parent;
    wp_step step;
    double x, y;
    uint64_t name;
} wp_pending;

typedef struct {
    wp_walk *walk;
    wp_pivot_rules rules;
    wp_stops stops;
    wp_polygon polygon;
    ptrdiff_t n_regions, capacity, n_vertices, vertex_capacity;
    int32_t *parent;
    wp_step *step;
    int64_t *offset;
    double *x, *y;
    int32_t *edge;
    double area;
    int32_t here;
    wp_pending *pending;
    ptrdiff_t n_pending, pending_capacity;
    uint64_t *key;
    int32_t *value;
    ptrdiff_t n_slots;
    ptrdiff_t n_lost;   /* edges with nothing, or something else, behind them */
    double tiny, wrong;   /* edges that are not crossed; how far off a neighbour may be */
} wp_tiling;

static void wp_tiling_free(wp_tiling *t)
{
    free(t->stops.stop), free(t->stops.null), free(t->parent), free(t->step), free(t->offset);
    free(t->x), free(t->y), free(t->edge), free(t->pending), free(t->key), free(t->value);
}

/* The number of the region of this name, -1 if there is none. */
static int32_t wp_tiling_find(const wp_tiling *t, uint64_t name)
{
    if (!t->n_slots) return -1;
    for (uint64_t k = name & (t->n_slots - 1);; k = (k + 1) & (t->n_slots - 1)) {
        if (t->value[k] < 0) return -1;
        if (t->key[k] == name) return t->value[k];
    }
}

static void wp_tiling_enter(wp_tiling *t, uint64_t name, int32_t region)
{
    uint64_t k = name & (t->n_slots - 1);
    while (t->value[k] >= 0) k = (k + 1) & (t->n_slots - 1);
    t->key[k] = name, t->value[k] = region;
}

static int wp_tiling_widen(wp_tiling *t)
{
    const ptrdiff_t old = t->n_slots, slots = old ? 2 * old : 1024;
    uint64_t *key = t->key;
    int32_t *value = t->value;
    uint64_t *more = malloc(slots * sizeof(uint64_t));
    int32_t *values = malloc(slots * sizeof(int32_t));
    if (!more || !values) {
        free(more), free(values);
        return -1;
    }
    t->key = more, t->value = values, t->n_slots = slots;
    for (ptrdiff_t k = 0; k < slots; k++) values[k] = -1;
    for (ptrdiff_t k = 0; k < old; k++)
        if (value[k] >= 0) wp_tiling_enter(t, key[k], value[k]);
    free(key), free(value);
    return 0;
}

static int wp_grow(void *array, ptrdiff_t size, ptrdiff_t width)
{
    void *larger = realloc(*(void **) array, size * width);
    if (!larger) return -1;
    *(void **) array = larger;
    return 0;
}

static int wp_tiling_reserve(wp_tiling *t, ptrdiff_t vertices)
{
    if (t->n_regions + 2 > t->capacity) {
        const ptrdiff_t cap = t->capacity + t->capacity / 2 + 256;
        if (wp_grow(&t->parent, cap, sizeof(int32_t)) || wp_grow(&t->step, cap, sizeof(wp_step))
            || wp_grow(&t->offset, cap + 1, sizeof(int64_t)))
            return -1;
        t->capacity = cap;
    }
    if (t->n_vertices + vertices > t->vertex_capacity) {
        const ptrdiff_t cap = t->vertex_capacity + t->vertex_capacity / 2 + vertices + 1024;
        if (wp_grow(&t->x, cap, sizeof(double)) || wp_grow(&t->y, cap, sizeof(double))
            || wp_grow(&t->edge, cap, sizeof(int32_t)))
            return -1;
        t->vertex_capacity = cap;
    }
    return 2 * (t->n_regions + 1) > t->n_slots ? wp_tiling_widen(t) : 0;
}

/* How far a point is outside a region. */
static double wp_tiling_excess(const wp_tiling *t, int32_t region, double x, double y)
{
    const int64_t at = t->offset[region];
    return wp_polygon_excess(t->offset[region + 1] - at, t->x + at, t->y + at, x, y);
}

/* The name of the region behind a step. */
static uint64_t wp_tiling_name(const wp_tiling *t, const wp_step *step)
{
    uint64_t name = t->walk->hash;
    for (int k = 0; k < 2; k++) {
        const wp_change *c = step->change + k;
        if (c->row >= 0) name ^= wp_name(c->row, c->from) ^ wp_name(c->row, c->to);
    }
    return name ^ wp_name_of_bounds(step->low, step->high);
}

static int wp_tiling_push(wp_tiling *t, int32_t parent, const wp_step *step, double x, double y)
{
    const uint64_t name = wp_tiling_name(t, step);
    const int32_t known = wp_tiling_find(t, name);
    if (known >= 0) {
        t->n_lost += wp_tiling_excess(t, known, x, y) > t->wrong;
        return 0;
    }
    if (t->n_pending == t->pending_capacity) {
        const ptrdiff_t cap = 2 * t->pending_capacity + 256;
        if (wp_grow(&t->pending, cap, sizeof(wp_pending))) return -1;
        t->pending_capacity = cap;
    }
    const wp_pending own = {parent, *step, x, y, name};
    t->pending[t->n_pending++] = own;
    return 0;
}

/* What is behind the edges of the region in which the walk is. */
static int wp_tiling_cross_all(wp_tiling *t, int32_t region)
{
    const wp_polygon *p = &t->polygon;
    for (ptrdiff_t k = 0; k < p->size; k++) {
        const ptrdiff_t next = k + 1 < p->size ? k + 1 : 0;
        const wp_ends e = {{p->x[k], p->x[next]}, {p->y[k], p->y[next]}};
        const double dx = e.x[1] - e.x[0], dy = e.y[1] - e.y[0], length = hypot(dx, dy);
        if (p->edge[k] < 0 || length <= t->tiny) continue;
        if (wp_cross(t->walk, p->edge[k], &e, &t->rules, &t->stops)) return -1;
        if (t->stops.size == 0) t->n_lost++;
        ptrdiff_t before = -1;
        for (double from = 0.0, to = 0.0; from < 1.0 && t->stops.size; from = to) {
            before = wp_first_stop(&t->stops, from, before, &to);
            if (before < 0) break;
            if ((to - from) * length <= t->tiny) continue;
            const double at = 0.5 * (from + to);
            if (wp_tiling_push(t, region, &t->stops.stop[before].step, e.x[0] + at * dx,
                               e.y[0] + at * dy))
                return -1;
        }
    }
    return 0;
}

/* Add the region in which the walk is, near a point of it: 1, or 0 if there is no such region. */
static int wp_tiling_add(wp_tiling *t, int32_t parent, const wp_step *step, double x, double y)
{
    wp_polygon *p = &t->polygon;
    double around = 0.0, area;
    if (wp_walk_solve(t->walk, 0, t->walk->n)) return -1;
    wp_walk_halfplanes(t->walk);
    wp_walk_polygon(t->walk, x, y, p);
    area = wp_polygon_area(p);
    for (ptrdiff_t k = 0; k < p->size; k++) {
        const ptrdiff_t next = k + 1 < p->size ? k + 1 : 0;
        around += hypot(p->x[next] - p->x[k], p->y[next] - p->y[k]);
    }
    if (p->size < 3 || !(area > 0.25 * t->tiny * around)
        || wp_polygon_excess(p->size, p->x, p->y, x, y) > t->wrong) {
        t->n_lost++;
        return 0;
    }
    if (wp_tiling_reserve(t, p->size)) return -1;
    const int32_t own = (int32_t) t->n_regions;
    t->parent[own] = parent, t->step[own] = *step;
    t->offset[own] = t->n_vertices, t->offset[own + 1] = t->n_vertices + p->size;
    memcpy(t->x + t->n_vertices, p->x, p->size * sizeof(double));
    memcpy(t->y + t->n_vertices, p->y, p->size * sizeof(double));
    memcpy(t->edge + t->n_vertices, p->edge, p->size * sizeof(int32_t));
    t->n_vertices += p->size;
    t->n_regions++;
    t->area += area;
    t->here = own;
    wp_tiling_enter(t, wp_walk_name(t->walk), own);
    return wp_tiling_cross_all(t, own) ? -1 : 1;
}

/* Begin with the region of these positions that holds a point; 0 if there is none, -1 for memory. */
static int wp_tiling_begin(wp_tiling *t, const int8_t *position, double x, double y)
{
    wp_walk *w = t->walk;
    if (wp_walk_begin(w, position)) return -1;
    if (wp_walk_is_loose(w)) wp_walk_find_bounds(w, x, y);
    const wp_step step = wp_no_step(w);
    return wp_tiling_add(t, -1, &step, x, y);
}

/* Go on for at most so many crossings: 0 if all are done, 1 if not, -1 when memory is short. */
static int wp_tiling_advance(wp_tiling *t, ptrdiff_t crossings, ptrdiff_t most_regions)
{
    wp_walk *w = t->walk;
    while (t->n_pending && crossings-- > 0 && t->n_regions < most_regions) {
        const wp_pending p = t->pending[--t->n_pending];
        const int32_t known = wp_tiling_find(t, p.name);
        if (known >= 0) {
            t->n_lost += wp_tiling_excess(t, known, p.x, p.y) > t->wrong;
            continue;
        }
        while (t->here != p.parent) {
            const int32_t up = t->parent[t->here];
            const wp_step *step = t->step + t->here;
            if (wp_walk_step(w, step, 1, t->step[up].low, t->step[up].high)) return -1;
            t->here = up;
        }
        if (wp_walk_step(w, &p.step, 0, p.step.low, p.step.high)) return -1;
        const int added = wp_tiling_add(t, p.parent, &p.step, p.x, p.y);
        if (added < 0) return -1;
        if (!added && wp_walk_step(w, &p.step, 1, t->step[p.parent].low, t->step[p.parent].high))
            return -1;
    }
    return t->n_pending != 0;
}

#endif
