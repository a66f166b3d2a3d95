from weightpath.engine._course cimport Course
from weightpath.engine._landmarks cimport Landmarks
from weightpath.engine._margin cimport Margin
from weightpath.engine._packed_rows cimport PackedRows


cdef class AwakeRows:
    # Whether rows sleep at all now, and for how many events none does.
    cdef bint on
    # Whether rows may sleep at all.
    cdef bint allowed, anyway
    cdef Py_ssize_t wait
    cdef Py_ssize_t n, count, capacity
    cdef bint levels_move
    cdef double[::1] root
    # The anchor (-1: none), and the norm of each row's column, or of its difference from that of
    # the anchor.
    cdef Py_ssize_t anchor
    cdef bint is_anchored
    cdef double* norm
    # What takes the place of an anchor with a large margin; whether the reference rests on it, and
    # whether it does no longer; events of the path.
    cdef Landmarks landmarks
    cdef bint is_held, expired
    cdef Py_ssize_t events
    # What a sweep of a small margin has found in each block of rows.
    cdef double* first
    # Whether the margin is small: then all awake rows are near, and members are awake.
    cdef bint still
    # Whether columns have values at awake rows only.
    cdef bint is_light
    cdef Py_ssize_t patience
    # How far the function is from where it was expected; kernel values with the margin.
    cdef Course course
    cdef PackedRows rows
    # Row of each awake row, and where each row is among them (-1: it sleeps); rows that are new.
    cdef Py_ssize_t* index
    cdef Py_ssize_t* place
    cdef Py_ssize_t* fresh
    cdef unsigned char* wanted
    # One block of memory, cut into vectors over the awake rows.
    cdef double* r
    cdef double* dr
    cdef double* g
    cdef double* lo
    cdef double* up
    cdef double* dlo
    cdef double* dup
    # The awake rows that are near, and where each is among them (-1: it is far).
    cdef Py_ssize_t* near
    cdef Py_ssize_t* near_at
    cdef Py_ssize_t n_near
    # For each member its coefficient at the reference and at the last look at all awake rows; and
    # numbers by slot.
    cdef double* value
    cdef double* seen
    cdef double* coef
    cdef double* move
    cdef Py_ssize_t room
    # What near rows have still to move by.
    cdef double pending
    # Since the last look: the way of theta, the moves of the bias and of the lift, how far the
    # function may have deviated, the sum of the changes of its direction; the bias speed, and the
    # lift speed then and now.
    cdef double lag, bias_move, lift_move, deviation, turn, bias_speed, lift_course, lift_speed
    # How far all that may go before the next look; what is usual.
    cdef double reach, lift_reach, theta_reach
    cdef double provision, usual_turn, usual_lift
    cdef Py_ssize_t served
    # The last change of sets: how many since the last sweep, the change of the row's speed, and
    # that of its residual's, or where it is to be read and what to subtract.
    cdef Py_ssize_t n_changes, changed
    cdef double speed_change, residual_change, level_speed
    cdef int open(self, Py_ssize_t n, bint levels_move) noexcept nogil
    cdef int _reserve(self, Py_ssize_t m) noexcept nogil
    cdef bint _is_worth_it(self, Py_ssize_t m) noexcept nogil
    cdef bint needs_aim(self, Py_ssize_t m) noexcept nogil
    cdef bint is_wanted(self, Py_ssize_t m) noexcept nogil
    cdef void begin_anew(self) noexcept nogil
    cdef int anchor_at(self, Margin margin) noexcept nogil
    cdef bint wants_landmarks(self, Py_ssize_t m) noexcept nogil
    cdef void hold(self, Margin margin, bint has_bias, const double* time) noexcept nogil
    cdef void let_go(self, Py_ssize_t i) noexcept nogil
    cdef const double* _norms(self) noexcept nogil
    cdef int begin(self, double step, const double* r, const double* dr, const double* g,
                   const double* lo, const double* up, const double* dlo, const double* dup,
                   const double* dt, Margin margin, bint is_packed) noexcept nogil
    cdef int _take_hold(self) noexcept nogil
    cdef Py_ssize_t _list_rows(self, const double* r, const double* dr, const double* lo,
                               const double* up, const double* dlo,
                               const double* dup, Margin margin) noexcept nogil
    cdef Py_ssize_t _list_members(self, Margin margin, Py_ssize_t n_fresh) noexcept nogil
    cdef Py_ssize_t _arrange(self, Py_ssize_t n_fresh) noexcept nogil
    cdef void _put_to_rest(self) noexcept nogil
    cdef void judge(self, Py_ssize_t served) noexcept nogil
    cdef void end(self) noexcept nogil
    cdef bint covers(self, double step) noexcept nogil
    cdef double sweep(self, Margin margin, double db, double tol, double noise, double limit,
                      Py_ssize_t barred) noexcept nogil
    cdef double _sweep_near(self, double db, double tol, double noise) noexcept nogil
    cdef double _sweep_awake(self, double db, double tol, double noise,
                             double limit) noexcept nogil
    cdef void _note_turn(self, const double* slope, double db) noexcept nogil
    cdef bint _covers_far(self, double step) noexcept nogil
    cdef void _look_at_all(self, Margin margin, double db, double step,
                           Py_ssize_t barred) noexcept nogil
    cdef void _set_out(self, const double* value, double step, Py_ssize_t barred) noexcept nogil
    cdef void _provide(self, double step) noexcept nogil
    cdef void _choose_near(self, Py_ssize_t barred) noexcept nogil
    cdef Py_ssize_t choose(self, double bound, double noise, int* direction, double* ratio,
                           double* speed) noexcept nogil
    cdef void advance(self, double step) noexcept nogil
    cdef void apply_pending_step(self) noexcept nogil
    cdef bint calm_down(self, double tol) noexcept nogil
    cdef void set_levels(self, Py_ssize_t i, double lo, double up, double dlo,
                         double dup) noexcept nogil
    cdef void add_velocity(self, const double* col, double amount) noexcept nogil
    cdef int join(self, const double* col, double value, double knot_speed,
                  double enter_speed) noexcept nogil
    cdef double part(self, Py_ssize_t k, double residual, double g, double knot_speed,
                     double slope, double level_speed, Margin margin) noexcept nogil
    cdef Py_ssize_t _add_row(self, Py_ssize_t i, Margin margin) noexcept nogil
