r"""Full conformal sets of a lasso: unions of intervals of the target of a new observation.

With :math:`n + 1` observations the penalty of the sum of squares is :math:`(n + 1) \alpha`. A lasso
with that penalty on the :math:`n` observations is also the solution with the new one where its
target is the prediction: its residual is zero. So all new rows begin at one solution, and the
target of each goes up and down from its prediction, along which all residuals are piecewise
straight lines.

Let :math:`K = X'X` be positive definite, of centred features, and :math:`v` the residual of
the new row. On a piece with active features :math:`A` the residuals of the others move by at most

.. math::

    \left|\frac{dr_i}{dv}\right| = \left|\frac1n + x_i' K_A^{-1} x\right|
    \le \frac1n + \sqrt{\max_i x_i' K^{-1} x_i} \, \sqrt{x' K^{-1} x} = \rho .

With :math:`\rho < 1` a residual that was overtaken stays behind, and the path can end where the
residual of the new row is :math:`z / (1 - \rho)`, if :math:`z` is the last of the residuals that
count at its start. Otherwise the path goes on until no event is left on it; its last piece then
extends to infinity, and so may the set.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from weightpath import tolerances
from weightpath.conformal.comparisons import Line, kept_on
from weightpath.conformal.unions import united
from weightpath.engine import COMPLETE, Options, State
from weightpath.errors import Advice, PathError
from weightpath.estimators.subproblem import Subproblem
from weightpath.record import Record

__all__ = ["LassoSets"]

Reals = NDArray[np.float64]

# A bound on slopes this close to one is of no use.
_SLOPE = 0.999

# A matrix whose Cholesky factor has a diagonal below this fraction of its largest is singular.
_SINGULAR = 1e-7

# Slopes below this fraction of the largest are zero, and events further away than so many times
# the largest target are none.
_SLOPE_NOISE = 1e-11
_FAR = 1e9

# So often a path is made longer at most.
_LONGEST = 200


class _Nodes(NamedTuple):
    """The nodes of a path in the target of the new row."""

    target: Reals
    coef: Reals


class LassoSets:
    """The sets of new rows of one lasso.

    Parameters
    ----------
    model : Lasso
        Fitted to the n rows with penalties, and a ridge, larger by (n + 1) / n; no feature names.
    needed : int
        How many of the other residuals must be as large as that of the new row, at least 1.
    """

    def __init__(self, model: Any, needed: int) -> None:
        self.model, self.needed = model, needed
        self.training, self.problem = model.training_set_, model.problem_
        (self.start,) = model.subproblems_
        X, self.y = self.training.X, model.quantities_["target"]
        self.n = len(self.y)
        self.scale = float(np.abs(self.y).max()) or 1.0
        self.residual = self.y - model.predict(X)
        spread = np.abs(self.residual)
        self.reach = float(np.partition(spread, self.n - needed)[self.n - needed])
        shrink = self.n / (self.n + 1)
        self.grown = replace(self.problem, alpha=self.problem.alpha * shrink)
        self.options = Options(ridge=self.training.ridge * shrink, max_events=int(model.max_events))
        self.centre = X.mean(axis=0) if self.problem.centred else np.zeros(X.shape[1])
        self.factor = _factor(X - self.centre)
        self.leverage = 0.0
        if self.factor is not None:
            inner = solve_triangular(self.factor, (X - self.centre).T, lower=True)
            self.leverage = float(np.einsum("ij,ij->j", inner, inner).max())

    def sets(self, X: Any) -> list[Reals]:
        """Return the set of each new row."""
        return [self._set(X[k : k + 1]) for k in range(X.shape[0])]

    def _set(self, x: Reals) -> Reals:
        row = _NewRow(self, x)
        tolerance = tolerances.EQUAL_SCORES * max(self.scale, abs(row.value))
        pieces = [np.array([[row.value, row.value]])]
        distance = self._distance(x)
        for side in (1, -1):
            line = row.line(side, distance)
            if line is not None:
                pieces.append(kept_on(line, self.needed, tolerance))
        return united(pieces, tolerance)

    def _distance(self, x: Reals) -> float | None:
        """Return how far the target must go at most; ``None`` where no bound is known."""
        if self.factor is None:
            return None
        inner = solve_triangular(self.factor, (x - self.centre)[0], lower=True)
        own = float(inner @ inner)
        share = 1.0 / self.n if self.problem.centred else 0.0
        slope = share + float(np.sqrt(self.leverage * own))
        if slope >= _SLOPE:
            return None
        # A little further, for roundings.
        return 1.001 * (1.0 + share + own) * self.reach / (1.0 - slope)


class _NewRow:
    """One new observation, whose target moves."""

    def __init__(self, sets: LassoSets, x: Reals) -> None:
        self.sets, self.x = sets, x
        self.value = float(sets.model.predict(x)[0])
        per_row = {"sample_weight": np.ones(1)}
        self.training = sets.training.joined(x, np.zeros(1), per_row)
        self.data = sets.grown.data(self.training)
        self.columns = self.data.columns(float(sets.model.cache_size))
        self.quantities = {"penalty": sets.grown.penalty}

    def line(self, side: int, distance: float | None) -> Line | None:
        """Return the residuals while the target goes up or down, as far as is needed."""
        if distance is not None:
            if distance == 0.0:
                return None
            nodes, _ = self._nodes(self._at_start(), self.value, self.value + side * distance)
            return self._line(nodes)
        return self._endless(side)

    def _endless(self, side: int) -> Line:
        """Return the residuals up to the last event, and on to infinity."""
        size = self.sets.scale + abs(self.value)
        here, begin, parts = self._at_start(), self.value, []
        end = begin + 4.0 * side * size
        for _ in range(_LONGEST):
            nodes, here = self._nodes(here, begin, end)
            parts.append(nodes)
            slope = (nodes.coef[-1] - nodes.coef[-2]) / abs(nodes.target[-1] - nodes.target[-2])
            further = self._next_event(here, slope, side)
            if further > _FAR * max(size, abs(end)):
                return self._line(_joined(parts), side, slope)
            begin, end = end, end + side * (2.0 * further + abs(end - self.value))
        raise PathError(
            "The path of a target has no last event within "
            f"{abs(end - self.value):.3g} of the prediction.",
            advice=Advice("Scale the features, or use {ridge}.", {"ridge": 1e-8}),
        )

    def _at_start(self) -> Subproblem:
        """Return the solution at which the new row is fitted exactly."""
        old = self.sets.start
        stair = self._staircase(self.value)
        beta = old.state.beta
        residual = stair.target - self.columns.product(beta) - self.sets.options.ridge * beta
        state = State(beta, 0.0, old.state.position, residual, old.state.margin)
        return Subproblem(old.rows, old.reading, self.columns, stair, state)

    def _staircase(self, target: float) -> Any:
        return self.data.staircase(np.append(self.sets.y, target), self.quantities["penalty"])

    def _nodes(self, here: Subproblem, begin: float, end: float) -> tuple[_Nodes, Subproblem]:
        """Follow the target from one value to another."""
        stair = self._staircase(end)
        there, trace = self.sets.grown.follow(self.training, here, stair, self.sets.options)
        if trace.status != COMPLETE:
            raise PathError(
                trace.status.message,
                advice=Advice("Raise {max_events}.", {"max_events": self.sets.options.max_events}),
            )
        coef = _coefficients(trace.record, len(stair), there.state.beta)
        return _Nodes(begin + trace.record.theta * (end - begin), coef), there

    def _next_event(self, here: Subproblem, slope: Reals, side: int) -> float:
        """Return how far the next event is if the target goes on, infinite if there is none."""
        data, beta = self.data, here.state.beta
        unit = np.zeros(self.sets.n + 1)
        unit[-1] = side
        moving = data.rows @ (np.sqrt(data.weight) * (unit - data.offset(unit)))
        turn = moving - self.columns.product(slope) - self.sets.options.ridge * slope
        level, residual = here.stair.levels[:, 1], here.state.residual
        active = beta != 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            to_zero = np.where(active, -beta / slope, np.inf)
            to_level = np.where(active, np.inf, (np.sign(turn) * level - residual) / turn)
        to_zero[np.abs(slope) <= _SLOPE_NOISE * np.abs(slope).max(initial=0.0)] = np.inf
        to_level[np.abs(turn) <= _SLOPE_NOISE * np.abs(moving).max(initial=0.0)] = np.inf
        to_zero[to_zero < 0] = np.inf
        return float(max(0.0, min(to_zero.min(initial=np.inf), to_level.min(initial=np.inf))))

    def _line(self, nodes: _Nodes, side: int = 0, slope: Reals | None = None) -> Line:
        """Return the residuals of all rows at nodes; with slopes of the coefficients, a ray."""
        others, own = self._residuals(nodes.coef, self.sets.y, nodes.target)
        if slope is None:
            return Line(nodes.target, others, own)
        zero = np.zeros(self.sets.n)
        more, one = self._residuals(slope[None], zero, np.array([float(side)]))
        target = np.append(nodes.target, nodes.target[-1])
        return Line(target, np.concatenate([others, more]), np.append(own, one), side)

    def _residuals(self, coef: Reals, y: Reals, target: Reals) -> tuple[Reals, Reals]:
        """Return the residuals of the rows and of the new one, a row for each node."""
        others = y - coef @ self.sets.training.X.T
        own = target - coef @ self.x[0]
        if self.sets.problem.centred:
            mean = (others.sum(axis=1) + own) / (self.sets.n + 1)
            others, own = others - mean[:, None], own - mean
        return others, own


def _joined(parts: list[_Nodes]) -> _Nodes:
    """Return several stretches, each of which begins where the last one ended, as one."""
    target = [parts[0].target[:1], *(one.target[1:] for one in parts)]
    coef = [parts[0].coef[:1], *(one.coef[1:] for one in parts)]
    return _Nodes(np.concatenate(target), np.concatenate(coef))


def _coefficients(record: Record, p: int, last: Reals) -> Reals:
    """Return the coefficients at the edges of all segments: (s + 1, p)."""
    coef = np.zeros((len(record) + 1, p))
    segment = np.repeat(np.arange(len(record)), np.diff(record.offset))
    coef[segment, record.member] = record.value
    coef[-1] = last
    return coef


def _factor(X: Reals) -> Reals | None:
    """Return the Cholesky factor of the features' products; ``None`` if they are dependent."""
    if X.shape[1] >= X.shape[0]:
        return None
    try:
        factor: Reals = cholesky(X.T @ X, lower=True)
    except LinAlgError:
        return None
    size = np.abs(np.diag(factor))
    return factor if size.min() > _SINGULAR * np.sqrt((X**2).sum(axis=0).max()) else None
