"""One thread for BLAS while tasks run, so that every backend gives the same bits.

The rounding of a matrix product depends on how many threads share it. The setting belongs to the
whole process: of several tasks in one process (threads, or a worker with several), the first to
begin makes it and the last to end takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]

_lock = Lock()
_running = 0
_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for as long as any task of this process is inside."""
    global _running, _limit
    with _lock:
        if _running == 0:
            _limit = ThreadpoolController().limit(limits=1, user_api="blas")
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                _limit.restore_original_limits()
                _limit = None
