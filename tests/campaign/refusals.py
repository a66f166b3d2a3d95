"""Whether a refusal was rightful: the cause that it names, confirmed from the data."""

from __future__ import annotations

import numpy as np

import weightpath as wp
from campaign.active_set import solve
from campaign.judge import FLOOR_LIMIT, judge
from campaign.stairs import between

__all__ = ["CAUSES", "explain"]

CAUSES = ("overflow", "asymmetric", "indefinite", "infeasible", "beyond double precision")

# A matrix is clearly not symmetric beyond this part of its largest entry ...
ASYMMETRY = 1e-9

# ... and clearly indefinite if an eigenvalue is below this part of the largest, for each row: far
# more than the rounding of its entries can do.
NEGATIVE = 1e-12

# Where on a path reference solutions are made: a path may leave double precision anywhere, most of
# all close to an end where weights, tubes or penalties vanish.
THETAS = (0.0, 1.0, 0.5, 0.1, 0.9, 1e-3, 1 - 1e-3, 1e-6, 1 - 1e-6, 1e-9, 1 - 1e-9)


def named_cause(error) -> str | None:
    """Return the cause that an error names, if it names one."""
    text = str(error).lower()
    if isinstance(error, wp.KernelNotPSDError) or "positive semidefinite" in text:
        return "indefinite"
    if "symmetric" in text:
        return "asymmetric"
    if isinstance(error, wp.InfeasiblePathError) or ("zero" in text and "weights" in text):
        return "infeasible"
    if "overflow" in text or "not finite" in text or "infinity" in text:
        return "overflow"
    if "precision" in text or "rounding" in text:
        return "beyond double precision"
    return None


def explain(case, error, start, end) -> tuple[str | None, bool]:
    """Return the cause of a refusal and whether the error's words agree with it.

    An error that names no cause is right if any cause is there.
    """
    named = named_cause(error)
    if named is not None and confirmed(named, case, start, end):
        return named, True
    for cause in CAUSES:
        if cause != named and confirmed(cause, case, start, end):
            return cause, named is None
    return None, False


def confirmed(cause, case, start, end) -> bool:
    """Whether the data have this cause of refusal."""
    return {
        "overflow": overflows,
        "asymmetric": is_asymmetric,
        "indefinite": is_indefinite,
        "infeasible": is_infeasible,
        "beyond double precision": is_beyond_precision,
    }[cause](case, start, end)


def document_matrix(case) -> np.ndarray:
    """Return the matrix of the training rows (of documents, for pairs)."""
    if case.pairs is None:
        return case.matrix.K.astype(np.float64)
    return case.values[: case.values.shape[1]].astype(np.float64)


def overflows(case, start, end) -> bool:
    limit = np.sqrt(np.finfo(float).max)
    K = document_matrix(case)
    bounds = [s.bound[np.isfinite(s.bound)] for s in (start, end)]
    most = max((float(b.max(initial=0.0)) for b in bounds), default=0.0)
    return not np.isfinite(K).all() or bool(np.abs(K).max() > limit) or most > limit


def is_asymmetric(case, start, end) -> bool:
    K = document_matrix(case)
    return bool(np.abs(K - K.T).max() > ASYMMETRY * np.abs(K).max())


def is_indefinite(case, start, end) -> bool:
    K = document_matrix(case)
    if not np.isfinite(K).all():
        return False
    values = np.linalg.eigvalsh(0.5 * (K + K.T))
    return bool(values[0] < -NEGATIVE * len(K) * max(values[-1], 0.0))


def is_infeasible(case, start, end) -> bool:
    """Whether a problem has no solution, or no finite bias, at an end."""
    if case.estimator == "Lasso":
        return False
    for stairs in (start, end):
        live = stairs.bound > 0
        if not live.any():
            return True
        if case.estimator == "SVC":
            sign = case.fit["y"][live]
            if (sign == sign[0]).all():
                return True
        low, high = stairs.knots[:, 0].sum(), stairs.knots[:, -1].sum()
        room = 1e-12 * float(np.abs(stairs.knots).sum())
        if stairs.has_bias and not low - room <= stairs.total <= high + room:
            return True
    return False


def is_beyond_precision(case, start, end) -> bool:
    """Whether at a reference solution the rounding of the residuals exceeds the limit."""
    for theta in THETAS if end is not start else (0.0,):
        stairs = between(start, end, theta)
        found = solve(case.matrix, stairs)
        if found is not None and judge(case.matrix, stairs, *found).floor > FLOOR_LIMIT:
            return True
    return False
