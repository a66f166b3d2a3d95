/*
 * Buffers of columns that are in use: one is computed when it is first pinned, shared while it is
 * pinned, and its buffer serves another afterwards. slot[i] is -1 unless column i has a buffer.
 */
#ifndef WEIGHTPATH_PINNED_SLOTS_H
#define WEIGHTPATH_PINNED_SLOTS_H

#include <stddef.h>
#include <stdlib.h>

#define SLOTS_AT_ONCE 8

typedef struct {
    double *buffer;
    int pins;
    ptrdiff_t column; /* whose buffer it is; -1 for nobody's */
} pinned_slot;

typedef struct {
    ptrdiff_t n_slots;
    ptrdiff_t width; /* doubles in a buffer */
    pinned_slot *slots;
    int *slot;
} pinned_slots;

/* Room for n columns; -1 when there is no memory. */
static int slots_open(pinned_slots *self, ptrdiff_t n, ptrdiff_t width)
{
    self->width = width;
    self->slot = (int *)malloc(((size_t)n + 1) * sizeof(int));
    if (!self->slot)
        return -1;
    for (ptrdiff_t i = 0; i < n; i++)
        self->slot[i] = -1;
    return 0;
}

static void slots_close(pinned_slots *self)
{
    for (ptrdiff_t s = 0; s < self->n_slots; s++)
        free(self->slots[s].buffer);
    free(self->slots);
    free(self->slot);
}

/* Column i pinned once more; NULL if it has no buffer. */
static double *slots_pin(pinned_slots *self, ptrdiff_t i)
{
    if (self->slot[i] < 0)
        return NULL;
    self->slots[self->slot[i]].pins++;
    return self->slots[self->slot[i]].buffer;
}

static void slots_unpin(pinned_slots *self, ptrdiff_t i)
{
    if (self->slot[i] >= 0 && self->slots[self->slot[i]].pins > 0)
        self->slots[self->slot[i]].pins--;
}

static int slots_grow(pinned_slots *self)
{
    ptrdiff_t more = self->n_slots + SLOTS_AT_ONCE, before = self->n_slots;
    pinned_slot *slots = (pinned_slot *)realloc(self->slots, (size_t)more * sizeof(pinned_slot));
    if (!slots)
        return -1;
    self->slots = slots;
    for (; self->n_slots < more; self->n_slots++) {
        pinned_slot fresh = {(double *)malloc((size_t)self->width * sizeof(double)), 0, -1};
        if (!fresh.buffer)
            break;
        slots[self->n_slots] = fresh;
    }
    return self->n_slots > before ? 0 : -1;
}

/* A buffer for column i, which had none, pinned once; NULL when there is no memory. */
static double *slots_take(pinned_slots *self, ptrdiff_t i)
{
    ptrdiff_t s = 0;
    while (s < self->n_slots && self->slots[s].pins > 0)
        s++;
    if (s == self->n_slots && slots_grow(self) < 0)
        return NULL;
    if (self->slots[s].column >= 0)
        self->slot[self->slots[s].column] = -1;
    self->slots[s].column = i;
    self->slots[s].pins = 1;
    self->slot[i] = (int)s;
    return self->slots[s].buffer;
}

/* A buffer that could not be filled belongs to nobody again. */
static void slots_release(pinned_slots *self, ptrdiff_t i)
{
    pinned_slot *own = &self->slots[self->slot[i]];
    own->pins = 0;
    own->column = -1;
    self->slot[i] = -1;
}

#endif
