/* Convex polygons, clipped by half-planes. Edge k leads from vertex k to the next one, counter-
 * clockwise, and carries the number of the half-plane that it lies on.
 */
#ifndef WEIGHTPATH_POLYGON_H
#define WEIGHTPATH_POLYGON_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WP_MOST_VERTICES 512

/* The sides of the plane, as numbers of half-planes: left, right, bottom, top are -1 to -4. */
#define WP_OUTER (-1)

typedef struct {
    ptrdiff_t size;
    double x[WP_MOST_VERTICES], y[WP_MOST_VERTICES];
    int32_t edge[WP_MOST_VERTICES];
} wp_polygon;

static void wp_polygon_square(wp_polygon *p)
{
    static const double x[4] = {0.0, 1.0, 1.0, 0.0}, y[4] = {0.0, 0.0, 1.0, 1.0};
    static const int32_t edge[4] = {-3, -2, -4, -1};
    p->size = 4;
    memcpy(p->x, x, sizeof x), memcpy(p->y, y, sizeof y), memcpy(p->edge, edge, sizeof edge);
}

/* Keep what has a + b x + c y >= 0; nothing is cut off that is not deeper than `slack`. */
static void wp_polygon_clip(wp_polygon *p, double a, double b, double c, double slack, int32_t id)
{
    double s[WP_MOST_VERTICES], least = INFINITY;
    const ptrdiff_t n = p->size;
    for (ptrdiff_t k = 0; k < n; k++) {
        s[k] = a + b * p->x[k] + c * p->y[k];
        least = s[k] < least ? s[k] : least;
    }
    if (least >= -slack) return;
    wp_polygon old;
    old.size = n;
    memcpy(old.x, p->x, n * sizeof(double)), memcpy(old.y, p->y, n * sizeof(double));
    memcpy(old.edge, p->edge, n * sizeof(int32_t));
    p->size = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        const ptrdiff_t next = k + 1 < n ? k + 1 : 0;
        if (p->size + 2 > WP_MOST_VERTICES) break;
        if (s[k] > 0.0) {
            p->x[p->size] = old.x[k], p->y[p->size] = old.y[k];
            p->edge[p->size++] = old.edge[k];
        }
        if ((s[k] > 0.0) != (s[next] > 0.0)) {
            const double t = s[k] / (s[k] - s[next]);
            p->x[p->size] = old.x[k] + t * (old.x[next] - old.x[k]);
            p->y[p->size] = old.y[k] + t * (old.y[next] - old.y[k]);
            p->edge[p->size++] = s[k] > 0.0 ? id : old.edge[k];
        }
    }
    if (p->size < 3) p->size = 0;
}

static double wp_polygon_area(const wp_polygon *p)
{
    double twice = 0.0;
    for (ptrdiff_t k = 1; k + 1 < p->size; k++)
        twice += (p->x[k] - p->x[0]) * (p->y[k + 1] - p->y[0])
                 - (p->x[k + 1] - p->x[0]) * (p->y[k] - p->y[0]);
    return 0.5 * twice;
}

/* How far beyond an edge of a convex polygon a point lies at most; negative inside. */
static double wp_polygon_excess(ptrdiff_t n, const double *x, const double *y, double px, double py)
{
    double worst = -INFINITY;
    for (ptrdiff_t k = 0; k < n; k++) {
        const ptrdiff_t next = k + 1 < n ? k + 1 : 0;
        const double ex = x[next] - x[k], ey = y[next] - y[k], length = hypot(ex, ey);
        if (length > 0.0) {
            const double out = -(ex * (py - y[k]) - ey * (px - x[k])) / length;
            worst = out > worst ? out : worst;
        }
    }
    return worst;
}

static double wp_polygon_radius(const wp_polygon *p, double cx, double cy)
{
    double most = 0.0;
    for (ptrdiff_t k = 0; k < p->size; k++) {
        const double r = hypot(p->x[k] - cx, p->y[k] - cy);
        most = r > most ? r : most;
    }
    return most;
}

#endif
