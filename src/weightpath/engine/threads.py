"""One thread for BLAS inside the engine: its products are small and oversubscription is costly."""

from __future__ import annotations

from functools import lru_cache, wraps

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread"]


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # Looking for the thread pools takes milliseconds, setting them microseconds.
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread(function):
    """Run ``function`` with BLAS limited to one thread."""

    @wraps(function)
    def limited(*args, **kwargs):
        with _controller().limit(limits=1):
            return function(*args, **kwargs)

    return limited
