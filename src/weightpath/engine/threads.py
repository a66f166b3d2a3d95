"""One thread for BLAS inside the engine: its products are small and oversubscription is costly.

The rounding of a product also depends on how many threads share it: with one, every way of running
a search gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache, wraps
from itertools import product
from threading import Lock
from typing import Any, ParamSpec, TypeVar, cast

from threadpoolctl import ThreadpoolController

__all__ = ["one_blas_thread", "single_blas"]

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


@lru_cache(maxsize=1)
def _libraries() -> list[tuple[Any, Callable[[], int | None]]]:
    # Looking for the thread pools takes milliseconds, setting them microseconds. Each with what
    # tells its number of threads, which is asked on every path.
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [(library, _counter(library)) for library in found]


def _counter(library: Any) -> Callable[[], int | None]:
    """Return what tells how many threads a library has: of OpenBLAS its own function."""
    if library.internal_api == "openblas" and library.threading_layer != "openmp":
        own = getattr(library, "dynlib", None)
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            count = getattr(own, f"{prefix}openblas_get_num_threads{suffix}", None)
            if count is not None:
                return cast("Callable[[], int]", count)
    return cast("Callable[[], int | None]", library.get_num_threads)


class _SharedLimit(AbstractContextManager[None]):
    """The number of BLAS threads belongs to the whole process.

    The first of several threads that overlap sets it to one, and the last puts it back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        # Each library that had several threads, and how many.
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._count == 0:
                for library, count in _libraries():
                    number = count()
                    if number != 1 and number is not None:
                        self._before.append((library, number))
                        library.set_num_threads(1)
            self._count += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0 and self._before:
                for library, number in self._before:
                    library.set_num_threads(number)
                self._before = []


_SHARED = _SharedLimit()


def single_blas() -> AbstractContextManager[None]:
    """Return what limits BLAS to one thread while inside; many threads may be inside at once."""
    return _SHARED


def one_blas_thread(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Run ``function`` with BLAS limited to one thread."""

    @wraps(function)
    def limited(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
        with _SHARED:
            return function(*args, **kwargs)

    return limited
