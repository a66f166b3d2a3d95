"""One thread for BLAS inside the engine; see :mod:`weightpath.threads`."""

from __future__ import annotations

from weightpath.threads import one_blas_thread, single_blas

__all__ = ["one_blas_thread", "single_blas"]
