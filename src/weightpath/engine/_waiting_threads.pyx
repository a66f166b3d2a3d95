"""Native threads that are kept between calls, asleep until there is work for them.

Starting a thread takes as long as ten short paths, and as much time again passes until it works. So
threads are kept, and those that will soon be wanted are roused: they watch for work for a
millisecond at most. A thread never waits for Python.
"""

import os


# Those without work. A list is popped by one caller at a time, so each gets a thread of its own.
cdef list _idle = []

# A forked process has none of the threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


cdef class WaitingThread:
    """One thread; it lives as long as the process does."""

    cdef void give(self, void (*work)(void*) noexcept nogil, void* with_) noexcept nogil:
        """Let it work; :meth:`wait` must follow. The work reports its own errors."""
        wp_give(self.thread, work, with_)

    cdef int wait(self) except -1:
        """Wait until its work is done, and leave it to the next caller."""
        with nogil:
            wp_await(self.thread)
        _idle.append(self)
        return 0


cdef WaitingThread take_thread():
    """Return a thread without work; ``None`` if no further one can be started."""
    try:
        return _idle.pop()
    except IndexError:
        return _new_thread()


cdef WaitingThread _new_thread():
    cdef WaitingThread found = WaitingThread.__new__(WaitingThread)
    found.thread = wp_new_waiting_thread()
    return None if found.thread == NULL else found


def rouse(Py_ssize_t count):
    """Let so many threads watch for work, for a millisecond at most."""
    cdef WaitingThread one
    cdef list found = []
    while len(found) < count:
        one = take_thread()
        if one is None:
            break
        wp_rouse(one.thread)
        found.append(one)
    _idle.extend(found)
