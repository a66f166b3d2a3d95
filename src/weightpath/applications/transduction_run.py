"""Joachims' search for the labels of unlabelled rows, every step an exact path."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weightpath.applications.provisional_labels import ProvisionalLabels, SwitchResult
from weightpath.applications.switching_pairs import extreme_pair, first_pair_on_path
from weightpath.applications.values_on_paths import ValuesOnPaths
from weightpath.path import SolutionPath

__all__ = ["SCHEDULES", "Plan", "Step", "TransductionRun"]

SCHEDULES = ("doubling", "annealed")

# Seconds between two lines of progress.
PAUSE = 0.3

# The annealed weight grows by this factor on the first leg; a leg that meets a switch is followed
# again up to there, so later ones are about as long as it is from one switch to the next.
FIRST_GROWTH = 2.0
SHORTEST_GROWTH = 1.0 + 1e-3


class Step(NamedTuple):
    """One path of the search, and where it led.

    Attributes
    ----------
    kind : str
        "start" for the model of the labelled rows, "weights" or "switch".
    C_minus, C_plus : float
        Weights of unlabelled rows that are labelled as the first and as the second class.
    objective : float
        The objective at these weights, after the path.
    n_events : int
        Set changes on the path.
    rows : tuple of int
        The rows that were switched: first the one that was of the second class.
    """

    kind: str
    C_minus: float
    C_plus: float
    objective: float
    n_events: int
    rows: tuple[int, ...] = ()


class Plan(NamedTuple):
    """The parameters of a fit, checked."""

    C: float
    C_star: float
    start: float
    positive_fraction: float | None
    max_switches: int


# Makes a path to keep of a result, its kind, the labels after it, and the weights before and after.
Reals = NDArray[np.float64]
Keep = Callable[[SwitchResult, str, Reals, Reals, Reals], SolutionPath]


class TransductionRun:
    """The search from the first labels to the last.

    Parameters
    ----------
    model : ProvisionalLabels
        The solution on all rows, those without a label at zero weight but with a first label.
    rows : ndarray of int
        The rows without a label.
    plan : Plan
        ``C_star``, ``start`` and ``max_switches``.
    values : ValuesOnPaths
        Gives the decision values of these rows along a path.
    verbose : int
        Whether to show progress.
    keep : callable or None
        Makes a path to keep of a result, its kind, and labels and weights around it.
    """

    def __init__(
        self,
        model: ProvisionalLabels,
        rows: NDArray[np.intp],
        plan: Plan,
        values: ValuesOnPaths,
        verbose: int = 0,
        keep: Keep | None = None,
    ) -> None:
        self.model, self.rows, self.plan, self.values = model, rows, plan, values
        self.verbose, self.keep = verbose, keep
        self.C_minus = self.C_plus = 0.0
        self.history = [Step("start", 0.0, 0.0, model.objective, 0)]
        self.paths: list[SolutionPath] = []
        self.n_switches, self.capped = 0, False
        self._shown, self._began = -PAUSE, time.perf_counter()

    def follow(self, schedule: str) -> None:
        """Go from zero weights of the unlabelled rows to their final ones."""
        if self.rows.size == 0:
            return
        self.to_weights(*self.first_weights())
        self.switch_all()
        if schedule == "doubling":
            self.double()
        else:
            self.anneal()
        if self.verbose and sys.stderr.isatty():
            print(file=sys.stderr)

    def first_weights(self) -> tuple[float, float]:
        """Return small weights, in the ratio of the numbers of the two labels as Joachims has."""
        n_plus = int((self.model.sign[self.rows] > 0).sum())
        n_minus = self.rows.size - n_plus
        ratio = n_plus / n_minus if n_plus and n_minus else 1.0
        low = self.plan.start * self.plan.C_star
        return low, min(low * ratio, self.plan.C_star)

    def is_final(self) -> bool:
        """Whether the weights are the final ones."""
        return min(self.C_minus, self.C_plus) >= self.plan.C_star

    def double(self) -> None:
        """Double the weights and make all switches, in turns."""
        while not (self.is_final() or self.capped):
            most = self.plan.C_star
            self.to_weights(min(2.0 * self.C_minus, most), min(2.0 * self.C_plus, most))
            self.switch_all()

    def anneal(self) -> None:
        """Let the weights grow continuously, and make every switch where it first is one."""
        growth = FIRST_GROWTH
        while not (self.is_final() or self.capped):
            met = self.leg(growth)
            if met is None:
                growth = min(growth**2, FIRST_GROWTH)
            else:
                fraction, pair = met
                self.switch(pair)
                self.switch_all()
                growth = max(1.0 + 1.5 * fraction * (growth - 1.0), SHORTEST_GROWTH)

    def leg(self, growth: float) -> tuple[float, tuple[int, int]] | None:
        """Let the weights grow by a factor, or to where a pair can be switched.

        Returns
        -------
        (float, (int, int)) or None
            Where on the leg the pair appeared, and the pair; ``None`` if none did.
        """
        most = self.plan.C_star
        before = self.C_minus, self.C_plus
        after = tuple(min(growth * weight, most) for weight in before)
        model = self.model
        subproblem, weight = model.subproblem, model.weight
        result = model.reweight(self.row_weights(*after))
        path = result.path(self.values.training)
        met = first_pair_on_path(self.values.along(path), model.sign[self.rows])
        if met is None:
            self.C_minus, self.C_plus = after
            self._record("weights", result, weight)
            return None
        theta, (m, l) = met  # noqa: E741
        model.subproblem, model.weight = subproblem, weight
        if theta > 0.0:
            there = [(1.0 - theta) * a + theta * b for a, b in zip(before, after, strict=True)]
            self.to_weights(*there)
        return theta, (int(self.rows[m]), int(self.rows[l]))

    def row_weights(self, C_minus: float, C_plus: float) -> NDArray[np.float64]:
        """Return the weights of all rows for these weights of the two labels."""
        weight = self.model.weight.copy()
        weight[self.rows] = np.where(self.model.sign[self.rows] > 0, C_plus, C_minus)
        return weight

    def to_weights(self, C_minus: float, C_plus: float) -> None:
        """Follow the path to other weights of the unlabelled rows."""
        weight = self.model.weight
        result = self.model.reweight(self.row_weights(C_minus, C_plus))
        self.C_minus, self.C_plus = C_minus, C_plus
        self._record("weights", result, weight)

    def switch_all(self) -> None:
        """Switch one pair after the other until none is left that lowers the objective."""
        while not self.capped:
            pair = extreme_pair(self.model.values[self.rows], self.model.sign[self.rows])
            if pair is None:
                return
            self.switch((int(self.rows[pair[0]]), int(self.rows[pair[1]])))

    def switch(self, pair: tuple[int, int]) -> None:
        """Follow the path on which the labels of a pair are exchanged."""
        if self.n_switches >= self.plan.max_switches:
            self.capped = True
            return
        weight = self.model.weight
        # The first row of the pair is labelled -1 from now on, the second +1.
        result = self.model.switch(pair, (self.C_minus, self.C_plus))
        self.n_switches += 1
        self._record("switch", result, weight, pair)

    def _record(
        self,
        kind: str,
        result: SwitchResult,
        weight: NDArray[np.float64],
        rows: tuple[int, ...] = (),
    ) -> None:
        model = self.model
        step = Step(kind, self.C_minus, self.C_plus, model.objective, result.n_events, rows)
        self.history.append(step)
        if self.keep is not None:
            self.paths.append(self.keep(result, kind, model.sign, weight, model.weight))
        now = time.perf_counter() - self._began
        if self.verbose and now - self._shown >= PAUSE:
            self._shown = now
            text = (
                f"transduction: C* {min(self.C_minus, self.C_plus):.3g} of {self.plan.C_star:.3g}, "
                f"{self.n_switches:,} switches, objective {step.objective:.6g}, {now:.0f} s"
            )
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{text:<76}", end=end, file=sys.stderr, flush=True)
