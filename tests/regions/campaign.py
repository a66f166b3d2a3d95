"""Generated planes over many orders of magnitude: ``python tests/regions/campaign.py --count 300``.

A seed is a plane: an estimator, data (integer grids, duplicates, one-hot, unscaled features), a
kernel and two axes. Its map must be complete, and its solutions at random points as good as
rounding allows and equal to solutions from nothing.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from typing import Any

import numpy as np

import weightpath as wp
from weightpath.path.certificate import kkt_violation
from weightpath.problems import Staircase

POINTS = 12


def make_rows(rng: np.random.Generator, n: int, p: int) -> tuple[str, Any]:
    kind = str(rng.choice(["grid", "normal", "duplicates", "one-hot", "unscaled"]))
    X = rng.normal(size=(n, p))
    if kind == "grid":
        X = rng.integers(0, rng.integers(2, 5), (n, p)).astype(float)
    elif kind == "duplicates":
        X[n // 2 : 2 * (n // 2)] = X[: n // 2]
    elif kind == "one-hot":
        X = np.eye(p + 1)[rng.integers(0, p + 1, n)]
    elif kind == "unscaled":
        X = X * 10.0 ** rng.integers(-3, 3, p)
    return kind, X


def make_classifier(rng, X, kernel, C, weights) -> tuple[Any, list[dict]]:
    n = len(X)
    y = np.where(X[:, 0] + rng.integers(0, 2, n) > np.median(X[:, 0]), 1, -1)
    y[:2] = 1, -1
    start, end = (np.append([1.0, 1.0], own[2:]) for own in weights)
    axes = [
        {"class_weight": {-1: float(rng.choice([0.1, 5.0, 10.0]))}},
        {"class_weight": {1: 4.0}},
        {"C": 3.0 * C},
        {"sample_weight": end},
        {"margin": np.where(rng.random(n) < 0.5, 2.0, 0.5)},
        {"margin": 0.0},
    ]
    return wp.SVC(C=C, **kernel).fit(X, y, sample_weight=start), axes


def make_regression(rng, X, kernel, C, weights) -> tuple[Any, list[dict]]:
    n = len(X)
    y = rng.normal(size=n) * 10.0 ** rng.integers(-3, 3)
    if rng.random() < 0.5:
        y = rng.integers(0, 4, n).astype(float)
    start, end = weights
    size = max(float(np.abs(y).max()), 1e-3)
    axes: list[dict] = [
        {"C": 3.0 * C},
        {"y": np.roll(y, 1)},
        {"sample_weight": end},
        {"y": 0.0 * y},
    ]
    if rng.random() < 0.5:
        model = wp.QuantileSVR(C=C, quantile=0.25, **kernel).fit(X, y, sample_weight=start)
        return model, [*axes, {"quantile": 0.4}]
    epsilon = size * float(rng.choice([0.0, 0.1, 0.5]))
    wide = size * float(rng.choice([0.0, 1.2]))
    model = wp.SVR(C=C, epsilon=epsilon, **kernel).fit(X, y, sample_weight=start)
    return model, [*axes, {"epsilon": wide}]


def make_one_class(rng, X, kernel, C, weights) -> tuple[Any, list[dict]]:
    nu = float(rng.uniform(0.2, 0.8))
    model = wp.OneClassSVM(nu=nu, **kernel).fit(X, sample_weight=weights[0])
    return model, [{"nu": 0.5}, {"sample_weight": weights[1]}]


MAKERS = {"svc": make_classifier, "regression": make_regression, "one class": make_one_class}


def make_plane(seed: int) -> tuple[str, Any, list[dict]]:
    """Return what a plane is called, its model and its axes."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(6, 45)), int(rng.integers(1, 4))
    maker = str(rng.choice(list(MAKERS), p=[0.45, 0.4, 0.15]))
    data, X = make_rows(rng, n, p)
    name = str(rng.choice(["linear", "rbf", "poly"]))
    kernel: dict[str, Any] = {"kernel": name}
    if name != "linear":
        kernel["gamma"] = "scale" if data == "unscaled" else float(10.0 ** rng.uniform(-1.5, 1.0))
    if name == "poly":
        kernel.update(coef0=1.0, degree=2)
    C = float(10.0 ** rng.uniform(-2.0, 2.0))
    start, end = np.ones(n), rng.choice([0.2, 1.0, 3.0], n)
    if rng.random() < 0.3:
        start[rng.integers(0, n, 2)] = 0.0
        end = end * (start > 0) if rng.random() < 0.5 else end
    model, axes = MAKERS[maker](rng, X, kernel, C, (start, end))
    first, second = rng.choice(len(axes), 2, replace=False)
    chosen = [axes[first], axes[second]]
    moved = ", ".join("+".join(axis) for axis in chosen)
    return f"{type(model).__name__}, {data}, {name}, n={n}, C={C:.3g}: {moved}", model, chosen


