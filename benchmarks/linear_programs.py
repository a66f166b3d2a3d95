"""Paths of linear program machines against HiGHS, warm-started at every breakpoint.

All weights go from one to others, uniform between 0 and 2. HiGHS keeps its model and its basis: at
each breakpoint of the path the costs of the slacks change, and it solves again, by the primal
simplex method, whose basis stays feasible. It gets the breakpoints for nothing. In turns, in one
thread; the time of the processor.
"""

from __future__ import annotations

import sys
from statistics import median
from time import process_time

import numpy as np
from scipy import sparse

import weightpath as wp

# (estimator, kernel, rows, features, C, repetitions)
FULL = [
    ("L1SVC", "linear", 400, 30, 1.0, 7),
    ("L1SVC", "linear", 2000, 100, 1.0, 3),
    ("L1SVC", "rbf", 400, 3, 10.0, 5),
    ("L1SVR", "linear", 400, 30, 1.0, 7),
    ("L1SVR", "rbf", 400, 3, 10.0, 3),
]
QUICK = [("L1SVC", "linear", 40, 5, 1.0, 1), ("L1SVR", "rbf", 40, 2, 1.0, 1)]

EPSILON = 0.1


def table(plan) -> list[dict]:
    rows = []
    for estimator, kernel, n, p, C, repetitions in plan:
        print(f"linear programs, {estimator}, {kernel}, n = {n}", file=sys.stderr, flush=True)
        rows.append(_row(estimator, kernel, n, p, C, repetitions))
    return rows


def make_data(estimator: str, n: int, p: int):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, p))
    value = X[:, 0] + 0.5 * X[:, 1] + 0.8 * random.normal(size=n)
    weight = random.uniform(0.0, 2.0, n)
    return X, np.where(value > 0, 1.0, -1.0) if estimator == "L1SVC" else value, weight


def make_model(estimator: str, kernel: str, C: float):
    more = {} if estimator == "L1SVC" else {"epsilon": EPSILON}
    return getattr(wp, estimator)(C=C, kernel=kernel, gamma=0.5, **more)


def _row(estimator, kernel, n, p, C, repetitions) -> dict:
    X, y, weight = make_data(estimator, n, p)
    model = make_model(estimator, kernel, C)
    begin = process_time()
    model.fit(X, y)
    fit_seconds = process_time() - begin
    columns = X if kernel == "linear" else np.exp(-0.5 * _distances(X))
    path_seconds, warm, cold = [], [], []
    for _ in range(repetitions):
        begin = process_time()
        path = model.path_to(sample_weight=weight)
        path_seconds.append(process_time() - begin)
        rival = Highs(columns, y, estimator == "L1SVC")
        if rival.is_missing:
            continue
        cold.append(rival.solve(np.full(n, C)))
        costs = [C * ((1.0 - t) + t * weight) for t in path.theta[1:]]
        answers = [rival.solve(cost) for cost in costs]
        warm.append(sum(seconds for seconds, _ in answers))
        apart = max(
            abs(found - path.objective(float(t))) / found
            for (_, found), t in zip(answers, path.theta[1:], strict=True)
        )
    path_ms = 1e3 * median(path_seconds)
    known = bool(warm)
    warm_ms = 1e3 * median(warm) if known else float("nan")
    return {
        "estimator": estimator,
        "kernel": kernel,
        "n": n,
        "coefficients": columns.shape[1],
        "breakpoints": len(path),
        "path ms": path_ms,
        "us a breakpoint": 1e3 * path_ms / len(path),
        "HiGHS at every breakpoint ms": warm_ms,
        "HiGHS / path": warm_ms / path_ms,
        "fit ms": 1e3 * fit_seconds,
        "one HiGHS fit ms": 1e3 * median(s for s, _ in cold) if known else float("nan"),
        "largest difference of objectives": apart if known else float("nan"),
        "violation of the path": path.kkt_violation(),
    }


def _distances(X):
    return ((X[:, None] - X[None]) ** 2).sum(axis=2)


class Highs:
    """The primal program in HiGHS, solved again and again with other costs."""

    def __init__(self, columns, y, classifies: bool):
        try:
            import highspy
        except ImportError:
            self.is_missing = True
            return
        self.is_missing = False
        n, p = columns.shape
        infinity = highspy.kHighsInf
        one, eye = np.ones((n, 1)), sparse.identity(n)
        if classifies:
            sign = y[:, None]
            own = np.hstack([sign * columns, -sign * columns, sign])
            matrix = sparse.hstack([sparse.csr_matrix(own), eye])
            low, self.n_slacks = np.ones(n), 1
        else:
            both = np.hstack([columns, -columns, one])
            half = [sparse.csr_matrix(sign * both) for sign in (1.0, -1.0)]
            zero = sparse.csr_matrix((n, n))
            matrix = sparse.vstack(
                [sparse.hstack([half[0], eye, zero]), sparse.hstack([half[1], zero, eye])]
            )
            low, self.n_slacks = np.concatenate([y - EPSILON, -y - EPSILON]), 2
        self.n, self.first = n, 2 * p + 1
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = matrix.shape[1], matrix.shape[0]
        program.col_cost_ = np.concatenate([np.ones(2 * p), np.zeros(matrix.shape[1] - 2 * p)])
        lowest = np.zeros(matrix.shape[1])
        lowest[2 * p] = -infinity
        program.col_lower_ = lowest
        program.col_upper_ = np.full(matrix.shape[1], infinity)
        program.row_lower_, program.row_upper_ = low, np.full(len(low), infinity)
        matrix = matrix.tocsc()
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = matrix.indptr
        program.a_matrix_.index_ = matrix.indices
        program.a_matrix_.value_ = matrix.data
        self._solver = highspy.Highs()
        for name, value in (
            ("output_flag", False),
            ("solver", "simplex"),
            ("simplex_strategy", 4),
            ("presolve", "off"),
            ("threads", 1),
        ):
            self._solver.setOptionValue(name, value)
        self._solver.passModel(program)

    def solve(self, cost) -> tuple[float, float]:
        """Return the time that a solution with these weights takes, and its objective."""
        count = self.n * self.n_slacks
        index = np.arange(self.first, self.first + count, dtype=np.int32)
        begin = process_time()
        self._solver.changeColsCost(count, index, np.tile(cost, self.n_slacks))
        self._solver.run()
        seconds = process_time() - begin
        return seconds, float(self._solver.getInfo().objective_function_value)
