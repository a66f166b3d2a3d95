"""Planes of two class costs, tiled by regions; and the ranges of all single weights.

The paper's toy data, both costs from 1 to 10. The plane is compared with as many fits as it has
regions, the ranges with two paths for each instance.
"""

from __future__ import annotations

import sys

import numpy as np

import weightpath as wp
from benchmarks.turns import timed
from weightpath.path.certificate import kkt_violation

# (n, turns)
FULL = ((400, 5), (800, 3), (1600, 1))
QUICK = ((40, 1),)

AXES = ({"class_weight": {-1: 10}}, {"class_weight": {1: 10}})

# Points of the plane whose solutions are judged, and instances whose ranges are compared.
POINTS = 20
INSTANCES = 40


def table(plan) -> list[dict]:
    return [measure(*size) for size in plan]


def measure(n: int, turns: int) -> dict:
    print(f"regions, n = {n}", file=sys.stderr, flush=True)
    toy = wp.datasets.make_toy(n, random_state=0)
    model = wp.SVC(C=1.0, gamma=0.5).fit(toy.X, toy.y)
    tiled = [timed(lambda: wp.region_map(model, AXES)) for _ in range(turns)]
    seconds, plane = float(np.median([own for own, _ in tiled])), tiled[0][1]
    ranges = float(np.median([timed(lambda: wp.weight_ranges(model))[0] for _ in range(turns)]))
    fits = [timed(lambda at=z: fit_at(toy, at))[0] for z in places(0)]
    return {
        "n": n,
        "regions": len(plane),
        "plane s": seconds,
        "regions a second": len(plane) / seconds,
        "a fit for each region / plane": float(np.median(fits)) * len(plane) / seconds,
        "uncovered": abs(float(plane.areas.sum()) - 1.0),
        "largest violation": max(violation(plane, z) for z in places(1)),
        "ranges of weights ms": 1e3 * ranges,
        "paths of weights / ranges": paths_of_weights(model) * n / ranges,
    }


def places(seed: int):
    return np.random.default_rng(seed).uniform(size=(POINTS, 2))


def fit_at(toy, z) -> wp.SVC:
    factors = {-1: 1.0 + 9.0 * z[0], 1: 1.0 + 9.0 * z[1]}
    return wp.SVC(C=1.0, gamma=0.5, class_weight=factors).fit(toy.X, toy.y)


def violation(plane: wp.RegionMap, z) -> float:
    """Return the violation of the map's solution at a point, computed from the kernel."""
    solution, training = plane.at(z), plane.problem.fitted.training
    response = training.kernel.product(training.X, training.X, solution.dual_coef)
    return kkt_violation(
        plane.problem.staircase(z),
        solution.dual_coef,
        solution.intercept,
        response,
        plane.problem.kappa,
    )


def paths_of_weights(model: wp.SVC) -> float:
    """Return the mean seconds of the two paths on which one weight falls to zero and doubles."""
    n = len(model.training_set_)
    seconds = []
    for i in np.random.default_rng(0).permutation(n)[:INSTANCES]:
        for goal in (0.0, 2.0):
            weight = np.ones(n)
            weight[i] = goal
            seconds.append(timed(lambda w=weight: model.path_to(sample_weight=w))[0])
    return 2.0 * float(np.mean(seconds))
