r"""Where on a path the coefficients are a given share of the weights: a stop rule.

On a path on which :math:`C_i(t)` and the tubes move on straight lines,

.. math:: g(t) = \sum_i |\beta_i(t)| - \nu \sum_i C_i(t)

is, between two breakpoints, a straight line: coefficients are, and none of them changes its sign
there. As C or epsilon grows, the share :math:`\sum_i |\beta_i| / \sum_i C_i` never rises, so that g
changes its sign once: on a segment, which then has its zero, or by a jump at a breakpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from weightpath.engine import COMPLETE, Options
from weightpath.errors import Advice, PathError
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import PathPart
from weightpath.path.part import Side

__all__ = ["ShareSearch"]

Steps = Callable[[float, bool], Iterable[float]]
Middle = Callable[[float, float], float]
IsAbove = Callable[[float], bool]
SIDES: tuple[Side, Side] = ("left", "right")

# An excess below this fraction of the wanted sum is rounding: the coefficients have that share.
_ROUNDING = 1e-12

# Where the share is the same at this fraction of a parameter, it is so on a whole interval.
_NEAR = 1.0 - 1e-4


class Found(NamedTuple):
    """Where a search has ended.

    Attributes
    ----------
    subproblem : Subproblem
        The solution there.
    at : float
        The parameter.
    mixed : Subproblem or None
        Where the share jumps over the wanted one: the solution that has it, which cannot move.
    is_share : bool
        Whether the wanted share is there; if not, the search has ended without it.
    """

    subproblem: Subproblem
    at: float
    mixed: Subproblem | None = None
    is_share: bool = True


@dataclass(frozen=True, eq=False)
class ShareSearch:
    """The search for a parameter, C or epsilon, at which coefficients have a share of the weights.

    Attributes
    ----------
    nu : float
        The share.
    problem : KernelProblem
        What is minimised.
    training : TrainingSet
        On what.
    quantities_at : callable
        The quantities at a value of the parameter.
    options : Options
        How paths are followed.
    """

    nu: float
    problem: KernelProblem
    training: TrainingSet
    quantities_at: Callable[[float], Quantities]
    options: Options

    def locate(
        self, subproblem: Subproblem, at: float, steps: Steps, middle: Middle
    ) -> tuple[Subproblem, float, bool]:
        """Return the solution that has the share.

        Where several values of the parameter do, between two breakpoints, it is the middle one.

        Parameters
        ----------
        subproblem : Subproblem
            The solution to start from.
        at : float
            The parameter there.
        steps : callable
            ``steps(at, up)`` yields the values of the parameter to go to from ``at``.
        middle : callable
            The middle of two values of the parameter.

        Returns
        -------
        subproblem : Subproblem
            The solution with the share or, if none has it, at the last step.
        at : float
            The parameter there.
        found : bool
            Whether it has the share.
        """
        up = self.excess_of(subproblem) >= 0.0
        last = self._find(subproblem, at, steps(at, up), lambda g: g >= 0.0)
        solution, upper, end = last.mixed or last.subproblem, last.at, last.at
        near, start = last.subproblem, last.at
        if last.is_share:
            start *= _NEAR
            near = self._follow(near, upper, start)[0]
        else:
            # Where the share is the wanted one at the end of the search, it is so without end.
            end = np.inf
        if self.excess_of(near) != 0.0:
            return solution, upper, last.is_share
        first = self._find(near, start, steps(start, False), lambda g: g > 0.0)
        if not first.is_share:
            # The share is the wanted one everywhere below and, perhaps, everywhere.
            return (solution, upper, True) if last.is_share else (subproblem, at, True)
        center = middle(first.at, end)
        return self._follow(first.subproblem, first.at, center)[0], center, True

    def excess_of(self, subproblem: Subproblem) -> float:
        """Return what the coefficients of a solution have beyond the share."""
        weight = subproblem.reading.weights(subproblem.stair)
        return self._excess(float(weight.sum()), float(np.abs(subproblem.state.beta).sum()))

    def _excess(self, weight: float, size: float) -> float:
        """Return what coefficients have beyond the share; rounding counts as nothing."""
        wanted = self.nu * weight
        beyond = size - wanted
        return 0.0 if abs(beyond) <= _ROUNDING * wanted else beyond

    def _find(
        self, subproblem: Subproblem, at: float, steps: Iterable[float], is_above: IsAbove
    ) -> Found:
        """Follow paths from one step to the next until the excess is on the other side."""
        before = is_above(self.excess_of(subproblem))
        for step in steps:
            there, piece = self._follow(subproblem, at, step)
            if is_above(self.excess_of(there)) != before:
                theta, jumps = self._zero(piece, before, is_above)
                found = at + theta * (step - at)
                solution = self._follow(subproblem, at, found)[0]
                mixed = self._between(solution, piece, theta) if jumps else None
                return Found(solution, found, mixed)
            subproblem, at = there, step
        return Found(subproblem, at, None, False)

    def _follow(self, subproblem: Subproblem, at: float, to: float) -> tuple[Subproblem, PathPart]:
        """Return the solution at another value of the parameter, and the path there."""
        here, there = self.quantities_at(at), self.quantities_at(to)
        fitted = Fitted(self.training, self.problem, here, (subproblem,))
        ready, stair, _ = self.problem.course(fitted, subproblem, there)
        arrived, trace = ready.follow(stair, self.options)
        if trace.status != COMPLETE:
            raise PathError(
                f"The path to nu={self.nu:g} was {trace.status}.",
                advice=Advice("Raise {max_events}.", {"max_events": self.options.max_events}),
            )
        return arrived, ready.path(self.training, arrived, trace)

    def _zero(self, piece: PathPart, before: bool, is_above: IsAbove) -> tuple[float, bool]:
        """Return the theta at which the excess changes its side, and whether it jumps there."""
        edges = piece.theta
        low, high = 0, len(edges) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if is_above(self._excess_at(piece, edges[middle], "right")) == before:
                low = middle
            else:
                high = middle
        here = self._excess_at(piece, edges[low], "right")
        there = self._excess_at(piece, edges[high], "left")
        if is_above(there) == before:
            return float(edges[high]), True
        fraction = here / (here - there) if here != there else 0.0
        return float(edges[low] + fraction * (edges[high] - edges[low])), False

    def _between(self, solution: Subproblem, piece: PathPart, theta: float) -> Subproblem | None:
        """Return the solution with the share where it jumps; ``None`` if it has it already.

        Where the kernel matrix is singular, many coefficients have the same function. At a jump all
        between its two sides are optimal, and their sum is a straight line.
        """
        own, beta = self.excess_of(solution), solution.state.beta
        weight = float(solution.reading.weights(solution.stair).sum())
        for side in SIDES:
            other = piece.beta(theta, side)
            its = self._excess(weight, float(np.abs(other).sum()))
            if own != 0.0 and own * its <= 0.0:
                fraction = own / (own - its)
                mixed = (1.0 - fraction) * beta + fraction * other
                # The positions stay those of one side: the model does not move from here.
                return replace(solution, state=replace(solution.state, beta=mixed))
        return None

    def _excess_at(self, piece: PathPart, theta: float, side: Side) -> float:
        size, weight = np.abs(piece.beta(theta, side)).sum(), piece.weights(theta).sum()
        return self._excess(float(weight), float(size))
