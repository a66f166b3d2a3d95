"""How good the answers are whose times are compared: one judge for the path and for SVC."""

from __future__ import annotations

import numpy as np

N_MIDDLES = 20


def table(runs) -> list[dict]:
    return [row for run in runs for row in rows(run)]


def rows(run) -> list[dict]:
    places = np.array([theta for theta, *_ in run.refits])
    middles = 0.5 * (run.path.theta[:-1] + run.path.theta[1:])
    judged = np.append(places, middles[:: len(middles) // N_MIDDLES + 1])
    on_path = [_claim(run, theta) for theta in judged]
    refits = [(run.weights(theta), beta, bias) for theta, _, beta, bias in run.refits]
    end = run.weights(1.0)
    return [
        _row(run, "path", on_path, run.scorer.objective(*_claim(run, 1.0))),
        _row(run, "SVC (tol = 1e-3)", refits, run.scorer.objective(end, *run.end_fit)),
    ]


def _claim(run, theta):
    solution = run.path.at(float(theta))
    return run.weights(theta), solution.dual_coef, solution.intercept


def _row(run, solver, claims, objective) -> dict:
    return {
        "n": run.size.n,
        "solver": solver,
        "places judged": len(claims),
        "largest KKT violation": max(run.scorer.violation(*claim) for claim in claims),
        "objective at the end": objective,
    }
