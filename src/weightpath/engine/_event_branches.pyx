"""Branches of which the events are wanted: which row changes where, and how.

As in :mod:`weightpath.engine._branches`, every end is verified; a branch that is lost has no events
here, and the caller follows it otherwise.
"""

import numpy as np

from weightpath.engine._branches cimport BranchRunner, Harvest
from weightpath.engine._results cimport GOING

# As in `weightpath.engine._branches`: nothing has changed on the way.
cdef enum:
    UNMOVED = 3


cdef class EventRunner(BranchRunner):
    """Follow paths that all begin at one solution, and keep their events; see `BranchRunner`."""

    def events_of(self, goals):
        """Return theta, row, and the positions before and after, of the events of all branches.

        Parameters
        ----------
        goals : BranchGoals
            Where the branches go.

        Returns
        -------
        list
            A tuple of four arrays for each branch; ``None`` for one that was lost.
        """
        self.events = [None] * len(goals)
        self.follow(goals, 0, len(goals))
        found, self.events = self.events, []
        return found

    cdef int _bring_in(self, Harvest harvest, Py_ssize_t at, int outcome) noexcept nogil:
        cdef int code = BranchRunner._bring_in(self, harvest, at, outcome)
        if code == GOING:
            self._keep_events(at, 0 if outcome == UNMOVED else self.state.recorder.n_events)
        return code

    cdef void _keep_events(self, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
        cdef Py_ssize_t k
        cdef double[::1] theta
        cdef Py_ssize_t[:, ::1] other
        with gil:
            event_theta, numbers = np.empty(count), np.empty((3, count), dtype=np.intp)
            theta, other = event_theta, numbers
            for k in range(count):
                theta[k] = self.state.recorder.event_theta[k]
                other[0, k] = self.state.recorder.event_index[k]
                other[1, k] = self.state.recorder.event_from[k]
                other[2, k] = self.state.recorder.event_to[k]
            self.events[at] = (event_theta, *numbers)
