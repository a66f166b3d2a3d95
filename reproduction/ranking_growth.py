"""How the cost of ranking grows: the first queries of a fold of OHSUMED, more and more of them.

Each size runs in a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.utils import Bunch
from threadpoolctl import threadpool_limits

from benchmarks.memory import peak_mb
from weightpath import RankingSVM
from weightpath.datasets import load_ohsumed

__all__ = ["C0", "FOLD", "GAMMA", "first_queries", "measure_growth"]

FOLD, GAMMA, C0 = 1, 1.0, 1e-2


def first_queries(part: Bunch, count: int | None) -> Bunch:
    """Return the rows of the first queries only."""
    if count is None:
        return part
    rows = np.isin(part.qid, np.unique(part.qid)[:count])
    return Bunch(data=part.data[rows], target=part.target[rows], qid=part.qid[rows])


def measure_growth(queries: int, data: Path | None) -> dict:
    """Return what fit and path take on the first queries of the fold."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_in_own_process, queries, data).result()


def _in_own_process(queries: int, data: Path | None) -> dict:
    train = first_queries(load_ohsumed(FOLD, "train", data), queries)
    before = peak_mb()
    model = RankingSVM(C=C0, gamma=GAMMA / train.data.shape[1])
    with threadpool_limits(1):
        begin = process_time()
        model.fit(train.data, train.target, qid=train.qid)
        fitted = process_time()
        path = model.reweight("relevance")
        traced = process_time()
    theta, margin = path.margin_size()
    return {
        "documents": len(train.target),
        "pairs": len(model.pairs_),
        "fit s": fitted - begin,
        "path s": traced - fitted,
        "events": int(path.n_events),
        "mean margin": float(np.average(margin, weights=np.diff(theta))),
        "peak MB": peak_mb() - before,
    }
