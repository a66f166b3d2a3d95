"""Peak memory of a fit and of a reweighting with many rows and a cache of 100 MB.

Two overlapping Gaussian classes in five dimensions, C = 1; the weights of one row in a hundred
change. The kernel matrix of 20,000 rows would take 3,200 MB. The fit and the path run in processes
of their own, the second with the model that the first has pickled (a pickle holds no cache), so
that neither counts what the other has left behind.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.own_process import answer_of, peak_mb

CACHE_MB = 100.0
KERNELS = ("linear", "rbf")


def table(n: int) -> list[dict]:
    rows = []
    for kernel in KERNELS:
        print(f"memory, n = {n}, {kernel}", file=sys.stderr, flush=True)
        with TemporaryDirectory() as folder:
            file = str(Path(folder, "model.pickle"))
            steps = [
                answer_of("benchmarks.memory", step, kernel, str(n), file)
                for step in ("fit", "path")
            ]
        rows.append({"kernel": kernel, "n": n, **steps[0], **steps[1]})
    return rows


def measure_fit(model, X, y, weight, file) -> dict:
    baseline, begin = peak_mb(), perf_counter()
    model.fit(X, y)
    answer = {"fit s": perf_counter() - begin, "peak of fit MB": peak_mb() - baseline}
    Path(file).write_bytes(pickle.dumps(model))
    return answer


def measure_path(model, X, y, weight, file) -> dict:
    baseline = peak_mb()
    model = pickle.loads(Path(file).read_bytes())
    begin = perf_counter()
    path = model.reweight(weight)
    seconds, peak = perf_counter() - begin, peak_mb() - baseline
    arrays = [value for value in vars(path.parts[0].record).values() if hasattr(value, "nbytes")]
    return {
        "weights moved": int((weight != 1.0).sum()),
        "events": path.n_events,
        "mean margin": float(path.margin_size()[1].mean()),
        "path s": seconds,
        "peak of path MB": peak,
        "cache MB": CACHE_MB,
        "record MB": sum(values.nbytes for values in arrays) / 1e6,
        "data MB": (X.nbytes + y.nbytes + weight.nbytes) / 1e6,
        "KKT violation at the end": path.kkt_violation(1.0),
    }


def make_data(n: int):
    random = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    X = random.normal(size=(n, 5)) + 0.5 * y[:, None]
    weight = np.ones(n)
    moved = random.choice(n, n // 100, replace=False)
    weight[moved] = random.uniform(0.0, 2.0, len(moved))
    return X, y, weight


def main(step: str, kernel: str, n: str, file: str) -> None:
    import weightpath as wp

    X, y, weight = make_data(int(n))
    # A first small path, so that lazily loaded code does not count.
    few = np.linspace(0, len(y) - 1, 41).astype(int)
    wp.SVC(kernel=kernel).fit(X[few], y[few]).reweight(weight[few] + 0.5)
    model = wp.SVC(C=1.0, kernel=kernel, cache_size=CACHE_MB)
    measure = {"fit": measure_fit, "path": measure_path}[step]
    print(json.dumps(measure(model, X, y, weight, file)))


if __name__ == "__main__":
    main(*sys.argv[1:])
