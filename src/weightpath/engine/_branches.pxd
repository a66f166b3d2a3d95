from weightpath.engine._waiting_threads cimport WaitingThread
from weightpath.engine._loop cimport Loop
from weightpath.engine._loop_state cimport LoopState
from weightpath.engine._margin cimport KeptMargin
from weightpath.engine._row_residuals cimport RowResiduals
from weightpath.engine._scales cimport Scales


cdef class BranchLoop(Loop):
    # The row that a rule watches and where it stops the path, 0 if nowhere; a rule that is asked.
    cdef Py_ssize_t watched
    cdef int until, before
    cdef object ask
    cdef bint stops
    # Not 0 as soon as all threads are to end at once; NULL where there is no such number.
    cdef Py_ssize_t* halted
    cdef int _look_after(self) noexcept nogil
    cdef int _record_segment(self, double step) noexcept nogil
    cdef bint _is_there(self) noexcept nogil
    cdef int _ask(self) noexcept nogil


cdef extern from "shared_count.h":
    Py_ssize_t wp_take_next(Py_ssize_t* next, Py_ssize_t count) nogil
    Py_ssize_t wp_count_now(Py_ssize_t* next) nogil


cdef class Sheaf:
    # The rows that changed on the branches of one thread, one branch after the other.
    cdef Py_ssize_t n_changes, room
    cdef Py_ssize_t* row
    cdef double* change
    cdef list loose
    cdef char apart[64]
    cdef int add(self, Py_ssize_t count, const Py_ssize_t* row,
                 const double* change) noexcept nogil
    cdef void copy(self, Py_ssize_t first, Py_ssize_t count, Py_ssize_t* row,
                   double* change) noexcept nogil


cdef class Harvest:
    # What the branches from first to before last have come to; which sheaf has the changes of each,
    # if there are any, and from where on.
    cdef Py_ssize_t first, last, first_entry
    cdef signed char[::1] outcome
    cdef double[::1] theta, bias, residual
    cdef Py_ssize_t[::1] n_events, count, owner, begin
    # The arrays that these are parts of.
    cdef object kind, reals, whole, places, at_rows
    cdef list sheaves
    # The next one to follow, which all threads write, away from what they only read.
    cdef char before_next[64]
    cdef Py_ssize_t next
    cdef char after_next[64]
    # Not 0 as soon as no thread is to go on with what it has begun.
    cdef Py_ssize_t halted
    cdef Py_ssize_t take(self, Py_ssize_t* first) noexcept nogil


cdef class BranchRunner:
    cdef BranchLoop loop
    cdef LoopState state
    cdef RowResiduals residuals
    cdef object stair, solution
    # The shared solution: what every branch begins with.
    cdef const double[:, ::1] base_knots
    cdef const double[::1] base_target
    cdef double[:, ::1] base_levels
    cdef double[::1] base_beta, base_residual, base_lower, base_upper, base_size
    cdef const int[::1] base_position
    cdef const unsigned char[::1] base_idle, absent
    cdef unsigned char[::1] ignored, idle_room, absent_room
    cdef KeptMargin base_margin
    cdef double base_bias, base_total, base_scale, largest_knot
    cdef Py_ssize_t n_largest
    cdef Scales base_scales
    cdef bint is_bias_fixed
    # The knots at the end of the present branch; those of the other rows are the shared ones.
    cdef double[:, ::1] end_knots
    # Where all branches of one call end: those of branch k are the entries from offset[k] on.
    cdef const Py_ssize_t[::1] offset, row
    cdef const double[:, ::1] knots, levels
    cdef const double[::1] target, total
    cdef bint targets_move, levels_move
    # The entries of the branch that is on its way.
    cdef Py_ssize_t begin, end
    # Where this runner brings in changes, its number there, and a branch that is broken.
    cdef Sheaf sheaf
    cdef Py_ssize_t number
    cdef readonly Py_ssize_t failed
    # In a thread of its own: which, what it helps with, and why it has ended.
    cdef WaitingThread thread
    cdef Harvest harvest
    cdef int code
    # At the end of a branch.
    cdef double[::1] end_residual, move
    cdef Py_ssize_t[::1] moved
    cdef Py_ssize_t n_moved
    cdef _go_there(self, columns, stair, solution, double ridge)
    cdef _let_knots_move(self, stair)
    cdef _share(self, BranchRunner other)
    cdef _keep(self, stair, absent)
    cdef _make_room(self, Py_ssize_t n)
    cdef void _copy_rows(self, Py_ssize_t n) noexcept nogil
    cdef _begin(self, goals, Harvest harvest, stop)
    cdef _end(self)
    cdef _take(self, goals)
    cdef int _follow_some(self, Harvest harvest) noexcept nogil
    cdef int _follow_asked(self, Harvest harvest, stop) except -1
    cdef int _follow_next(self, Py_ssize_t k, Harvest harvest) noexcept nogil
    cdef int _follow(self, Py_ssize_t k, Harvest harvest, Py_ssize_t at) noexcept nogil
    cdef void _put_back(self) noexcept nogil
    cdef bint _lay_line(self, double total) noexcept nogil
    cdef bint _is_one_leg(self) noexcept nogil
    cdef double _largest_end_knot(self) noexcept nogil
    cdef bint _is_idle(self, Py_ssize_t i) noexcept nogil
    cdef bint _nothing_moves(self) noexcept nogil
    cdef double _first_met(self, Py_ssize_t* member, int* direction) noexcept nogil
    cdef int _go_to_first_met(self) noexcept nogil
    cdef int _set_out(self) noexcept nogil
    cdef int _move_rows(self) noexcept nogil
    cdef int _find_moves(self) noexcept nogil
    cdef int _subtract_columns(self, Py_ssize_t first, Py_ssize_t count) noexcept nogil
    cdef void _put_within_bounds(self) noexcept nogil
    cdef bint _is_solution(self) noexcept nogil
    cdef double _end_scale(self) noexcept nogil
    cdef double _row_violation(self, Py_ssize_t i) noexcept nogil
    cdef bint _has_free_member(self) noexcept nogil
    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil
    cdef void _keep_loose_end(self, Py_ssize_t at) noexcept nogil
