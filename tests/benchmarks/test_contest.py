"""The contest: its judge, its clock, its competitors, and what it says of those who are missing."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn import svm

from benchmarks.contest import clock, pictures, results, wording
from benchmarks.contest import plan as plans
from benchmarks.contest.clock import scaled_up
from benchmarks.contest.entry import (
    FAILED,
    FINISHED,
    MORE_THAN,
    NOT_INSTALLED,
    NOT_RUN,
    Entry,
)
from benchmarks.contest.growth import fit_growth, growths
from benchmarks.contest.judge import Judge, Solution
from benchmarks.contest.places import choose_places
from benchmarks.contest.plan import Plan
from benchmarks.contest.problems import (
    FAMILIES,
    diabetes_weights,
    normal_lasso,
    toy_cost,
    toy_weights,
)
from benchmarks.contest.run import run_contest
from benchmarks.contest.solvers import OURS, RIVALS, StepSolver, TimeIsUpError
from benchmarks.contest.solvers.daqp_steps import DaqpSteps
from judges import optimality
from judges.cases import kernel_matrix
from weightpath.problems import hinge_staircase, tube_staircase

TINY = Plan(sizes=(40,), rows=40, n_steps=8, cap=60.0)


def all_entries(plan, announce=lambda what: None):
    return [entry for group in run_contest(plan, announce) for entry in group]


# The judge ------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [toy_weights, toy_cost, diabetes_weights])
@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-2, 3.0])
def test_violation_is_the_distance_from_the_staircase(make, noise):
    problem = make(40)
    rng = np.random.default_rng(7)
    ours = OURS()
    ours.start(problem, 60.0)
    ours.trace(np.empty(0))
    theta = 0.37
    exact = ours.solution_at(theta)
    coef = exact.coef + noise * rng.normal(size=problem.n)
    bias = exact.bias + noise * rng.normal()
    K, C = kernel_matrix(problem.X, "rbf", problem.gamma), problem.weights(theta)
    if problem.epsilon is None:
        stairs, unit = hinge_staircase(problem.y, C), 1.0
    else:
        stairs, unit = tube_staircase(problem.y, C, problem.epsilon), np.abs(problem.y).max()
    found = Judge(problem).verdict(theta, Solution(coef, bias)).violation
    expected = optimality.violation(K, stairs, coef, bias)
    assert found * unit == pytest.approx(expected.worst, rel=1e-6, abs=1e-9)
    assert (found * unit < 1e-9) == (noise == 0.0)


def test_objectives_are_those_of_the_definition():
    for make, loss in (
        (toy_weights, lambda y, f: max(0.0, 1.0 - y * f)),
        (diabetes_weights, lambda y, f: max(0.0, abs(y - f) - 5.0)),
    ):
        problem = make(40)
        coef = np.random.default_rng(1).normal(size=40)
        K, C = kernel_matrix(problem.X, "rbf", problem.gamma), problem.weights(0.3)
        expected = 0.5 * sum(coef[i] * K[i, j] * coef[j] for i in range(40) for j in range(40))
        for i in range(40):
            expected += C[i] * loss(problem.y[i], sum(K[i] * coef) + 0.4)
        found = Judge(problem).verdict(0.3, Solution(coef, 0.4)).objective
        assert found == pytest.approx(expected, rel=1e-12)


def test_lasso_is_judged_by_its_subgradient():
    problem = normal_lasso(40)
    coef = np.zeros(problem.X.shape[1])
    coef[[0, 3]] = 0.5, -0.2
    penalty = problem.penalty(0.6)
    residual = [problem.y[i] - problem.X[i] @ coef for i in range(40)]
    worst = 0.0
    for j, value in enumerate(coef):
        slope = sum(problem.X[i, j] * residual[i] for i in range(40)) / 40
        if value > 0:
            worst = max(worst, abs(slope - penalty))
        elif value < 0:
            worst = max(worst, abs(slope + penalty))
        else:
            worst = max(worst, abs(slope) - penalty)
    verdict = Judge(problem).verdict(0.6, Solution(coef))
    assert verdict.violation == pytest.approx(worst / problem.largest, rel=1e-12)
    squares = sum(value**2 for value in residual) / 80
    assert verdict.objective == pytest.approx(squares + penalty * 0.7, rel=1e-12)


def test_nothing_has_happened_where_the_path_in_c_starts():
    problem = toy_cost(80)
    coef = problem.y * problem.C_start
    values = kernel_matrix(problem.X, "rbf", problem.gamma) @ coef
    # Any bias between the two classes' margins is optimal; one in the middle of them is.
    bias = 0.5 * ((1.0 - values[problem.y > 0]).min() + (-1.0 - values[problem.y < 0]).max())
    judge = Judge(problem)
    assert judge.verdict(0.0, Solution(coef, bias)).violation < 1e-12
    later = 3.0 * problem.C_start[0] / problem.C_end[0]
    assert judge.verdict(later, Solution(problem.y * problem.weights(later), bias)).violation > 1e-3


# Places, growth and words ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_breakpoints", "n_steps"), [(2, 8), (9, 8), (10, 8), (5000, 40), (60, 1)]
)
def test_places_are_stretches_along_the_whole_path(n_breakpoints, n_steps):
    places = choose_places(n_breakpoints, n_steps)
    assert np.all(np.diff(places.visited) > 0) and places.visited[0] >= 1
    assert places.visited.max() <= n_breakpoints - 1
    before = np.concatenate([[0], places.visited[:-1]])
    np.testing.assert_array_equal(places.counted, places.visited == before + 1)
    assert places.n_counted >= min(n_steps, n_breakpoints - 1)
    assert places.n_counted <= n_steps + 5
    if n_breakpoints - 1 <= n_steps:
        assert places.n_counted == places.n_steps == len(places.visited)
    elif n_steps >= 5:
        assert places.visited[-1] == n_breakpoints - 1
        # Stretches, not a lattice: with room for it no step is alone, and no part is left out.
        assert np.diff(places.visited, prepend=0).max() < 0.3 * n_breakpoints


def test_the_first_step_counts_once_and_the_others_for_all():
    places = choose_places(101, 10)
    assert scaled_up([50.0] + 9 * [1.0], places) == pytest.approx(50.0 + 99.0)
    assert scaled_up([50.0] + 3 * [1.0], places) == pytest.approx(50.0 + 33.0)
    assert scaled_up([50.0], places) == 50.0 and scaled_up([], places) == 0.0
    assert scaled_up([3.0], choose_places(2, 10)) == 3.0


def test_growth_recovers_a_power_law_from_noisy_times():
    rng = np.random.default_rng(0)
    n = np.array([100, 200, 400, 800, 1600])
    law = fit_growth(n, 3e-7 * n**2.3 * np.exp(0.02 * rng.normal(size=5)))
    assert law.exponent == pytest.approx(2.3, abs=0.05)
    assert law.seconds(1000) == pytest.approx(3e-7 * 1000**2.3, rel=0.05)
    assert law.n_sizes == 5
    assert fit_growth([100, 100], [1.0, 2.0]) is None


def test_growth_is_fitted_to_finished_runs_only():
    def entry(n, seconds, status=FINISHED):
        return Entry("weights", n, "daqp", "DAQP", "warm", status=status, path_s=seconds)

    known = [
        entry(100, 1.0),
        entry(200, 8.0),
        entry(400, 9.0, MORE_THAN),
        entry(800, None, NOT_RUN),
    ]
    law = growths(known)["weights", "daqp"]
    assert law.exponent == pytest.approx(3.0) and law.n_sizes == 2
    assert growths(known[1:]) == {}
    assert wording.exponent(law) == "n^3.0"


# The competitors ------------------------------------------------------------------------------

# The violation that each one's own stopping rule allows. LIBSVM, oneDAL and SMO: greatest gain less
# least loss at most tol = 1e-3. DAQP: constraints, which it scales, up to 1e-6. lars_path and
# qpOASES are exact but for rounding, as the path is.
ALLOWED = {
    "weightpath": 1e-11,
    "scikit-learn": 1e-3,
    "intelex": 1e-3,
    "smo": 1e-3,
    "qpoases": 1e-9,
    "daqp": 1e-5,
    "lars": 1e-11,
}
TESTED_APART = ("svmpath",)


@pytest.fixture(scope="module")
def contest():
    heard = []
    entries = all_entries(TINY, heard.append)
    assert len(heard) == len(entries) == TINY.count_runs()
    return entries


@pytest.mark.parametrize("solver", [OURS.name, *(one.name for one in RIVALS)])
def test_everybody_agrees_with_the_path(contest, solver):
    shown = [entry for entry in contest if entry.solver == solver]
    assert shown
    if solver in TESTED_APART:
        return
    for entry in shown:
        if entry.status == NOT_INSTALLED:
            pytest.skip(entry.note)
        assert entry.status == FINISHED and entry.note == ""
        assert entry.path_s > 0.0 and entry.ratio > 0.0
        assert entry.violation <= allowed_violation(entry)
        assert 0.0 <= entry.excess <= 1e-3
        assert entry.places == 1 + len(choose_places(entry.breakpoints, TINY.n_steps).visited)
    if solver == OURS.name:
        assert [entry.family for entry in shown] == [family.name for family in FAMILIES]
        assert all(entry.ratio == 1.0 and entry.excess < 1e-11 for entry in shown)


def test_scikit_learn_is_not_patched(contest):
    assert svm.SVC.__module__ == "sklearn.svm._classes"


def allowed_violation(entry) -> float:
    if entry.solver == "celer":
        # The gap, 1e-6 of y'y/(2n), bounds the error of the fit, and that the correlations'.
        problem = normal_lasso(entry.n)
        gap = 1e-6 * problem.y @ problem.y / (2 * entry.n)
        longest = np.linalg.norm(problem.X, axis=0).max()
        return longest * np.sqrt(2 * gap / entry.n) / problem.largest
    if entry.solver == "piqp":
        # The gap is a sum of products of slack and multiplier, the smaller of which is at most the
        # root of it: 1e-8 and 1e-9 of the objective.
        allowed = np.sqrt(1e-8 + 1e-9 * max(entry.objectives.values()))
    else:
        allowed = ALLOWED[entry.solver]
    if entry.family == "regression":
        return max(allowed / np.abs(diabetes_weights(entry.n).y).max(), 1e-11)
    return allowed


def test_files_have_everything(contest, tmp_path):
    text = results.write(tmp_path, TINY, contest)
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert len(rows) == len(found["results"]) == len(contest)
    assert found["machine"]["threads used"].startswith("1 ")
    for family in FAMILIES:
        assert f"## {family.title}" in text
    for row, entry in zip(rows, contest, strict=True):
        assert (row["solver"], row["family"], int(row["n"])) == (
            entry.solver,
            entry.family,
            entry.n,
        )
        assert entry.label in text
    assert "steps of rivals measured: 8 of" in text
    files = pictures.draw(tmp_path, contest)
    assert [file.name for file in files] == ["accuracy.png"]


class Stub(StepSolver):
    """Answers with zeros and takes a second of a clock of its own."""

    name = "scikit-learn"
    label = "stub"
    how = "warm"
    families = ("weights",)
    clock = 0.0
    start_seconds, trouble = 1.0, None

    def start(self, problem, cap):
        self.n = problem.n
        Stub.clock += self.start_seconds

    def move(self, theta):
        Stub.clock += 1.0
        if self.trouble is not None and theta > 0.5:
            raise self.trouble

    def solution(self):
        return Solution(np.zeros(self.n), 0.0)


@pytest.fixture
def stubbed(monkeypatch):
    """Run the contest against the stub, by its clock; return what is written of it."""

    def tick():
        Stub.clock += 1e-3
        return Stub.clock

    def play(plan=TINY, **changes):
        monkeypatch.setattr(clock, "process_time", tick)
        monkeypatch.setattr(plans, "RIVALS", (type("Changed", (Stub,), changes),))
        return all_entries(replace(plan, families=("weights",)))

    return play


def test_times_are_scaled_up_and_bad_answers_are_seen(stubbed):
    ours, entry = stubbed()
    assert entry.status == FINISHED and entry.steps == 8 < entry.breakpoints - 1
    assert entry.path_s == pytest.approx(entry.breakpoints - 1, rel=0.01)
    assert entry.ratio == pytest.approx(entry.path_s / ours.path_s)
    assert entry.violation > 0.5 and entry.excess > 0.1


def test_a_rival_over_its_time_is_stopped_and_does_not_run_again(stubbed):
    plan = replace(TINY, sizes=(80, 40), cap=5.5)
    _, entry, _, larger = stubbed(plan)
    assert entry.status == MORE_THAN and entry.n == 40
    # One second for the start and five steps, some of which are leaps that do not count.
    assert 1 <= entry.steps <= 5 and entry.places < 6
    rest = (entry.steps - 1) / 7 * (entry.breakpoints - 2)
    assert entry.path_s == pytest.approx(1.0 + rest, rel=0.01)
    assert wording.path_of(entry).startswith("more than ")
    assert wording.ratio_of(entry).startswith("more than ")
    assert "stopped after" in entry.note
    assert larger.status == NOT_RUN == wording.path_of(larger) and larger.n == 80
    assert "n = 40" in larger.note and larger.path_s is None


def test_a_rival_whose_start_takes_too_long_has_no_path(stubbed):
    _, entry = stubbed(start_seconds=100.0)
    assert entry.status == MORE_THAN and entry.path_s is entry.ratio is None
    assert wording.start_of(entry) == "more than 100 s"
    assert wording.path_of(entry) == wording.ratio_of(entry) == wording.NOTHING


def test_a_rival_may_stop_itself_or_break(stubbed):
    _, entry = stubbed(trouble=TimeIsUpError())
    assert entry.status == MORE_THAN and 1 <= entry.steps < 8
    ours, entry = stubbed(trouble=ValueError("no\nsuch thing"))
    assert entry.status == FAILED and entry.note == "failed: ValueError: no"
    assert entry.ratio is None and ours.status == FINISHED


def test_a_missing_rival_is_named_with_its_remedy(monkeypatch, tmp_path):
    monkeypatch.setattr(DaqpSteps, "module", "no_such_module_anywhere")
    plan = replace(TINY, families=("weights",), solvers=("daqp",))
    ours, entry = all_entries(plan)
    assert ours.status == FINISHED and entry.status == NOT_INSTALLED
    text = results.write(tmp_path, plan, [ours, entry])
    line = next(line for line in text.splitlines() if line.startswith("| DAQP"))
    assert line.count("not installed") == 2 and "pip install daqp" in line


def test_solvers_that_cannot_solve_a_problem_leave_it_out():
    plan = replace(TINY, solvers=("lars", "daqp"))
    asked = {
        (family.name, one.name) for family, _ in plan.problems() for one in plan.rivals(family)
    }
    assert asked == {
        ("weights", "daqp"),
        ("cost", "daqp"),
        ("regression", "daqp"),
        ("lasso", "lars"),
    }
    assert replace(plan, families=("lasso",), solvers=("daqp",)).problems() == []
