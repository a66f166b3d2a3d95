/* A thread that waits for work without asking for Python, and how it is told that there is some.
 *
 * It sleeps until it is wanted. Waking up takes as long as many short branches, so it can be roused
 * a little before there is work: then it watches for it, and falls asleep again if none comes. Who
 * gave it work looks for its end in the same way before going to sleep.
 *
 * The bell and the knock are locks that are held: who waits acquires one, who wakes releases it. Each
 * is released only with the change of state that says that somebody waits, hence never twice.
 */
#ifndef WEIGHTPATH_WAITING_THREAD_H
#define WEIGHTPATH_WAITING_THREAD_H

#include "shared_state.h"

#include <Python.h>
#include <pythread.h>

enum { WP_ASLEEP, WP_WATCHING, WP_AT_WORK, WP_AWAITED, WP_DONE };

/* How often one looks before one goes to sleep: for work, about a millisecond, and for its end, as
 * long as waking up takes. */
enum { WP_LOOKS_FOR_WORK = 20000, WP_LOOKS_FOR_END = 2000 };

typedef struct {
    PyThread_type_lock bell, knock;
    void (*work)(void *);
    void *with;
    ptrdiff_t state;
} wp_waiting_thread;

static inline void wp_live(void *given)
{
    wp_waiting_thread *self = (wp_waiting_thread *) given;
    for (;;) {
        int looks = WP_LOOKS_FOR_WORK;
        while (wp_state(&self->state) == WP_WATCHING && looks-- > 0)
            wp_pause();
        if (!wp_change_state(&self->state, WP_WATCHING, WP_ASLEEP)) {
            /* There is work, and perhaps somebody waits for its end already. */
            self->work(self->with);
            if (!wp_change_state(&self->state, WP_AT_WORK, WP_DONE)) {
                wp_set_state(&self->state, WP_DONE);
                PyThread_release_lock(self->knock);
            }
        }
        PyThread_acquire_lock(self->bell, WAIT_LOCK);
    }
}

/* Start a thread, which watches for work; NULL if there cannot be one more. It lives as long as the
 * process does. */
static inline wp_waiting_thread *wp_new_waiting_thread(void)
{
    wp_waiting_thread *self = (wp_waiting_thread *) PyMem_RawCalloc(1, sizeof(*self));
    if (self == NULL)
        return NULL;
    self->bell = PyThread_allocate_lock();
    self->knock = PyThread_allocate_lock();
    self->state = WP_WATCHING;
    if (self->bell != NULL && self->knock != NULL) {
        PyThread_acquire_lock(self->bell, WAIT_LOCK);
        PyThread_acquire_lock(self->knock, WAIT_LOCK);
        if (PyThread_start_new_thread(wp_live, self) != (unsigned long) -1)
            return self;
        PyThread_release_lock(self->bell);
        PyThread_release_lock(self->knock);
    }
    if (self->bell != NULL)
        PyThread_free_lock(self->bell);
    if (self->knock != NULL)
        PyThread_free_lock(self->knock);
    PyMem_RawFree(self);
    return NULL;
}

/* Let it watch for work. */
static inline void wp_rouse(wp_waiting_thread *self)
{
    if (wp_change_state(&self->state, WP_ASLEEP, WP_WATCHING))
        PyThread_release_lock(self->bell);
}

/* Give work to a thread that has none; its end is to be waited for. */
static inline void wp_give(wp_waiting_thread *self, void (*work)(void *), void *with)
{
    self->work = work;
    self->with = with;
    if (!wp_change_state(&self->state, WP_WATCHING, WP_AT_WORK)) {
        wp_set_state(&self->state, WP_AT_WORK);
        PyThread_release_lock(self->bell);
    }
}

/* Wait until it is done; then it may be given work again. */
static inline void wp_await(wp_waiting_thread *self)
{
    int looks = WP_LOOKS_FOR_END;
    while (wp_state(&self->state) != WP_DONE && looks-- > 0)
        wp_pause();
    if (wp_change_state(&self->state, WP_AT_WORK, WP_AWAITED))
        PyThread_acquire_lock(self->knock, WAIT_LOCK);
    wp_set_state(&self->state, WP_ASLEEP);
}

#endif
