"""Run tasks on a running Dask cluster, if one was named."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from weightpath.cli.errors import InputError

__all__ = ["on_cluster"]

# Seconds to find the scheduler, and its first worker.
PATIENCE = 5


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Send tasks of joblib to the workers of a scheduler; without an address do nothing."""
    if address is None:
        yield
        return
    from joblib import parallel_config

    with _client(address), parallel_config("dask"):
        yield


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--cluster needs Dask, which is not installed: pip install 'weightpath[cluster]'."
        ) from None
    # What it says of a failed connection is said in one line below.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--cluster {address}: no Dask scheduler answers there. Check the address (host:port) "
            "and that it runs."
        ) from error
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        client.close()
        raise InputError(
            f"--cluster {address}: the scheduler has no workers. Start some: dask worker {address}."
        ) from error
    return client
