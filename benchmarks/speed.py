"""A whole path against refitting: the artificial example of the paper's section 4.1.

Half of the weights go from 0 to 10. All contenders run in one process and one thread, in turns, so
that a busy moment of the machine hits all of them, and the time of the processor is taken: on an
idle machine it is that of the clock, on a busy one the waiting does not count. Medians over the
repetitions are reported.
"""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass, field
from statistics import median
from time import process_time

import numpy as np
from sklearn.svm import SVC

import weightpath as wp
from benchmarks.scorer import Scorer
from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.problems import hinge_staircase

CACHE_MB = 200.0


@dataclass(frozen=True)
class Size:
    """How much is measured at one n; ``n_refits`` of ``None`` means at every breakpoint."""

    n: int
    repetitions: int
    n_refits: int | None


FULL = (
    Size(400, 25, None),
    Size(800, 15, None),
    Size(1600, 11, 40),
    Size(3200, 9, 40),
    Size(6400, 9, 40),
)
QUICK = (Size(40, 2, None), Size(80, 2, 5))


@dataclass
class Run:
    """Everything measured at one n."""

    size: Size
    data: dict
    path: wp.SolutionPath
    scorer: Scorer
    seconds: dict = field(default_factory=dict)
    refits: list = field(default_factory=list)  # (theta, seconds, beta, bias)
    end_fit: tuple | None = None  # beta, bias

    @property
    def n_breakpoints(self) -> int:
        return len(self.path.theta)

    def weights(self, theta) -> np.ndarray:
        return (1.0 - theta) * self.data.C_old + theta * self.data.C_new


def measure(size: Size) -> Run:
    print(f"n = {size.n}", file=sys.stderr, flush=True)
    data = wp.datasets.make_toy(size.n, random_state=0)
    path = fitted(data).reweight(data.w_new)
    run = Run(size, data, path, Scorer(data.X, data.y, data.gamma))
    places = sample(path.theta, size.n_refits)
    for repetition in range(size.repetitions):
        for name, contender in CONTENDERS.items():
            seconds = contender(run)
            run.seconds.setdefault(name, []).append(seconds)
        run.refits += [refit(run, theta) for theta in places[repetition :: size.repetitions]]
    return run


def fitted(data):
    model = wp.SVC(C=data.C, gamma=data.gamma, cache_size=CACHE_MB)
    return model.fit(data.X, data.y, sample_weight=data.w_old)


def sample(places, count):
    """All places, or ``count`` of them, evenly among them with both ends."""
    if count is None or count >= len(places):
        return places
    return places[np.linspace(0, len(places) - 1, count).round().astype(int)]


# Contenders, each returning its seconds --------------------------------------------------------


def whole_path(run: Run) -> float:
    model = fitted(run.data)
    begin = process_time()
    model.reweight(run.data.w_new)
    return process_time() - begin


def whole_path_cold(run: Run) -> float:
    # A copy by pickle has no kernel columns: the path computes all it needs.
    model = pickle.loads(pickle.dumps(fitted(run.data)))
    begin = process_time()
    model.reweight(run.data.w_new)
    return process_time() - begin


def engine_alone(run: Run) -> float:
    data = run.data
    columns = Kernel("rbf", gamma=data.gamma).columns(data.X, CACHE_MB)
    start, end = hinge_staircase(data.y, data.C_old), hinge_staircase(data.y, data.C_new)
    solution = run.path.at(0.0)
    state = solve(columns, start, solution.dual_coef, solution.intercept)
    begin = process_time()
    follow(columns, start, end, state)
    return process_time() - begin


def one_fit(run: Run) -> float:
    _, seconds, *run.end_fit = refit(run, 1.0)
    return seconds


def refit(run: Run, theta: float):
    """Fit scikit-learn's SVC at one place; return the place, the seconds and the solution."""
    data = run.data
    weight = run.weights(theta) / data.C
    # support_ counts only the rows of positive weight, so give it no others.
    used = np.flatnonzero(weight > 0)
    X, y, weight = data.X[used], data.y[used], weight[used]
    model = SVC(C=data.C, gamma=data.gamma, cache_size=CACHE_MB)
    begin = process_time()
    model.fit(X, y, sample_weight=weight)
    seconds = process_time() - begin
    beta = np.zeros(len(data.y))
    beta[used[model.support_]] = model.dual_coef_[0]
    return theta, seconds, beta, float(model.intercept_[0])


CONTENDERS = {
    "path": whole_path,
    "fit": one_fit,
    "engine": engine_alone,
    "cold": whole_path_cold,
}


def table(runs: list[Run]) -> list[dict]:
    rows = []
    for run in runs:
        ms = {name: 1e3 * median(seconds) for name, seconds in run.seconds.items()}
        refits_ms = 1e3 * np.mean([seconds for _, seconds, *_ in run.refits]) * run.n_breakpoints
        rows.append(
            {
                "n": run.size.n,
                "events": run.path.n_events,
                "mean margin": float(run.path.margin_size()[1].mean()),
                "path ms": ms["path"],
                "engine alone ms": ms["engine"],
                "path with cold cache ms": ms["cold"],
                "one SVC fit ms": ms["fit"],
                "SVC fit / path": ms["fit"] / ms["path"],
                "breakpoints": run.n_breakpoints,
                "refits measured": len(run.refits),
                "SVC at every breakpoint ms": float(refits_ms),
                "refits / path": float(refits_ms / ms["path"]),
            }
        )
    return rows
