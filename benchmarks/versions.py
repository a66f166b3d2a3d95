"""Two installed versions of the library, in turns: one table of their speed and exactness.

``python -m benchmarks.versions OLD NEW``, where each is the Python of an environment that has one
of them installed. Every task runs in a process of each, one after the other and again, so that a
busy moment of the machine hits both; medians of the processor's time are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

# A task: something to prepare, and something to time. It returns a model or a path, and its
# certificate is asked for afterwards.
Task = Callable[[], Callable[[], Any]]

# The estimators of the table "ordinary".
ORDINARY: tuple[tuple[str, dict[str, float]], ...] = (
    ("SVC", {"C": 1.0}),
    ("SVC", {"C": 100.0}),
    ("SVR", {"C": 1.0, "epsilon": 0.1}),
    ("SVR", {"C": 10.0, "epsilon": 1.0}),
    ("SVR", {"C": 100.0, "epsilon": 0.1}),
)


def tasks() -> dict[str, Task]:
    """Return the tasks by name; only what both versions have in public is used."""
    named: dict[str, Task] = {}
    for n in (400, 1600, 6400):
        named[f"fit, n = {n}"] = lambda n=n: _fit(n)
        named[f"reweight, n = {n}"] = lambda n=n: _reweight(n)
        named[f"one weight, n = {n}"] = lambda n=n: _one_weight(n)
        named[f"C path, n = {n}"] = lambda n=n: _cost_path(n)
    named["error curve, n = 1600"] = _curve
    named["model_at, n = 1600"] = _model_at
    named["add a row, n = 400"] = _add
    named["certificate, n = 400"] = _certificate
    named["leave one out, breast cancer"] = _leave_one_out
    named["fit and reweight, diabetes SVR"] = _regression
    named["lasso path, diabetes"] = _lasso
    for at_once in (1, 20):
        named[f"arrivals online, {at_once} at once"] = lambda k=at_once: _arrivals(k)
    for kind, options in ORDINARY:
        words = ", ".join(f"{name}={value:g}" for name, value in options.items())
        task = f"all weights, ordinary data, {kind}({words})"
        named[task] = lambda kind=kind, options=options: _all_weights(kind, options)
    return named


def _toy(n: int) -> tuple[Any, Any]:
    import weightpath as wp

    toy = wp.datasets.make_toy(n, random_state=0)
    model = wp.SVC(C=toy.C, gamma=toy.gamma)
    return toy, model.fit(toy.X, toy.y, sample_weight=toy.w_old)


def _fit(n: int) -> Callable[[], Any]:
    toy, model = _toy(n)
    return lambda: model.fit(toy.X, toy.y, sample_weight=toy.w_new)


def _reweight(n: int) -> Callable[[], Any]:
    toy, model = _toy(n)
    return lambda: model.reweight(toy.w_new)


def _one_weight(n: int) -> Callable[[], Any]:
    toy, model = _toy(n)
    model.reweight(toy.w_new)
    weight = toy.w_new.copy()
    weight[n // 2] *= 0.5
    return lambda: model.reweight(weight)


def _cost_path(n: int) -> Callable[[], Any]:
    import weightpath as wp

    toy = wp.datasets.make_toy(n, random_state=0)
    model = wp.SVC(C=1e-3, gamma=toy.gamma).fit(toy.X, toy.y)
    return lambda: model.move(C=10.0)


def _arrivals(at_once: int) -> Callable[[], Any]:
    from sklearn.datasets import make_classification

    import weightpath as wp

    X, y = make_classification(1100, 20, n_informative=8, random_state=0)
    model = wp.OnlineSVC(window=1000).fit(X[:1000], y[:1000])
    # The first arrivals make room.
    model.partial_fit(X[1000:1020], y[1000:1020])
    new = slice(1020, 1020 + at_once)
    return lambda: model.partial_fit(X[new], y[new]).svc_


def _all_weights(kind: str, options: dict[str, float]) -> Callable[[], Any]:
    import numpy as np
    from sklearn.datasets import make_classification, make_friedman1

    import weightpath as wp

    if kind == "SVC":
        X, y = make_classification(5000, 20, n_informative=8, flip_y=0.1, random_state=0)
    else:
        X, y = make_friedman1(4000, noise=1.0, random_state=0)
    model = getattr(wp, kind)(**options).fit(X, y)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, y.size)
    return lambda: model.reweight(weight)


def _curve() -> Callable[[], Any]:
    toy, model = _toy(1600)
    path = model.reweight(toy.w_new)
    return lambda: path.curve(toy.X, toy.y, "zero_one")


def _model_at() -> Callable[[], Any]:
    toy, model = _toy(1600)
    path = model.reweight(toy.w_new)
    return lambda: path.model_at(0.5)


def _add() -> Callable[[], Any]:
    toy, model = _toy(400)
    X, y = toy.X[:1] + 0.1, toy.y[:1]
    return lambda: model.add(X, y)


def _certificate() -> Callable[[], Any]:
    toy, model = _toy(400)
    path = model.reweight(toy.w_new)
    return lambda: path.kkt_violation()


def _leave_one_out() -> Callable[[], Any]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    import weightpath as wp

    X, y = load_breast_cancer(return_X_y=True)
    model = wp.SVC().fit(StandardScaler().fit_transform(X), y)
    return lambda: wp.leave_one_out(model)


def _regression() -> Callable[[], Any]:
    import numpy as np
    from sklearn.datasets import load_diabetes

    import weightpath as wp

    X, y = load_diabetes(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, y.size)
    return lambda: wp.SVR(C=10.0).fit(X, y).reweight(weight)


def _lasso() -> Callable[[], Any]:
    from sklearn.datasets import load_diabetes

    import weightpath as wp

    X, y = load_diabetes(return_X_y=True)
    return lambda: wp.Lasso(alpha=10.0).fit(X, y).move(alpha=0.01)


def _violation(found: Any) -> float:
    """Return what the certificate says, of what has one; of a path in its middle."""
    if isinstance(found, float):
        return found
    if hasattr(found, "theta"):
        return float(found.kkt_violation(0.5))
    return float(found.kkt_violation()) if hasattr(found, "kkt_violation") else 0.0


def serve() -> None:
    """Time the tasks named on standard input; one line of JSON for each."""
    named = tasks()
    for line in sys.stdin:
        run = named[line.strip()]()
        begin = process_time()
        found = run()
        seconds = process_time() - begin
        print(json.dumps([seconds, _violation(found)]), flush=True)


class Version:
    """A process that has one version of the library."""

    def __init__(self, python: str):
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        self.process = subprocess.Popen(
            [python, "-W", "ignore", __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **dict.fromkeys(threads, "1")},
        )

    def measure(self, task: str) -> tuple[float, float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(task + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{task}: {self.process.args[0]} has failed.")  # type: ignore[index]
        seconds, violation = json.loads(answer)
        return seconds, violation


def compare(old: Version, new: Version, task: str, repetitions: int) -> str:
    """Return one row of the table."""
    old.measure(task), new.measure(task)
    pairs = [(old.measure(task), new.measure(task)) for _ in range(repetitions)]
    before, after = (median(pair[k][0] for pair in pairs) for k in (0, 1))
    exact = [max(pair[k][1] for pair in pairs) for k in (0, 1)]
    return (
        f"| {task} | {1e3 * before:.2f} | {1e3 * after:.2f} | {after / before:.2f} "
        f"| {exact[0]:.0e} | {exact[1]:.0e} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("old", nargs="?", help="the Python of the old version's environment")
    parser.add_argument("new", nargs="?", help="that of the new version's")
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--only", default="", help="tasks whose names contain this")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    choice = parser.parse_args()
    if choice.serve:
        serve()
        return
    if not choice.old or not choice.new:
        parser.error("name two Pythons")
    old, new = Version(choice.old), Version(choice.new)
    print("| task | old ms | new ms | new / old | violation, old | violation, new |")
    print("|---|---|---|---|---|---|")
    for task in (name for name in tasks() if choice.only in name):
        print(compare(old, new, task, choice.repetitions), flush=True)


if __name__ == "__main__":
    main()
