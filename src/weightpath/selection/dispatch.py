"""Many tasks on one set of data, run by the backend of joblib.

The function of a task must be pure: what was lost with a worker that died is done again, and the
result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from weightpath.progress import Hook, Progress

Data = TypeVar("Data")
Task = TypeVar("Task")
Result = TypeVar("Result")

__all__ = ["run_tasks", "runs_in_threads", "size_of_tasks"]

# How often in a row tasks are sent again when workers die and nothing at all comes back.
TRIES = 3

# Tasks for each worker where pieces of work are small.
_TASKS_PER_WORKER = 6

# Errors that report the death of a worker, by name: the packages they are from may be missing.
LOST_WORKER = {
    "BrokenProcessPool",  # processes of joblib (loky)
    "KilledWorker",  # Dask: one task has lost several workers
    "CancelledError",  # Dask: the data were on a worker that died
    "WorkerCrashedError",  # Ray
}


def run_tasks(
    function: Callable[[Data, Task], Result],
    data: Data,
    tasks: Sequence[Task],
    *,
    description: str,
    n_jobs: int | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    verbose: int = 0,
    hook: Hook | None = None,
    prefer: str | None = None,
) -> list[Result]:
    """Return ``[function(data, task) for task in tasks]``, run by joblib's active backend.

    Parameters
    ----------
    function : callable
        Pure, and importable by workers.
    data : object
        What all tasks share. Sent once to processes that need it: large arrays in it are mapped
        into memory by joblib's own processes, and Dask and Ray keep it in their stores.
    tasks : sequence
        What is different.
    description : str
        Of the tasks, for the display of progress.
    n_jobs, pre_dispatch
        As in :class:`joblib.Parallel`; a Dask cluster is used as a whole.
    verbose, hook
        As in :class:`~weightpath.progress.Progress`.
    prefer : str or None, default=None
        As in :class:`joblib.Parallel`: "threads" where tasks leave the interpreter's lock.

    Returns
    -------
    list
        In the order of the tasks.
    """
    results: dict[int, Result] = {}
    failures = 0
    with Progress(len(tasks), description, verbose, hook) as bar:
        while len(results) < len(tasks):
            missing = [k for k in range(len(tasks)) if k not in results]
            try:
                for k, result in _completed(
                    function, data, tasks, missing, n_jobs, pre_dispatch, prefer
                ):
                    results[k] = result
                    failures = 0
                    bar.advance()
            except Exception as error:
                if not _tells_of_a_lost_worker(error):
                    raise
                failures += 1
                if failures > TRIES:
                    raise RuntimeError(
                        f"Workers died {failures} times in a row, and no task was done in between. "
                        "Often they run out of memory: use fewer of them, or larger ones."
                    ) from error
    return [results[k] for k in range(len(tasks))]


def runs_in_threads() -> bool:
    """Whether tasks that would rather share memory run in threads of this process.

    They do unless the user has chosen processes or a cluster, by :class:`joblib.parallel_config`.
    """
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False))


def size_of_tasks(count: int, n_jobs: int | None, least: int = 1) -> int:
    """Return how many of ``count`` small pieces of work make a task of another process.

    Few tasks, as each has to find its way into the data; but enough for a worker that is slow or
    dies not to be waited for.
    """
    n_tasks: int = _TASKS_PER_WORKER * effective_n_jobs(n_jobs)
    return max(least, -(-count // n_tasks))


def _tells_of_a_lost_worker(error: Exception) -> bool:
    return any(kind.__name__ in LOST_WORKER for kind in type(error).__mro__)


def _completed(
    function: Callable[[Data, Task], Result],
    data: Data,
    tasks: Sequence[Task],
    missing: Sequence[int],
    n_jobs: int | None,
    pre_dispatch: int | str,
    prefer: str | None,
) -> Iterator[tuple[int, Result]]:
    """Yield the number and the result of every task as it is done."""
    backend, _ = get_active_backend()
    if type(backend).__name__ == "DaskDistributedBackend":
        return _on_dask(backend, function, data, tasks, missing)
    options = {"n_jobs": n_jobs, "pre_dispatch": pre_dispatch, "prefer": prefer}
    try:
        parallel = Parallel(return_as="generator_unordered", **options)
    except ValueError:
        # Pools of processes, and so those of Ray, hand out all results at the end.
        parallel = Parallel(**options)
    return iter(parallel(delayed(_numbered)(function, data, k, tasks[k]) for k in missing))


def _numbered(
    function: Callable[[Data, Task], Result], data: Data, k: int, task: Task
) -> tuple[int, Result]:
    return k, function(data, task)


def _on_dask(
    backend: Any,
    function: Callable[[Data, Task], Result],
    data: Data,
    tasks: Sequence[Task],
    missing: Sequence[int],
) -> Iterator[tuple[int, Result]]:
    """Run tasks by the client of joblib's Dask backend.

    That backend itself waits for ever for a task that has lost its worker too often: see its
    ``_collect``, which does not report an error of the cluster.
    """
    from distributed import as_completed

    client = backend.client
    # Inside a task of Dask, this makes room for others while it waits.
    with backend.retrieval_context():
        held = client.scatter(data, hash=False)
        futures = {
            client.submit(
                function,
                held,
                tasks[k],
                key=f"{function.__name__}-{uuid4().hex}",
                pure=False,
                **backend.submit_kwargs,
            ): k
            for k in missing
        }
        try:
            for future in as_completed(list(futures)):
                # Asked for here, and not along with the future: a task that was cancelled because
                # its data are lost would give its error as if it were the result.
                yield futures[future], future.result()
        finally:
            client.cancel([future for future in futures if not future.done()])