def judge(seed: int) -> tuple[str, str]:
    """Return the name of a plane and what is wrong with its map, "" for nothing."""
    name, model, axes = make_plane(seed)
    try:
        plane = wp.region_map(model, axes, max_regions=100_000)
    except ValueError as error:
        # Axes add, and so can negative weights or quantiles beyond one come about.
        return name, "refused" if "corner of the bounds" in str(error) else str(error)
    if plane.status != "complete":
        return name, plane.status
    sides = plane.bounds[:, 1] - plane.bounds[:, 0]
    if abs(plane.areas.sum() / sides.prod() - 1.0) > 1e-9:
        return name, f"areas miss by {abs(plane.areas.sum() / sides.prod() - 1.0):.1e}"
    for z in np.random.default_rng(seed).uniform(size=(POINTS, 2)):
        wrong = judge_point(plane, z)
        if wrong:
            return name, f"z={z.tolist()}: {wrong}"
    return name, "ties" if plane.tie_shift.any() else ""


def judge_point(plane: wp.RegionMap, z) -> str:
    """Return what is wrong with the solution at a point."""
    problem = plane.problem
    K, kappa, stair = problem.matrix, problem.kappa, problem.staircase(z)
    solution = plane.at(z)
    response = K @ solution.dual_coef
    found = kkt_violation(stair, solution.dual_coef, solution.intercept, response, kappa)
    sizes = np.abs(K) @ np.abs(solution.dual_coef)
    floor = rounding_floor(stair, sizes, response)
    if not found <= max(1e-9, floor):
        return f"violation {found:.1e}, floor {floor:.1e}"
    again = problem.solve(stair, np.zeros(len(problem)), 0.0)
    values = K @ again.beta + again.bias
    scale = max(stair.residual_scale, float(np.abs(response).max()), 1e-8 * float(sizes.max()))
    off = float(np.abs(values - response - solution.intercept).max()) / (scale or 1.0)
    return "" if off <= max(1e-8, 10.0 * floor) else f"differs by {off:.1e}, floor {floor:.1e}"


def rounding_floor(stair: Staircase, sizes, response) -> float:
    """Return what rounding of kernel sums does to residuals, in units of the certificate."""
    largest = float(np.max(sizes))
    scale = stair.residual_scale or max(float(np.abs(response).max()), 1e-8 * largest)
    return 64.0 * np.finfo(float).eps * largest / (scale or 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore", wp.PrecisionWarning)
    verdicts: Counter[str] = Counter()
    for seed in range(options.first_seed, options.first_seed + options.count):
        try:
            name, wrong = judge(seed)
        except Exception as error:  # whatever it is, the seed is reported
            name, wrong = "?", f"{type(error).__name__}: {error}"
        kind = wrong if wrong in ("", "ties", "refused") else "wrong"
        verdicts[kind or "plain"] += 1
        if kind == "wrong":
            print(f"seed {seed}: {name}: {wrong}", flush=True)
    print(dict(verdicts))
    return int(verdicts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
