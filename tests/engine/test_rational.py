"""Tiny integer problems of every kind against exact rational arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from engine.walks import walk
from judges.cases import CASES
from judges.enumeration import exact_path
from judges.rational import RationalProblem, certify, judge_state
from judges.tiny import KINDS, tiny_problem

SEEDS_OF_A_KIND = 30
SEEDS_OF_CLASSIFICATION = 20
# These are in the ordinary run, the others in the second stage.
SEEDS_AT_FIRST = 8

# The numbers are small integers: only rounding separates the engine from the exact values.
EXACT = 1e-10
# Segments shorter than this may be rounding between events that happen together.
SHORT = 1e-9


def classification(name, seed):
    case = CASES[name](seed)
    return case.K, case.staircases()


def problems():
    """Yield problem makers, each with its argument and a seed."""
    seeds = dict.fromkeys(KINDS, (tiny_problem, SEEDS_OF_A_KIND))
    seeds |= dict.fromkeys(("tiny-linear", "tiny-poly"), (classification, SEEDS_OF_CLASSIFICATION))
    for name, (make, n_seeds) in seeds.items():
        for seed in range(n_seeds):
            marks = () if seed < SEEDS_AT_FIRST else pytest.mark.second_stage
            yield pytest.param(make, name, seed, id=f"{name}-{seed}", marks=marks)


def bends(leg):
    """Return where the slope of ``K beta`` changes along a leg (and 0 and 1)."""
    record = leg.trace.record
    theta = record.theta
    values = [leg.values(t) for t in theta]
    slopes = [
        (b - a) / (right - left)
        for a, b, left, right in zip(values[:-1], values[1:], theta[:-1], theta[1:], strict=True)
    ]
    long = np.flatnonzero(np.diff(theta) > SHORT)
    size = max(np.abs(slopes[s]).max() for s in long)
    changed = [
        theta[s]
        for before, s in pairwise(long)
        if np.abs(slopes[s] - slopes[before]).max() > 1e-6 * max(size, 1.0)
    ]
    return [0.0, *changed, 1.0]


def check_positions(leg, ends):
    """On every segment the positions, solved in fractions, are optimal in the middle."""
    record = leg.trace.record
    for left, right in zip(record.theta[:-1], record.theta[1:], strict=True):
        if right - left > SHORT:
            theta = 0.5 * (left + right)
            problem = ends[0].between(ends[1], Fraction(float(theta)))
            solution = certify(problem, leg.part.position(theta))
            assert solution is not None, f"the positions at theta = {theta} are not optimal"
            error = np.abs(leg.values(theta) - solution.floats()[2]).max()
            assert error <= EXACT * max(leg.scale, 1.0)


@pytest.mark.parametrize(("make", "name", "seed"), list(problems()))
def test_path_is_the_exact_one(make, name, seed):
    K, visited = make(name, seed)
    exact_problems = [RationalProblem.from_staircase(K, stair) for stair in visited]
    for k, leg in enumerate(walk(K, visited)):
        ends = exact_problems[k : k + 2]
        exact = exact_path(*ends)
        theta = [float(t) for t in exact.theta]
        assert bends(leg) == pytest.approx(theta, abs=1e-9)
        for t, values in zip(exact.theta, exact.values, strict=True):
            assert leg.values(float(t)) == pytest.approx(
                np.array(values, float), abs=EXACT * max(leg.scale, 1.0)
            )
        check_positions(leg, ends)
        for problem, state in zip(ends, (leg.before, leg.trace.state), strict=True):
            verdict = judge_state(problem, state.position, state.beta, state.bias)
            assert verdict.certified
            assert max(verdict.value_error, verdict.bias_error) <= EXACT * max(leg.scale, 1.0)
