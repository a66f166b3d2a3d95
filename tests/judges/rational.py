r"""Tiny problems in exact rational arithmetic.

A *position* vector ``p`` names a basic solution. With knots and levels counted from 0, ``p_i = 2q``
means that variable ``i`` is free between knots ``q - 1`` and ``q`` (its residual equals level
``q``), and ``p_i = 2j + 1`` that it is at knot ``j``. The free ones solve a linear system; whether
the result lies on all staircases is then a matter of comparing fractions, with no tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isinf

import numpy as np

__all__ = [
    "ExactSolution",
    "RationalProblem",
    "Verdict",
    "basic_solution",
    "bias_interval",
    "certify",
    "exact",
    "failures",
    "judge_state",
    "solve_linear",
]


def exact(number):
    """Return ``number`` as a fraction; infinities stay floats.

    Strings are read as decimals; floats are taken at their exact binary value.
    """
    if isinstance(number, str | Fraction):
        return Fraction(number)
    return float(number) if isinf(number) else Fraction(number)


@dataclass(frozen=True)
class RationalProblem:
    """A kernel matrix and a staircase, all in fractions (levels may be infinite floats)."""

    K: list
    target: list
    knots: list
    levels: list
    total: Fraction = Fraction(0)
    has_bias: bool = True

    @classmethod
    def from_staircase(cls, K, staircase) -> RationalProblem:
        """Read a kernel matrix and a :class:`weightpath.problems.Staircase` exactly."""
        return cls(
            fractions_of(K),
            [exact(t) for t in staircase.target.tolist()],
            fractions_of(staircase.knots),
            fractions_of(staircase.levels),
            exact(staircase.total),
            staircase.has_bias,
        )

    @classmethod
    def hinge(cls, K, y, weight) -> RationalProblem:
        """Return the weighted hinge problem of labels ``y`` and weights ``C_i``."""
        weight = [exact(w) for w in weight]
        zero = Fraction(0)
        knots = [[zero, w] if s > 0 else [-w, zero] for s, w in zip(y, weight, strict=True)]
        levels = [[-inf, zero, inf] for _ in y]
        return cls(fractions_of(K), [exact(s) for s in y], knots, levels)

    def __len__(self) -> int:
        return len(self.target)

    def between(self, other: RationalProblem, theta) -> RationalProblem:
        """Return the problem at ``theta`` on the straight line from here to ``other``."""
        theta = exact(theta)

        def mix(a, b):
            if isinstance(a, list):
                return [mix(u, v) for u, v in zip(a, b, strict=True)]
            return a if isinf(a) else a + theta * (b - a)

        return RationalProblem(
            self.K,
            mix(self.target, other.target),
            mix(self.knots, other.knots),
            mix(self.levels, other.levels),
            mix(self.total, other.total),
            self.has_bias,
        )

    def values(self, beta) -> list:
        """Return ``K beta``."""
        used = [(j, b) for j, b in enumerate(beta) if b]
        return [sum((row[j] * b for j, b in used), Fraction(0)) for row in self.K]


@dataclass(frozen=True)
class ExactSolution:
    """Coefficients, bias, ``K beta`` and residuals, all fractions."""

    beta: list
    bias: Fraction
    values: list
    residual: list

    def floats(self) -> tuple[np.ndarray, float, np.ndarray]:
        """Return coefficients, bias and ``K beta`` rounded to floats."""
        return np.array(self.beta, float), float(self.bias), np.array(self.values, float)


def fractions_of(table) -> list:
    """Return a two-dimensional table as lists of fractions."""
    return [
        [exact(x) for x in row]
        for row in (t.tolist() if hasattr(t, "tolist") else t for t in table)
    ]


def solve_linear(matrix, right):
    """Solve ``matrix @ x = right`` for several right-hand sides by Gauss-Jordan elimination.

    Parameters
    ----------
    matrix : list of list of Fraction
        Square.
    right : list of list of Fraction
        One row for each row of ``matrix``.

    Returns
    -------
    list of list of Fraction or None
        The solutions, one row for each unknown; None if the matrix is singular.
    """
    n = len(matrix)
    work = [list(row) + list(extra) for row, extra in zip(matrix, right, strict=True)]
    for c in range(n):
        pivot = next((k for k in range(c, n) if work[k][c] != 0), None)
        if pivot is None:
            return None
        work[c], work[pivot] = work[pivot], work[c]
        lead = work[c][c]
        work[c] = [x / lead for x in work[c]]
        for k in range(n):
            factor = work[k][c]
            if k != c and factor != 0:
                work[k] = [x - factor * z for x, z in zip(work[k], work[c], strict=True)]
    return [row[n:] for row in work]


def margin_system(problem, position):
    """Return the free indices and the matrix of their system (the sum first, with a bias)."""
    free = [i for i, p in enumerate(position) if p % 2 == 0]
    matrix = [[problem.K[i][j] for j in free] for i in free]
    if problem.has_bias:
        matrix = [[Fraction(1), *row] for row in matrix]
        matrix.insert(0, [Fraction(0)] + [Fraction(1)] * len(free))
    return free, matrix


def margin_right(problem, position, free):
    """Return the coefficients at knots and the right-hand side, or None at an infinite level."""
    beta = [problem.knots[i][p // 2] if p % 2 else Fraction(0) for i, p in enumerate(position)]
    values = problem.values(beta)
    level = [problem.levels[i][position[i] // 2] for i in free]
    if any(isinf(s) for s in level):
        return None
    right = [problem.target[i] - s - values[i] for i, s in zip(free, level, strict=True)]
    if problem.has_bias:
        right.insert(0, problem.total - sum(beta))
    return beta, right


def basic_solution(problem, position):
    """Return the basic solution that ``position`` names, whether or not it is optimal.

    None if it is not determined: the system of the free variables is singular, a free variable is
    on an infinite level, or (none free) the sum cannot be met. With a bias and none free
    the bias is the middle of what the staircases leave, or the finite end.
    """
    position = [int(p) for p in position]
    free, matrix = margin_system(problem, position)
    known = margin_right(problem, position, free)
    if known is None:
        return None
    beta, right = known
    bias = Fraction(0)
    if problem.has_bias and not free:
        if right[0] != 0:
            return None
        bias = middle(*position_bias(problem, position, problem.values(beta)))
    else:
        found = solve_linear(matrix, [[r] for r in right])
        if found is None:
            return None
        found = [row[0] for row in found]
        if problem.has_bias:
            bias, *found = found
        for i, x in zip(free, found, strict=True):
            beta[i] = x
    return solution_at(problem, beta, bias)


def solution_at(problem, beta, bias) -> ExactSolution:
    """Complete coefficients and bias by function values and residuals."""
    values = problem.values(beta)
    residual = [t - f - bias for t, f in zip(problem.target, values, strict=True)]
    return ExactSolution(list(beta), bias, values, residual)


def position_bias(problem, position, values):
    """Return the interval of biases for which all (knot) members keep their levels."""
    gap = [t - f for t, f in zip(problem.target, values, strict=True)]
    low = max(g - s[p // 2 + 1] for g, s, p in zip(gap, problem.levels, position, strict=True))
    high = min(g - s[p // 2] for g, s, p in zip(gap, problem.levels, position, strict=True))
    return low, high


def middle(low, high) -> Fraction:
    """Return the middle of an interval, or its finite end, or 0."""
    ends = [Fraction(x) for x in (low, high) if not isinf(x)]
    return sum(ends, Fraction(0)) / max(len(ends), 1)


def residual_range(problem, i, beta_i):
    """Return the interval of residuals that ``beta_i`` allows; empty outside the box."""
    below = sum(k < beta_i for k in problem.knots[i])
    above = sum(k <= beta_i for k in problem.knots[i])
    low, high = problem.levels[i][below], problem.levels[i][above]
    if low == inf or high == -inf:
        return inf, -inf
    return low, high


def bias_interval(problem, beta):
    """Return the interval of optimal biases, given any optimal ``beta`` (empty: not optimal)."""
    values = problem.values(beta)
    low, high = -inf, inf
    for i, b in enumerate(beta):
        bottom, top = residual_range(problem, i, b)
        gap = problem.target[i] - values[i]
        low, high = max(low, gap - top), min(high, gap - bottom)
    return low, high


def failures(problem, beta, bias=Fraction(0)) -> list[str]:
    """Return every optimality condition that ``(beta, bias)`` breaks, as sentences."""
    solution = solution_at(problem, [exact(b) for b in beta], exact(bias))
    found = []
    if problem.has_bias and sum(solution.beta) != problem.total:
        found.append(f"sum(beta) = {sum(solution.beta)}, not {problem.total}")
    for i, (b, r) in enumerate(zip(solution.beta, solution.residual, strict=True)):
        low, high = residual_range(problem, i, b)
        if not low <= r <= high:
            found.append(f"index {i}: beta = {b} asks for r in [{low}, {high}], but r = {r}")
    return found


def certify(problem, position):
    """Return the basic solution of ``position`` if it exists, fits it and is optimal, else None."""
    solution = basic_solution(problem, position)
    if solution is None or not fits(problem, position, solution):
        return None
    return None if failures(problem, solution.beta, solution.bias) else solution


def fits(problem, position, solution) -> bool:
    """Return whether every pair of coefficient and residual is where its position says."""
    for i, p in enumerate(int(p) for p in position):
        knots, levels = problem.knots[i], problem.levels[i]
        if p % 2:
            inside = levels[p // 2] <= solution.residual[i] <= levels[p // 2 + 1]
        else:
            left = knots[p // 2 - 1] if p else -inf
            right = knots[p // 2] if p // 2 < len(knots) else inf
            inside = left <= solution.beta[i] <= right
        if not inside:
            return False
    return True


@dataclass(frozen=True)
class Verdict:
    """The judgement of a solver's state.

    Attributes
    ----------
    certified : bool
        Whether the positions, solved exactly, are optimal.
    value_error : float
        Largest error of ``K beta`` against the exact solution; ``inf`` if not certified.
    bias_error : float
        Distance of the bias from the interval of optimal biases; ``inf`` if not certified.
    """

    certified: bool
    value_error: float
    bias_error: float


def judge_state(problem, position, beta, bias=0.0) -> Verdict:
    """Judge the positions, coefficients and bias (floats) that a solver reports."""
    solution = certify(problem, position)
    if solution is None:
        return Verdict(False, inf, inf)
    given = problem.values([exact(float(b)) for b in beta])
    error = max(abs(a - b) for a, b in zip(given, solution.values, strict=True))
    if not problem.has_bias:
        return Verdict(True, float(error), 0.0)
    low, high = bias_interval(problem, solution.beta)
    bias = exact(float(bias))
    return Verdict(True, float(error), float(max(low - bias, bias - high, 0)))
