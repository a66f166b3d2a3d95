"""Gradients with respect to the weights of all rows, against fits and against cvxpylayers.

Decision values of 100 new rows, with a random cotangent, after a fit of 1,600 rows with random
weights: the paper's toy data, 20 features with a large margin, and the same as a regression. With
300 rows of the toy data also the layer of cvxpylayers, a fit and a derivative at once. All run in
one thread and in turns, and the time of the processor is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from sklearn import svm

import weightpath as wp
from benchmarks.turns import medians_ms, timed

# (rows, repetitions)
FULL = (1600, 15)
QUICK = (80, 2)
LAYER_FULL = (300, 3)
LAYER_QUICK = (40, 1)

N_NEW = 100
# Half the width of central differences; where two of them differ by more than this fraction, there
# is a breakpoint nearby.
WIDTH = 1e-4
SMOOTH = 2e-8


def table(plan) -> list[dict]:
    n, repetitions = plan
    return [measure(name, n, repetitions) for name in ("toy", "20 features", "regression")]


def measure(name: str, n: int, repetitions: int) -> dict:
    print(f"gradients, {name}", file=sys.stderr, flush=True)
    X, y, new, ours, theirs = problem(name, n)
    random = np.random.default_rng(1)
    weight, cotangent = random.uniform(0.5, 1.5, n), random.normal(size=N_NEW)
    model = ours().fit(X, y, weight)
    times = medians_ms(
        {
            "fit": lambda: seconds(lambda: ours().fit(X, y, weight)),
            "sklearn": lambda: seconds(lambda: theirs().fit(X, y, weight)),
            "gradient": lambda: seconds(lambda: model.gradient(new, cotangent)),
            "values": lambda: seconds(lambda: evaluated(model, new)),
        },
        repetitions,
        {"gradient": 5, "values": 5},
    )
    return {
        "data": name,
        "n": n,
        "margin": len(model.subproblems_[0].state.margin),
        "gradient ms": times["gradient"],
        "decision values ms": times["values"],
        "fit ms": times["fit"],
        "scikit-learn fit ms": times["sklearn"],
        "% of a fit": 100.0 * times["gradient"] / times["fit"],
        "% of scikit-learn's fit": 100.0 * times["gradient"] / times["sklearn"],
        "largest difference from fits": error(model, ours, X, y, weight, new, cotangent),
    }


def problem(name: str, n: int) -> tuple[Any, ...]:
    """Return rows, labels or targets, new rows, and what makes estimators of both libraries."""
    random = np.random.default_rng(0)
    if name == "toy":
        toy = wp.datasets.make_toy(n, random_state=0)
        new = wp.datasets.make_toy(N_NEW, random_state=1, like=toy).X
        options = {"C": 1.0, "gamma": 0.5}
        return toy.X, toy.y, new, lambda: wp.SVC(**options), lambda: svm.SVC(**options)
    X, new = random.normal(size=(n, 20)), random.normal(size=(N_NEW, 20))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n)
    options = {"C": 1.0, "gamma": 0.05}
    if name == "regression":
        return X, score, new, lambda: wp.SVR(**options), lambda: svm.SVR(**options)
    y = np.where(score > 0, 1, -1)
    return X, y, new, lambda: wp.SVC(**options), lambda: svm.SVC(**options)


def evaluated(model: Any, X: Any) -> Any:
    return (getattr(model, "decision_function", None) or model.predict)(X)


def error(model, ours, X, y, weight, new, cotangent, n_judged: int = 8) -> float:
    """Return the largest difference from central differences of fits, relative to the gradient."""
    found = model.gradient(new, cotangent)["sample_weight"]
    worst, scale = 0.0, float(np.abs(found).max())
    for i in np.random.default_rng(2).choice(np.flatnonzero(found), n_judged, replace=False):
        slopes = []
        for width in (WIDTH, 0.5 * WIDTH):
            ends = []
            for sign in (1.0, -1.0):
                moved = weight.copy()
                moved[i] += sign * width
                ends.append(cotangent @ evaluated(ours().fit(X, y, moved), new))
            slopes.append((ends[0] - ends[1]) / (2.0 * width))
        if abs(slopes[0] - slopes[1]) <= SMOOTH * scale:
            # No breakpoint nearby.
            worst = max(worst, abs(slopes[1] - found[i]) / scale)
    return worst


def layer(plan) -> list[dict]:
    """A fit and a gradient against the layer of cvxpylayers, where that is installed."""
    n, repetitions = plan
    print("gradients, cvxpylayers", file=sys.stderr, flush=True)
    X, y, new, ours, _ = problem("toy", n)
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
    theirs = rival(X, y, new, weight, cotangent, repetitions)
    row = {
        "rival": f"cvxpylayers, n = {n}" if theirs else "cvxpylayers is not installed",
        "fit and gradient ms": times["both"],
        "gradient ms": times["gradient"],
    }
    if theirs is None:
        return [row]
    forward, backward, slopes = theirs
    row |= {
        "its solution ms": forward,
        "its derivative ms": backward,
        "times faster, both": (forward + backward) / times["both"],
        "times faster, derivative": backward / times["gradient"],
        "largest difference": float(np.abs(found - slopes).max() / np.abs(found).max()),
    }
    return [row]


def rival(X, y, new, weight, cotangent, repetitions: int) -> tuple[float, float, Any] | None:
    """Return milliseconds of the layer forwards and backwards, and the gradient that it finds."""
    try:
        import cvxpy as cp
        import torch
        from cvxpylayers.torch import CvxpyLayer
    except ImportError:
        return None
    kernel, n = wp.kernels.Kernel("rbf", gamma=0.5), len(y)
    matrix, across = kernel.between(X, X), torch.tensor(kernel.between(new, X))
    # The layer wants a square root of the kernel matrix.
    root = np.linalg.cholesky(matrix + 1e-9 * np.eye(n))
    beta, bias, own = cp.Variable(n), cp.Variable(), cp.Parameter(n, nonneg=True)
    loss = own @ cp.pos(1 - cp.multiply(y, matrix @ beta + bias))
    task = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(root.T @ beta) + loss))
    solve = CvxpyLayer(task, parameters=[own], variables=[beta, bias])
    forward, backward, slopes = [], [], None
    for _ in range(repetitions):
        given = torch.tensor(weight, requires_grad=True)
        took, (coef, offset) = timed(lambda given=given: solve(given))
        forward.append(took)
        total = torch.tensor(cotangent) @ (across @ coef + offset)
        backward.append(timed(total.backward)[0])
        slopes = given.grad.numpy()
    return 1e3 * median(forward), 1e3 * median(backward), slopes


def seconds(call: Callable[[], Any]) -> float:
    return timed(call)[0]
