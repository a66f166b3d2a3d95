# What the loop answers. GOING is internal: nothing to report, go on.
cdef enum Answer:
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
