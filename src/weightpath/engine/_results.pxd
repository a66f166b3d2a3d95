# Why a native function returned. GOING is internal: nothing to report, go on.
# `weightpath.engine.results.Result` has a member for each of the others.
cdef enum Code:
    GOING = 0
    END = 1
    CAP = 2
    INFEASIBLE = 3
    UNBOUNDED = 4
    TIES = 5
    ASTRAY = 6
    INTERRUPTED = 7
    NO_COLUMN = 8
    NO_MEMORY = 9
    INDEFINITE = 10
    STALE = 11

cdef object result_of(int code)
