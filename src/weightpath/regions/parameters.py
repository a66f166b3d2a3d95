"""A problem as a function of several parameters: the axes along which a model can be moved.

With z = 0 where the model is and z_k = 1 at the destination of axis k, targets, knots, levels and
the total of the staircase problem are sums of what each axis adds:

    knots(z) = knots + sum_k z_k (knots of destination k - knots).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine import Options, solve
from weightpath.estimators.base import UNMOVED, PathEstimator
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.pipelines import last_and_preparation
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.kernels import Columns
from weightpath.path import Preparation
from weightpath.problems import Staircase
from weightpath.problems.scales import kappa_of
from weightpath.record.state import State

__all__ = ["Axis", "ParametricProblem", "checked_model"]

Reals = NDArray[np.float64]
Axis = Mapping[str, Any] | ArrayLike

# Memory for kernel columns after unpickling, in units of 1e6 bytes.
_CACHE_MB = 100.0

# Negative widths of intervals and levels up to this fraction of the largest are rounding.
_ROUNDING = 1e-12


def checked_model(model: Any, function: str) -> tuple[PathEstimator, Preparation | None]:
    """Return the estimator of a fitted model or pipeline, which must have one kernel problem.

    Parameters
    ----------
    model : estimator or Pipeline
    function : str
        What asks, for the message of an error.
    """
    last, preparation = last_and_preparation(model)
    if not isinstance(last, PathEstimator):
        raise TypeError(
            f"{function} needs a fitted SVC, SVR, QuantileSVR or OneClassSVM of weightpath, or a "
            f"scikit-learn Pipeline that ends in one; got a {type(last).__name__}.{_hint(last)}"
        )
    problem = last.problem_
    if not isinstance(problem, KernelProblem):
        raise TypeError(
            f"{function} works for SVC, SVR, QuantileSVR and OneClassSVM; got a "
            f"{type(last).__name__}."
        )
    if len(last.subproblems_) > 1:
        raise ValueError(
            f"{function} works for two classes; this model has {len(problem.pairs)} problems, one "
            "for each pair of classes. Fit two classes at a time."
        )
    return last, preparation


def _hint(model: Any) -> str:
    """Return what to give instead of a model that does not move."""
    for method in ("to_svc", "to_svr"):
        if hasattr(model, method):
            return f" Give its {method}()."
    return " Give its best_estimator_." if hasattr(model, "best_estimator_") else ""


@dataclass(frozen=True, eq=False)
class ParametricProblem:
    """The one subproblem of a model, along several axes.

    Attributes
    ----------
    fitted : Fitted
        Where the model is, with the columns of the kernel matrix.
    subproblem : Subproblem
        Its subproblem, in the form in which it can go along all axes.
    target : ndarray of shape (n, 1 + n_axes)
        Targets at z = 0, and what each axis adds to them.
    knots, levels : ndarray of shape (n, m, 1 + n_axes) and (n, m + 1, 1 + n_axes)
    total : ndarray of shape (1 + n_axes,)
    """

    fitted: Fitted
    subproblem: Subproblem
    target: Reals
    knots: Reals
    levels: Reals
    total: Reals

    @classmethod
    def of(cls, model: PathEstimator, axes: Sequence[Axis]) -> ParametricProblem:
        """Return the problem of a fitted model along axes; see :func:`checked_model`."""
        fitted = Fitted(
            model.training_set_, model.problem_, dict(model.quantities_), model.subproblems_
        )
        columns = fitted.subproblems[0].columns
        if columns is None or columns.is_suspect:
            fitted = fitted.with_columns(model.cache_size)
        if isinstance(axes, (Mapping, str)) or not hasattr(axes, "__len__") or len(axes) == 0:
            raise TypeError(
                "axes must be a list with one entry for each axis: a dict of what move takes, such "
                'as {"C": 10.0}, or an array of weight changes.'
            )
        ends = [_end_of(fitted, axis, k) for k, axis in enumerate(axes)]
        return cls.between(fitted, ends)

    @classmethod
    def between(cls, fitted: Fitted, ends: Sequence[Quantities]) -> ParametricProblem:
        """Return the problem whose axes lead to these quantities."""
        problem: Any = fitted.problem
        # A tube is closed in the whole plane where it is closed at the end of every axis.
        widest = {name: np.maximum.reduce([end[name] for end in ends]) for name in ends[0]}
        subproblem = problem.prepared(fitted.subproblems[0], fitted.quantities, widest)
        here = subproblem.stair
        stairs = [
            problem.staircase(fitted.training, subproblem.rows, subproblem.reading, end)
            for end in ends
        ]
        parts = {}
        for name in ("target", "knots", "levels", "total"):
            start = np.asarray(getattr(here, name))
            finite = np.isfinite(start)
            changes = [
                np.where(finite, np.asarray(getattr(stair, name)), 0.0)
                - np.where(finite, start, 0.0)
                for stair in stairs
            ]
            parts[name] = np.stack([start, *changes], axis=-1)
        return cls(fitted, subproblem, **parts)

    def __len__(self) -> int:
        return int(self.target.shape[0])

    @property
    def n_axes(self) -> int:
        """The number of parameters."""
        return int(self.total.size - 1)

    def __getstate__(self) -> dict[str, Any]:
        # Without what was worked out, such as the kernel matrix.
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def columns(self) -> Columns:
        """The kernel matrix, without the ridge."""
        columns: Columns | None = self.subproblem.columns
        if columns is None:
            training, rows = self.fitted.training, self.subproblem.rows
            columns = self.fitted.problem.columns(training, rows, _CACHE_MB)
        return columns

    @property
    def ridge(self) -> float:
        """What is added to its diagonal."""
        return float(self.fitted.training.ridge)

    @property
    def has_bias(self) -> bool:
        """Whether there is a bias."""
        return self.subproblem.stair.has_bias

    @cached_property
    def kappa(self) -> Reals:
        """How far a coefficient's change by one may move any residual."""
        return kappa_of(self.columns, self.ridge)

    @cached_property
    def matrix(self) -> Reals:
        """The kernel matrix with the ridge on its diagonal, all of it."""
        matrix = np.array(self.columns.submatrix(np.arange(len(self))), dtype=np.float64)
        matrix[np.diag_indices_from(matrix)] += self.ridge
        return np.ascontiguousarray(matrix)

    def response(self, beta: Reals) -> Reals:
        """Return the kernel matrix, with the ridge, times coefficients."""
        if "matrix" in self.__dict__:
            return np.asarray(self.matrix @ beta)
        return np.asarray(self.columns.product(beta) + self.ridge * beta)

    @property
    def idle(self) -> NDArray[np.bool_]:
        """Which rows have no weight anywhere: all their knots coincide."""
        return np.asarray((self.knots == self.knots[:, :1]).all(axis=(1, 2)))

    def staircase(self, z: ArrayLike) -> Staircase:
        """Return the problem at a point."""
        one_and_z = np.concatenate([[1.0], np.asarray(z, dtype=np.float64)])
        levels = self.levels[..., 0].copy()
        finite = np.isfinite(levels)
        levels[finite] = self.levels[finite] @ one_and_z
        return Staircase.of_own(
            self.target @ one_and_z,
            np.ascontiguousarray(self.knots @ one_and_z),
            levels,
            float(self.total @ one_and_z),
            self.has_bias,
        )

    def is_possible(self, z: ArrayLike) -> bool:
        """Whether there is a problem at a point, with no negative weight, and a solution of it."""
        stair = self.staircase(z)
        knots, levels = stair.knots, stair.levels
        slack = _ROUNDING * stair.knot_scale
        with np.errstate(invalid="ignore"):
            below = np.nan_to_num(np.diff(levels, axis=1), nan=0.0)
        if (np.diff(knots, axis=1) < -slack).any():
            return False
        # Without a coefficient there is no loss: a quantile is neither negative nor above one.
        if (knots[:, 0] > slack).any() or (knots[:, -1] < -slack).any():
            return False
        if (below < -_ROUNDING * stair.residual_scale).any():
            return False
        low, high = stair.bounds()
        rounding = slack * len(stair)
        return not stair.has_bias or bool(
            low.sum() - rounding <= stair.total <= high.sum() + rounding
        )

    def solve(
        self, stair: Staircase, beta: ArrayLike, bias: float, more_ridge: float = 0.0
    ) -> State:
        """Return the exact solution of the problem at some point, from an approximate one."""
        options = Options(ridge=self.ridge + more_ridge)
        return solve(self.columns, stair, beta, bias, options, centered=True)


