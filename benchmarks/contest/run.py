"""Who runs when.

All competitors run in one process and one thread, and the time of the processor is taken: on an
idle machine it is that of the clock, on a busy one the waiting does not count. weightpath runs
again before each rival, so that a busy moment hits everybody, and its median counts. Everybody
first solves a tiny problem, so that imports and compiling are not timed. A rival that was stopped
does not run on a larger problem of the same family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.contest.clock import Course, Turns, measure
from benchmarks.contest.entry import (
    FAILED,
    FINISHED,
    MORE_THAN,
    NOT_INSTALLED,
    NOT_RUN,
    Entry,
)
from benchmarks.contest.judge import Judge, largest_excess
from benchmarks.contest.places import choose_places
from benchmarks.contest.plan import Plan
from benchmarks.contest.problems import Family
from benchmarks.contest.solvers import OURS, PathSolver, Solver, StepSolver
from benchmarks.threads import one_thread

# Rows of the problems on which everybody rehearses.
TINY = 40


def run_contest(
    plan: Plan, announce: Callable[[str], None] = lambda what: None
) -> Iterator[list[Entry]]:
    """Run everything, one problem after the other, and yield the entries of each.

    Parameters
    ----------
    plan : Plan
        What to run.
    announce : callable
        Is told what begins, outside all clocks.

    Yields
    ------
    list of Entry
        Of one problem, weightpath's first.
    """
    stage = _Stage(plan, announce)
    for family, n in plan.problems():
        yield stage.play(family, n)


@dataclass
class _Stage:
    """What is remembered from one problem to the next."""

    plan: Plan
    announce: Callable[[str], None]
    missing: dict[str, str | None] = field(default_factory=dict)
    rehearsed: set[tuple[str, str]] = field(default_factory=set)
    too_slow: dict[tuple[str, str], int] = field(default_factory=dict)

    def play(self, family: Family, n: int) -> list[Entry]:
        """Run all competitors on one problem."""
        problem, cap = family.make(n), self.plan.cap
        where = f"{family.title}, n = {n:,}"
        self.announce(f"{where}: {OURS.label}")
        ours, turns = OURS(), Turns()
        self.rehearse(ours, family)
        turns.take(ours, problem, cap)
        theta = ours.path.theta
        places = choose_places(len(theta), self.plan.n_steps)
        course = Course(problem, theta, places, Judge(problem), cap)
        entries = [course.new_entry(ours)]
        for rival in self.plan.rivals(family):
            self.announce(f"{where}: {rival.label}")
            turns.take(OURS(), problem, cap)
            entries.append(self.challenge(rival, family, course))
        while not turns.are_enough():
            turns.take(OURS(), problem, cap)
        turns.note(entries[0], ours, course)
        _compare(entries)
        return entries

    def challenge(self, rival: Solver, family: Family, course: Course) -> Entry:
        """Let a rival run, if it can."""
        entry = course.new_entry(rival)
        if rival.name not in self.missing:
            self.missing[rival.name] = rival.missing()
        reason = self.missing[rival.name]
        slow = self.too_slow.get((rival.name, family.name))
        if reason is not None:
            entry.status, entry.note = NOT_INSTALLED, reason
        elif slow is not None:
            entry.status = NOT_RUN
            entry.note = f"not run: over {self.plan.cap:g} s at n = {slow:,} already"
        else:
            self.try_out(entry, rival, family, course)
            if entry.status == MORE_THAN:
                self.too_slow[rival.name, family.name] = entry.n
        return entry

    def try_out(self, entry: Entry, rival: Solver, family: Family, course: Course) -> None:
        """Measure a rival; what goes wrong in it is a result like others."""
        try:
            self.rehearse(rival, family)
            # The libraries that the rehearsal has loaded are bound as well.
            with one_thread():
                measure(entry, rival, course)
        except Exception as error:
            first = (str(error).strip().splitlines() or [""])[0]
            entry.status, entry.path_s = FAILED, None
            entry.remark(f"failed: {type(error).__name__}: {first}")
        # Who was stopped has failed only in the sense that the note gives already.
        if rival.failures and entry.status == FINISHED:
            entry.remark(f"says itself that {rival.failures} solves failed")

    def rehearse(self, solver: Solver, family: Family) -> None:
        """Let a solver run a tiny problem of the family, once."""
        if not solver.rehearse or (solver.name, family.name) in self.rehearsed:
            return
        self.rehearsed.add((solver.name, family.name))
        tiny = type(solver)()
        tiny.start(family.make(TINY), self.plan.cap)
        if isinstance(tiny, StepSolver):
            tiny.move(0.5)
        elif isinstance(tiny, PathSolver):
            tiny.trace(np.array([0.0, 0.5, 1.0]))


def _compare(entries: list[Entry]) -> None:
    """Fill in what depends on others: ratios to the first, excess over the lowest."""
    lowest: dict[int, float] = {}
    for entry in entries:
        for place, value in entry.objectives.items():
            lowest[place] = min(value, lowest.get(place, np.inf))
    for entry in entries:
        if entry.objectives:
            entry.excess = largest_excess(entry.objectives, lowest)
        if entry.path_s is not None and entries[0].path_s:
            entry.ratio = entry.path_s / entries[0].path_s
