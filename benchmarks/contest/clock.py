"""The clock: how long a competitor takes on one problem, and what the judge says of its answers.

A rival that has used up its time is stopped between two steps (where it allows that, within one),
and what it has used so far bounds its whole path from below: steps that it did not come to count
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from time import process_time

import numpy as np

from benchmarks.contest.entry import MORE_THAN, Entry
from benchmarks.contest.judge import Judge
from benchmarks.contest.places import Places
from benchmarks.contest.problems import Problem
from benchmarks.contest.solvers import PathSolver, Solver, StepSolver, TimeIsUpError
from benchmarks.threads import one_thread

# A path in one call is measured again until so many times or seconds.
REPETITIONS, ENOUGH_SECONDS = 5, 1.0
# A path that stops at its end has reached it, but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Course:
    """What all competitors on one problem share.

    Attributes
    ----------
    problem : Problem
        The problem.
    theta : ndarray
        The breakpoints of its path.
    places : Places
        Those to visit.
    judge : Judge
        Of this problem.
    cap : float
        Seconds for each.
    """

    problem: Problem
    theta: np.ndarray
    places: Places
    judge: Judge
    cap: float

    def new_entry(self, solver: Solver) -> Entry:
        """An entry about which nothing is known yet."""
        return Entry(
            self.problem.family,
            self.problem.n,
            solver.name,
            solver.label,
            solver.how,
            breakpoints=len(self.theta),
        )


@dataclass
class Turns:
    """Seconds of weightpath on one problem, again and again."""

    start: list[float] = field(default_factory=list)
    path: list[float] = field(default_factory=list)

    def take(self, ours: PathSolver, problem: Problem, cap: float) -> None:
        """Measure once more."""
        with one_thread():
            begin = process_time()
            ours.start(problem, cap)
            middle = process_time()
            ours.trace(np.empty(0))
            end = process_time()
        self.start.append(middle - begin)
        self.path.append(end - middle)

    def are_enough(self) -> bool:
        """Whether a median is worth something, or has taken long enough."""
        return len(self.path) >= REPETITIONS or sum(self.path) >= ENOUGH_SECONDS

    def note(self, entry: Entry, ours: PathSolver, course: Course) -> None:
        """Write the medians down, and what the judge says."""
        _note_times(entry, ours, median(self.start), median(self.path))
        _judge_path(entry, ours, course)


def measure(entry: Entry, rival: Solver, course: Course) -> None:
    """Lead a rival along the path, or let it do the path in one call."""
    if isinstance(rival, StepSolver):
        _measure_steps(entry, rival, course)
    elif isinstance(rival, PathSolver):
        _measure_path(entry, rival, course)


def _timed(action, *arguments) -> tuple[float, bool]:
    """Seconds of a call, and whether it was stopped."""
    begin = process_time()
    try:
        action(*arguments)
        stopped = False
    except TimeIsUpError:
        stopped = True
    return process_time() - begin, stopped


def _measure_steps(entry: Entry, rival: StepSolver, course: Course) -> None:
    places, theta = course.places, course.theta
    used, stopped = _timed(rival.start, course.problem, course.cap)
    entry.start_s = used
    if stopped or used > course.cap:
        entry.status = MORE_THAN
        entry.note = f"stopped after {used:.3g} s, at the first solution"
        return
    entry.judge(0, course.judge.verdict(0.0, rival.solution()))
    counted: list[float] = []
    for place, counts in zip(places.visited.tolist(), places.counted.tolist(), strict=True):
        seconds, stopped = _timed(rival.move, float(theta[place]))
        used += seconds
        if counts:
            counted.append(seconds)
        if stopped or used > course.cap:
            entry.status = MORE_THAN
            entry.note = f"stopped after {used:.3g} s, at step {len(counted)} of {places.n_counted}"
            break
        entry.judge(place, course.judge.verdict(float(theta[place]), rival.solution()))
    entry.steps = len(counted)
    entry.path_s = scaled_up(counted, places)


def scaled_up(counted: list[float], places: Places) -> float:
    """Seconds of the whole path, from those of the counted steps as far as they were made.

    The first step counts once: bounds that were equal part there, which costs some solvers more
    than all that follows. The others stand for those that were left out.
    """
    rest = sum(counted[1:]) / max(places.n_counted - 1, 1) * (places.n_steps - 1)
    return sum(counted[:1]) + rest


def _measure_path(entry: Entry, rival: PathSolver, course: Course) -> None:
    start, _ = _timed(rival.start, course.problem, course.cap)
    measured: list[float] = []
    while len(measured) < REPETITIONS and sum(measured) < ENOUGH_SECONDS:
        seconds, stopped = _timed(rival.trace, course.theta)
        if stopped:
            entry.status, entry.path_s = MORE_THAN, course.cap
            entry.note = f"stopped after {course.cap:g} s"
            return
        measured.append(seconds if rival.seconds is None else rival.seconds)
    _note_times(entry, rival, start, median(measured))
    _judge_path(entry, rival, course)


def _note_times(entry: Entry, solver: PathSolver, start: float, path: float) -> None:
    if solver.begins_apart:
        entry.start_s, entry.path_s = start, path
    else:
        entry.path_s = path + (start if solver.seconds is None else 0.0)
    entry.steps = entry.breakpoints - 1


def _judge_path(entry: Entry, solver: PathSolver, course: Course) -> None:
    reach = solver.reach() + ROUNDING
    for place in [0, *course.places.visited.tolist()]:
        theta = float(course.theta[place])
        if theta <= reach:
            entry.judge(place, course.judge.verdict(theta, solver.solution_at(theta)))
    if course.theta[-1] > reach:
        entry.remark(f"stops at theta = {solver.reach():.3g}, judged up to there")
