"""From the codes of native functions to members of :class:`Result`: the only place that maps them.

Codes of errors that have an exception of their own (an interrupt, a column, memory) never get here.
"""

from weightpath.engine.results import Result

cdef dict RESULTS = {
    END: Result.END,
    CAP: Result.CAP,
    INFEASIBLE: Result.INFEASIBLE,
    UNBOUNDED: Result.UNBOUNDED,
    TIES: Result.TIES,
    ASTRAY: Result.ASTRAY,
    INDEFINITE: Result.INDEFINITE,
}


cdef object result_of(int code):
    """Return the member of Result for a code."""
    return RESULTS[code]