def _end_of(fitted: Fitted, axis: Axis, number: int) -> Quantities:
    """Return the quantities to which an axis leads."""
    problem: Any = fitted.problem
    if isinstance(axis, Mapping):
        named = {name: value for name, value in axis.items() if value is not UNMOVED}
        unknown = [name for name in named if name not in problem.moves]
        if unknown or not named:
            what = f"{unknown[0]!r} cannot be moved" if unknown else "it moves nothing"
            raise TypeError(f"Axis {number}: {what}; can be moved: {', '.join(problem.moves)}.")
        for name, value in named.items():
            if value is None and name not in problem.may_be_none:
                raise ValueError(f"Axis {number}: {name} is None; give the value to move to.")
        _, end = problem.plan_move(fitted, named)
        quantities: Quantities = end
    else:
        n = len(fitted.training)
        change = np.asarray(axis)
        if change.shape != (n,) or change.dtype.kind not in "fiub":
            raise ValueError(
                f"Axis {number}: an array of weight changes has shape ({n},), one number for each "
                f"training row; got {change.dtype} of shape {change.shape}."
            )
        weights = problem.weights(change.astype(np.float64), fitted.training.labels)
        quantities = {
            **fitted.quantities,
            "weight": fitted.quantities["weight"] + weights,
        }
    for name, values in quantities.items():
        if not np.isfinite(values).all():
            raise ValueError(f"Axis {number}: {name} must be finite.")
    return quantities
