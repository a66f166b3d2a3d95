"""A refusal is rightful if the data have the cause that it names."""

from __future__ import annotations

import numpy as np
import pytest

import weightpath as wp
from campaign.cases import BUILDERS, Problem, Rows
from campaign.kernels import KernelChoice, inner
from campaign.refusals import explain


def small(X, kernel=inner, w1=None, C=1.0):
    """Return a classification problem on the given rows."""
    n = len(X)
    y = np.where(np.arange(n) % 2, 1, -1)
    rows = Rows(X, KernelChoice("own", {"kernel": kernel}, kernel), X[:1])
    here = {"y": y, "C": C, "sample_weight": np.ones(n), "margin": np.ones(n)}
    move = {"sample_weight": 2 * np.ones(n) if w1 is None else w1}
    parts = BUILDERS["SVC"](rows, {**here, "class_weight": None}, move)
    return Problem(seed=0, estimator="SVC", **parts)


def plain():
    return np.random.default_rng(0).normal(size=(6, 2))


def tilted(A, B):
    return A @ B.T + A[:, :1]


def lowered(A, B):
    return A @ B.T - np.outer(A[:, 0], B[:, 0]) * 1.5


CASES = {
    "asymmetric": (small(plain(), tilted), ValueError("The matrix must be symmetric.")),
    "indefinite": (small(plain(), lowered), wp.KernelNotPSDError("not positive semidefinite")),
    "infeasible": (
        small(plain(), w1=np.array([1.0, 0, 1, 0, 1, 0])),
        ValueError("All weights of class 1 are zero"),
    ),
    "overflow": (small(plain() * 1e170), ValueError("The linear kernel overflows.")),
    "beyond double precision": (
        small(1.0 + 1e-9 * plain(), C=1e25),
        wp.PathError("The solution is beyond double precision."),
    ),
}


@pytest.mark.parametrize("cause", CASES)
def test_a_cause_that_is_there_is_confirmed(cause):
    case, error = CASES[cause]
    with np.errstate(over="ignore"):
        assert explain(case, error, case.start, case.end) == (cause, True)


@pytest.mark.parametrize("cause", CASES)
def test_a_cause_that_is_not_there_is_not(cause):
    case = small(plain())
    assert explain(case, CASES[cause][1], case.start, case.end) == (None, False)


def test_a_refusal_for_another_cause_is_told():
    case, _ = CASES["asymmetric"]
    error = wp.PathError("Rounding.")
    assert explain(case, error, case.start, case.end) == ("asymmetric", False)


def test_an_error_that_names_no_cause_is_explained():
    case, _ = CASES["infeasible"]
    assert explain(case, wp.PathError("No."), case.start, case.end) == ("infeasible", True)
