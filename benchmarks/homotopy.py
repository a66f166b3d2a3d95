"""qpOASES, the established homotopy solver of quadratic programs, on the smallest example.

CasADi calls it with dense matrices. Two ways are measured:

- *cold*: a new solver at each breakpoint of a sample, scaled up to all breakpoints;
- *warm*: one solver, started at the first weights and then moved to the last in a single call. This
  is qpOASES' own homotopy along the same line, of which it reports only the end. (The call
  factorises the matrix again before it sets out.)
"""

from __future__ import annotations

from statistics import median
from time import process_time

import numpy as np

from benchmarks.speed import sample

REPETITIONS = 3


def table(run, n_refits: int) -> list[dict]:
    try:
        import casadi
    except ImportError:
        return [{"way": "skipped: casadi is not installed (pip install casadi)"}]
    places = sample(run.path.theta, n_refits)
    cold = [_Solver(casadi, run).at(theta) for theta in places]
    seconds = []
    for _ in range(REPETITIONS):
        solver = _Solver(casadi, run)
        solver.at(0.0)
        warm = solver.at(1.0)
        seconds.append(warm["seconds"])
    path_ms = 1e3 * median(run.seconds["path"])
    cold_ms = 1e3 * np.mean([answer["seconds"] for answer in cold]) * run.n_breakpoints
    sampled = f"{len(places)} of {run.n_breakpoints} measured"
    on_path = [_of_path(run, theta) for theta in places]
    rows = [
        ("weightpath, whole path", path_ms, on_path),
        ("qpOASES, warm, start to end in one call", 1e3 * median(seconds), [warm]),
        (f"qpOASES, cold at every breakpoint ({sampled})", float(cold_ms), cold),
    ]
    return [_row(run, way, ms, path_ms, answers) for way, ms, answers in rows]


class _Solver:
    """The dual problem of the support vector machine in qpOASES."""

    def __init__(self, casadi, run):
        n = run.size.n
        self.run = run
        self.matrix = casadi.DM(run.scorer.matrix)
        shapes = {"h": self.matrix.sparsity(), "a": casadi.Sparsity.dense(1, n)}
        options = {"printLevel": "none", "sparse": False, "error_on_fail": False}
        self.function = casadi.conic("qp", "qpoases", shapes, options)

    def at(self, theta: float) -> dict:
        y, C = self.run.data.y, self.run.weights(theta)
        begin = process_time()
        answer = self.function(
            h=self.matrix,
            g=-y.astype(float),
            a=np.ones((1, len(y))),
            lbx=np.where(y > 0, 0.0, -C),
            ubx=np.where(y > 0, C, 0.0),
            lba=0.0,
            uba=0.0,
        )
        seconds = process_time() - begin
        stats = self.function.stats()
        return {
            "theta": theta,
            "seconds": seconds,
            "beta": np.asarray(answer["x"]).ravel(),
            "bias": float(answer["lam_a"]),
            "changes": stats.get("iter_count", -1),
            "success": bool(stats.get("success", False)),
        }


def _of_path(run, theta: float) -> dict:
    solution = run.path.at(float(theta))
    return {
        "theta": theta,
        "beta": solution.dual_coef,
        "bias": solution.intercept,
        "changes": run.path.n_events,
        "success": True,
    }


def _row(run, way: str, ms: float, path_ms: float, answers: list[dict]) -> dict:
    violations = [
        run.scorer.violation(run.weights(answer["theta"]), answer["beta"], answer["bias"])
        for answer in answers
    ]
    return {
        "n": run.size.n,
        "way": way,
        "ms": ms,
        "times the path": ms / path_ms,
        "set changes, last call": answers[-1]["changes"],
        "solved": f"{sum(answer['success'] for answer in answers)} of {len(answers)}",
        "largest KKT violation": max(violations),
    }
