cdef extern from "waiting_thread.h":
    ctypedef struct wp_waiting_thread:
        pass
    wp_waiting_thread* wp_new_waiting_thread() nogil
    void wp_rouse(wp_waiting_thread* self) nogil
    void wp_give(wp_waiting_thread* self, void (*work)(void*) noexcept nogil, void* with_) nogil
    void wp_await(wp_waiting_thread* self) nogil


cdef class WaitingThread:
    cdef wp_waiting_thread* thread
    cdef void give(self, void (*work)(void*) noexcept nogil, void* with_) noexcept nogil
    cdef int wait(self) except -1


cdef WaitingThread take_thread()
