r"""A classifier some of whose labels are provisional: weights move, labels switch, on exact paths.

A row that is to change its label from +1 to -1 leaves as one and arrives as the other on a single
straight line. With the weights :math:`w_+` and :math:`w_-` of its two roles it pays

.. math:: w_+ [1 - f]_+ + w_- [1 + f]_+ ,

which is convex and piecewise linear in :math:`f`: a staircase with the knots
:math:`-w_-,\; w_+ - w_-,\; w_+` of :math:`\beta` and its two risers at :math:`f = 1` and
:math:`f = -1`. Both weights are linear in theta, hence so are the knots, and no row stands in the
problem twice. At both ends two of the knots coincide and the staircase is that of one hinge.

Rows that keep their label are hinges with two knots; beside a switching row they have the upper one
twice, with nothing beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weightpath.engine import COMPLETE, Options, State, center_bias, kappa_of
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import PathPart
from weightpath.problems import Staircase, hinge_staircase
from weightpath.problems.position import is_free

__all__ = ["ProvisionalLabels", "StoppedError", "SwitchResult"]


class StoppedError(RuntimeError):
    """A path met ``max_events`` before its end."""


@dataclass(frozen=True)
class SwitchResult:
    """One path of weights or labels, followed to its end.

    Attributes
    ----------
    n_events : int
        Set changes on the path.
    path : callable
        Takes the training set; makes the path, readable at any theta.
    """

    n_events: int
    path: Callable[[TrainingSet], PathPart]


class ProvisionalLabels:
    """An exact solution whose rows can change weights and labels.

    Parameters
    ----------
    subproblem : Subproblem
        The weighted hinge problem of two classes on all rows, solved.
    weight : ndarray of shape (n,)
        The ``C_i``.
    options : Options
        How paths are followed.
    """

    def __init__(
        self, subproblem: Subproblem, weight: NDArray[np.float64], options: Options
    ) -> None:
        self.subproblem, self.options = subproblem, options
        self.weight = np.array(weight, dtype=float)

    @property
    def sign(self) -> NDArray[np.float64]:
        """The labels, +1 or -1."""
        return self.subproblem.reading.sign

    @property
    def values(self) -> NDArray[np.float64]:
        """The decision values of all rows, as the solution knows them."""
        return self.subproblem.stair.target - self.subproblem.state.residual

    @property
    def slack(self) -> NDArray[np.float64]:
        """How far each row is from its margin on the wrong side."""
        return np.maximum(0.0, self.sign * self.subproblem.state.residual)

    @property
    def objective(self) -> float:
        """Half the squared norm, and the weighted slack."""
        state = self.subproblem.state
        response = self.values - state.bias
        return float(0.5 * np.dot(state.beta, response) + np.dot(self.weight, self.slack))

    def reweight(self, weight: NDArray[np.float64]) -> SwitchResult:
        """Follow the path to other weights."""
        weight = np.array(weight, dtype=float)
        end = hinge_staircase(self.sign, weight)
        result, self.subproblem = self._follow(self.subproblem, end)
        self.weight = weight
        return result

    def switch(self, rows: ArrayLike, weight: ArrayLike) -> SwitchResult:
        """Follow the path on which ``rows`` change their labels; then they have ``weight``."""
        rows = np.asarray(rows, dtype=np.intp)
        sign, after = self.sign, self.weight.copy()
        after[rows] = weight
        start, end = (switching_staircase(sign, w, rows, w is after) for w in (self.weight, after))
        state = into_switch(self.subproblem.state, sign, rows)
        result, arrived = self._follow(replace(self.subproblem, stair=start, state=state), end)
        now = sign.copy()
        now[rows] *= -1.0
        hinge = hinge_staircase(now, after)
        kappa = kappa_of(self.subproblem.columns, self.options.ridge)
        state = center_bias(hinge, out_of_switch(arrived.state, now, rows), kappa)
        reading = replace(arrived.reading, sign=now)
        self.subproblem = replace(arrived, stair=hinge, state=state, reading=reading)
        self.weight = after
        return result

    def _follow(self, subproblem: Subproblem, end: Staircase) -> tuple[SwitchResult, Subproblem]:
        there, trace = subproblem.follow(end, self.options)
        if trace.status != COMPLETE:
            raise StoppedError(trace.status.message)

        def path(training: TrainingSet) -> PathPart:
            return subproblem.path(training, there, trace)

        return SwitchResult(trace.record.n_events, path), there


def switching_staircase(
    sign: NDArray[np.float64], weight: NDArray[np.float64], rows: NDArray[np.intp], arrived: bool
) -> Staircase:
    """Return the problem at one end of a path on which ``rows`` change their labels.

    Parameters
    ----------
    sign : ndarray of shape (n,)
        Labels before the switch, which give the targets at both ends.
    weight : ndarray of shape (n,)
        Weights at this end.
    rows : ndarray of int
        The rows that switch.
    arrived : bool
        Whether this is the end at which they have switched.
    """
    hinge = hinge_staircase(sign, weight)
    knots = np.column_stack([hinge.knots, hinge.knots[:, 1]])
    levels = np.column_stack([hinge.levels, np.full(len(sign), np.inf)])
    old, w = sign[rows], weight[rows]
    role = -old if arrived else old
    plus, minus = np.where(role > 0, w, 0.0), np.where(role < 0, w, 0.0)
    knots[rows] = np.column_stack([-minus, plus - minus, plus])
    # The residual is the old label less f: zero at the riser of the old label.
    levels[rows, 1], levels[rows, 2] = old - 1.0, old + 1.0
    return Staircase(hinge.target, knots, levels)


def into_switch(state: State, sign: NDArray[np.float64], rows: NDArray[np.intp]) -> State:
    """Return a solution of the hinges as one of the problem in which ``rows`` can switch.

    Where two knots coincide, the engine sorts out by the residual at which of them a row stands.
    """
    position = state.position.copy()
    # The riser of the label -1 is the upper of the two, between knots 2 and 3.
    below = rows[sign[rows] < 0]
    position[below] += 2
    return replace(state, position=position)


def out_of_switch(state: State, sign: NDArray[np.float64], rows: NDArray[np.intp]) -> State:
    """Return a solution at the end of a switch as one of the hinges; ``sign`` has the new labels.

    Positions at the riser of a label that is gone are at the knot on both of its sides.
    """
    position, residual = state.position.copy(), state.residual.copy()
    upper = sign[rows] < 0
    position[rows] = np.where(
        upper, np.maximum(position[rows] - 2, 1), np.minimum(position[rows], 3)
    )
    residual[rows] += 2.0 * sign[rows]
    margin = state.margin[is_free(position[state.margin])]
    return replace(state, position=position, residual=residual, margin=margin)
