r"""Where on a path the coefficients are a given share of the weights: a stop rule.

On a path on which :math:`C_i(t)` and the tubes move on straight lines,

.. math:: g(t) = \sum_i |\beta_i(t)| - \nu \sum_i C_i(t)

is continuous and, between two breakpoints, a straight line: coefficients are, and none of them
changes its sign there. As C or epsilon grows, the share :math:`\sum_i |\beta_i| / \sum_i C_i` never
rises, so that g changes its sign once. The path is followed until it does, and the zero on that
segment is where the model of :math:`\nu` is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from weightpath.engine import COMPLETE, Options
from weightpath.errors import Advice, PathError
from weightpath.estimators.kernel_problem import KernelProblem
from weightpath.estimators.problem import Fitted, Quantities
from weightpath.estimators.subproblem import Subproblem
from weightpath.estimators.training_set import TrainingSet
from weightpath.path import PathPart

__all__ = ["ShareSearch"]

Steps = Callable[[float, bool], Iterable[float]]
Middle = Callable[[float, float], float]
IsAbove = Callable[[float], bool]

# An excess below this fraction of the wanted sum is rounding: the coefficients have that share.
_ROUNDING = 1e-12

# Where the share is the same at this fraction of a parameter, it is so on a whole interval.
_NEAR = 1.0 - 1e-4


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
        there, upper, found = self._find(subproblem, at, steps(at, up), lambda g: g >= 0.0)
        if not found or self.excess_of(self._follow(there, upper, _NEAR * upper)[0]) > 0.0:
            return there, upper, found
        _, lower, found = self._find(there, upper, steps(upper, False), lambda g: g > 0.0)
        if found:
            center = middle(lower, upper)
            return self._follow(there, upper, center)[0], center, True
        return there, upper, True

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
    ) -> tuple[Subproblem, float, bool]:
        """Follow paths from one step to the next until the excess is on the other side."""
        before = is_above(self.excess_of(subproblem))
        for step in steps:
            there, piece = self._follow(subproblem, at, step)
            if is_above(self.excess_of(there)) != before:
                found = at + self._zero(piece, before, is_above) * (step - at)
                return self._follow(subproblem, at, found)[0], found, True
            subproblem, at = there, step
        return subproblem, at, False

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

    def _zero(self, piece: PathPart, before: bool, is_above: IsAbove) -> float:
        """Return the theta of a path at which the excess, on one side before it, is zero."""
        edges = piece.theta
        low, high = 0, len(edges) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if is_above(self._excess_at(piece, edges[middle])) == before:
                low = middle
            else:
                high = middle
        here, there = (self._excess_at(piece, edges[k]) for k in (low, high))
        fraction = here / (here - there) if here != there else 0.0
        return float(edges[low] + fraction * (edges[high] - edges[low]))

    def _excess_at(self, piece: PathPart, theta: float) -> float:
        size, weight = np.abs(piece.beta(theta)).sum(), piece.weights(theta).sum()
        return self._excess(float(weight), float(size))
