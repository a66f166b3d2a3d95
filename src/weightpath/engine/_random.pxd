# Random numbers in native code.

from libc.stdint cimport uint64_t


# Steele, Lea and Flood's SplitMix64: enough to shuffle.
cdef inline uint64_t next_random(uint64_t* state) noexcept nogil:
    cdef uint64_t z
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)
