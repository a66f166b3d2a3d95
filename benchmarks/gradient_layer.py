"""A fit and its gradient beside the layer of cvxpylayers, which solves and differentiates.

Decision values of 100 new rows, with a random cotangent, by the weights of all rows. The layer is
given the primal problem in three ways: with the kernel matrix and the settings that it has, which
are not exact enough for its derivatives; with the kernel matrix and an interior-point solver; and
in features, a root of the kernel matrix without the directions that rounding cannot tell from none.
The latter takes a user who knows that the matrix is of low rank, as that of two features is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import weightpath as wp
from benchmarks.gradients import N_NEW, problem, seconds
from benchmarks.turns import medians_ms, timed

# (rows, repetitions)
FULL = (300, 3)
QUICK = (40, 1)

DATA = ("toy", "20 features")

# Directions of a kernel matrix whose eigenvalue is a smaller fraction of the largest are left out.
RANK = 1e-10

# What the layer is told, by the name of the form.
FORMS: dict[str, dict[str, Any]] = {
    "kernel matrix": {},
    "kernel matrix, Clarabel": {"solve_method": "Clarabel"},
    "features": {},
}


def table(plan) -> list[dict]:
    n, repetitions = plan
    return [row for name in DATA for row in measure(name, n, repetitions)]


def measure(name: str, n: int, repetitions: int) -> list[dict]:
    """Return a row for each form of the layer, where it is installed."""
    X, y, new, ours, _ = problem(name, n)
    random = np.random.default_rng(1)
    weight, cotangent = random.uniform(0.5, 1.5, n), random.normal(size=N_NEW)
    model = ours().fit(X, y, weight)
    times = medians_ms(
        {
            "both": lambda: seconds(lambda: ours().fit(X, y, weight).gradient(new, cotangent)),
            "gradient": lambda: seconds(lambda: model.gradient(new, cotangent)),
        },
        15,
    )
    found = model.gradient(new, cotangent)["sample_weight"]
    kernel = wp.kernels.Kernel("rbf", gamma=model.gamma)
    rows = []
    for form, settings in FORMS.items():
        print(f"gradients, cvxpylayers, {name}, {form}", file=sys.stderr, flush=True)
        own = {
            "data": name,
            "fit and gradient ms": times["both"],
            "gradient ms": times["gradient"],
        }
        made = layer_of(form, kernel.between(X, X), kernel.between(new, X), y)
        if made is None:
            return [{"rival": "cvxpylayers is not installed", **own}]
        forward, backward, slopes = run(made, settings, weight, cotangent, repetitions)
        rows.append(
            {"rival": f"cvxpylayers, {form}, n = {n}", **own}
            | {
                "its solution ms": forward,
                "its derivative ms": backward,
                "times faster, both": (forward + backward) / times["both"],
                "times faster, derivative": backward / times["gradient"],
                "largest difference": float(np.abs(found - slopes).max() / np.abs(found).max()),
            }
        )
    return rows


def layer_of(form: str, matrix: Any, across: Any, y: Any) -> Callable[..., Any] | None:
    """Return what gives decision values of new rows from weights and settings, by a layer."""
    try:
        import cvxpy as cp
        import torch
        from cvxpylayers.torch import CvxpyLayer
    except ImportError:
        return None
    n = len(y)
    if form == "features":
        size, direction = np.linalg.eigh(matrix)
        used = size > RANK * size[-1]
        rows = direction[:, used] * np.sqrt(size[used])
        new = across @ direction[:, used] / np.sqrt(size[used])
    else:
        rows, new = matrix, across
    coef, bias, own = cp.Variable(rows.shape[1]), cp.Variable(), cp.Parameter(n, nonneg=True)
    # The layer wants a square root of the kernel matrix.
    root = None if form == "features" else np.linalg.cholesky(matrix + 1e-9 * np.eye(n))
    norm = cp.sum_squares(coef if root is None else root.T @ coef)
    loss = own @ cp.pos(1 - cp.multiply(y, rows @ coef + bias))
    task = cp.Problem(cp.Minimize(0.5 * norm + loss))
    solve, points = CvxpyLayer(task, parameters=[own], variables=[coef, bias]), torch.tensor(new)

    def values(weight: Any, settings: dict[str, Any]) -> Any:
        found, offset = solve(weight, solver_args=settings)
        return points @ found + offset

    return values


def run(
    values: Callable[..., Any], settings: dict, weight: Any, cotangent: Any, repetitions: int
) -> tuple[float, float, Any]:
    """Return milliseconds of a layer forwards and backwards, and the gradient that it finds."""
    import torch

    forward, backward, slopes = [], [], None
    for _ in range(repetitions):
        given = torch.tensor(weight, requires_grad=True)
        took, found = timed(lambda given=given: values(given, settings))
        forward.append(took)
        total = torch.tensor(cotangent) @ found
        backward.append(timed(total.backward)[0])
        slopes = given.grad.numpy()
    return 1e3 * median(forward), 1e3 * median(backward), slopes
