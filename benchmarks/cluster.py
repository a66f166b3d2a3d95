"""Removals on a Dask cluster of this machine: one worker, two, and two of which one is killed.

Workers are processes, each with one thread. What is found must be the same to the last bit.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import contextmanager, nullcontext
from time import perf_counter, process_time

import numpy as np
from joblib import parallel_config
from sklearn.datasets import make_classification

import weightpath as wp
from weightpath.selection import dispatch, removals

# Rows, and how many of them are removed, one on each path; with this C one worker takes more than
# half a minute.
C = 2.0
FULL = (5000, 2400)
QUICK = (120, 40)

# What it is called, the workers, and whether one of them is killed.
CASES = (
    ("one worker", 1, False),
    ("two workers", 2, False),
    ("two workers, one killed", 2, True),
)

# Removals before the clock runs, so that the workers have loaded the library.
WARM = 34


def table(plan) -> list[dict]:
    n, count = plan
    X, y = make_classification(n, 20, n_informative=8, flip_y=0.1, random_state=0)
    model = wp.SVC(C=C).fit(X, y)
    support = np.flatnonzero(model.subproblems_[0].state.beta)
    rows = np.random.default_rng(0).choice(support, min(count, support.size), replace=False)
    print(f"cluster, n = {n}, serial", file=sys.stderr, flush=True)
    serial, expected = removed(model, rows)
    found = []
    for case, workers, kills in CASES:
        print(f"cluster, n = {n}, {case}", file=sys.stderr, flush=True)
        with cluster(workers) as client, parallel_config("dask"):
            removed(model, rows[:WARM])
            before = times_of_workers(client)
            with killing(client) if kills else nullcontext():
                seconds, values = removed(model, rows)
            after = times_of_workers(client)
        busiest = max(after[one] - before.get(one, 0.0) for one in after)
        found.append(
            {
                "case": case,
                "n": n,
                "removals": len(rows),
                "serial s": serial,
                "clock s": seconds,
                "one worker / clock": found[0]["clock s"] / seconds if found else 1.0,
                "busiest worker s": busiest,
                "one worker / busiest": found[0]["busiest worker s"] / busiest if found else 1.0,
                "largest difference": float(np.abs(values - expected).max()),
            }
        )
    return found


def times_of_workers(client) -> dict[str, float]:
    """Return the processor time of each worker; one that was just killed does not answer."""
    answers = client.run(process_time, on_error="return")
    return {worker: time for worker, time in answers.items() if isinstance(time, float)}


def removed(model, rows):
    begin = perf_counter()
    values = wp.leave_one_out(model, indices=rows).decision_values
    return perf_counter() - begin, values


@contextmanager
def cluster(workers: int):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as local,
        Client(local) as client,
    ):
        yield client


@contextmanager
def killing(client):
    """Kill a worker after the first tasks are done."""
    victim = next(iter(client.run(os.getpid).values()))
    killed = []

    def hook(done: int, total: int) -> None:
        if done == 2 and not killed:
            killed.append(victim)
            os.kill(victim, signal.SIGKILL)

    def with_hook(*args, **options):
        return dispatch.run_tasks(*args, **{**options, "hook": hook})

    removals.run_tasks = with_hook
    try:
        yield
    finally:
        removals.run_tasks = dispatch.run_tasks
    if not killed:
        raise RuntimeError("No worker was killed.")
