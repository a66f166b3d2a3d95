"""One thread for everybody, so that the time of the processor is the time of the work."""

from __future__ import annotations

import os

from threadpoolctl import threadpool_limits

# Read by numerical libraries when they are loaded, hence of use to new processes only.
ONE_THREAD = dict.fromkeys(
    (
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


def one_thread() -> threadpool_limits:
    """A context in which BLAS and OpenMP have one thread.

    It binds the libraries that are loaded when it is entered: import what will run before.
    """
    return threadpool_limits(limits=1)


def environment_of_one_thread() -> dict[str, str]:
    """The environment for another process that is to have one thread."""
    return {**os.environ, **ONE_THREAD}
