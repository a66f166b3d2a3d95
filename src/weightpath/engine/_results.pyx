"""From the codes of native functions to members of :class:`Result`; mapped here only.

Codes for which an exception is raised (an interrupt, a column, memory) do not occur here.
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
    STALE: Result.STALE,
}


cdef object result_of(int code):
    """Return the member of Result for a code."""
    return RESULTS[code]
