"""Two more solvers for problems whose staircases are a box with one level.

qpOASES (through CasADi) is an active set method in double precision; LIBSVM (through scikit-learn)
is a decomposition method whose kernel cache has single precision, so its function values are good
to about 1e-5 of their size whatever its tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["BoxSolution", "has_qpoases", "solve_libsvm", "solve_qpoases"]


@dataclass(frozen=True)
class BoxSolution:
    """A solution: coefficients, bias, ``K @ beta`` and whether the solver reports success."""

    beta: np.ndarray
    bias: float
    values: np.ndarray
    solved: bool


def has_qpoases() -> bool:
    """Return whether CasADi is installed and brings qpOASES."""
    try:
        import casadi
    except ImportError:
        return False
    return bool(casadi.has_conic("qpoases"))


def solve_qpoases(K, staircase) -> BoxSolution:
    """Solve a staircase problem with two knots, infinite outer levels and one inner level.

    The coefficients are in units of the largest knot.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix.
    staircase : Staircase
        The problem; classification, ranking, quantile or one-class.
    """
    import casadi

    if staircase.n_knots != 2 or np.isfinite(staircase.levels[:, [0, 2]]).any():
        raise ValueError("qpOASES judges boxes only: two knots and infinite outer levels.")
    K = np.asarray(K, dtype=np.float64)
    n = len(staircase)
    unit = max(float(np.abs(staircase.knots).max()), np.finfo(float).tiny)
    ones = casadi.DM.ones(int(staircase.has_bias), n)
    options = {"printLevel": "none", "error_on_fail": False, "nWSR": 100 * (n + 10)}
    shapes = {"h": casadi.Sparsity.dense(n, n), "a": ones.sparsity()}
    solver = casadi.conic("judge", "qpoases", shapes, options)
    found = solver(
        h=unit * K,
        g=staircase.levels[:, 1] - staircase.target,
        a=ones,
        lbx=staircase.knots[:, 0] / unit,
        ubx=staircase.knots[:, 1] / unit,
        lba=staircase.total / unit,
        uba=staircase.total / unit,
    )
    beta = unit * np.array(found["x"]).ravel()
    bias = float(found["lam_a"][0]) if staircase.has_bias else 0.0
    return BoxSolution(beta, bias, K @ beta, bool(solver.stats()["success"]))


def solve_libsvm(K, y, weight, tol=1e-9) -> BoxSolution:
    """Solve a support vector classification problem with box bounds ``weight``.

    Instances of weight zero are left out of the fit and keep the coefficient 0.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The kernel matrix.
    y : ndarray of shape (n,)
        Labels, +1 or -1, both among the positive weights.
    weight : ndarray of shape (n,)
        The ``C_i``.
    tol : float, default=1e-9
        LIBSVM's stopping tolerance.
    """
    from sklearn.svm import SVC

    K = np.asarray(K, dtype=np.float64)
    used = np.flatnonzero(np.asarray(weight) > 0)
    machine = SVC(C=1.0, kernel="precomputed", tol=tol, shrinking=False)
    machine.fit(K[np.ix_(used, used)], np.asarray(y)[used], sample_weight=np.asarray(weight)[used])
    beta = np.zeros(len(K))
    beta[used[machine.support_]] = machine.dual_coef_[0]
    solved = machine.fit_status_ == 0
    return BoxSolution(beta, float(machine.intercept_[0]), K @ beta, bool(solved))
