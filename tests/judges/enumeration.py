"""The whole path of a tiny problem, exactly, by trying every position vector.

Along a straight line of problems the basic solution of a position vector moves linearly in theta,
and the conditions that keep it optimal are linear inequalities in theta: each position vector is
right on one interval. The intervals of all vectors cover the path, and where the law of ``K beta``
(which is unique) differs from one interval to the next, the path has a breakpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isinf

from judges.rational import (
    certify,
    exact,
    margin_right,
    margin_system,
    solve_linear,
)

__all__ = ["ExactPath", "exact_path", "positions", "solve"]


def positions(problem):
    """Return all position vectors that do not put a variable on an infinite level."""
    choices = []
    for levels in problem.levels:
        first = 1 if isinf(levels[0]) else 0
        last = 2 * len(levels) - 2 - (1 if isinf(levels[-1]) else 0)
        choices.append(range(first, last + 1))
    return product(*choices)


def solve(problem):
    """Return an exact solution by enumeration; ``ValueError`` if there is none."""
    for position in positions(problem):
        solution = certify(problem, position)
        if solution is not None:
            return solution
    raise ValueError("No position vector is optimal: the problem has no solution.")


@dataclass(frozen=True)
class ExactPath:
    """The piecewise linear law of ``K beta`` on the way from one problem to another.

    Attributes
    ----------
    theta : list of Fraction
        0, every place where the slope of ``K beta`` changes, 1.
    values : list of list of Fraction
        ``K beta`` at each of ``theta``.
    """

    theta: list
    values: list

    def at(self, theta) -> list:
        """Return ``K beta`` at ``theta``."""
        theta = exact(theta)
        s = max(k for k in range(len(self.theta) - 1) if self.theta[k] <= theta)
        left, right = self.theta[s], self.theta[s + 1]
        u = (theta - left) / (right - left)
        pairs = zip(self.values[s], self.values[s + 1], strict=True)
        return [a + u * (b - a) for a, b in pairs]


def exact_path(start, end) -> ExactPath:
    """Return the exact path of function values between two rational problems.

    Raises
    ------
    ValueError
        If some part of the path has no solution.
    """
    pieces = []
    for position in positions(start):
        piece = valid_piece(start, end, position)
        if piece is not None:
            pieces.append(piece)
    theta, laws = [Fraction(0)], []
    while theta[-1] < 1:
        covering = [p for p in pieces if p[0] <= theta[-1] < p[1]]
        if not covering:
            raise ValueError(f"No position vector is optimal just after theta = {theta[-1]}.")
        _, reach, law = max(covering, key=lambda p: p[1])
        if laws and laws[-1] == law:
            theta[-1] = reach
        else:
            theta.append(reach)
            laws.append(law)
    values = [[a for a, _ in laws[0]]]
    for t, law in zip(theta[1:], laws, strict=True):
        values.append([a + t * (b - a) for a, b in law])
    return ExactPath(theta, values)


def valid_piece(start, end, position):
    """Return ``(left, right, law)`` where ``position`` is optimal on an interval, else None.

    The law is a list of pairs: ``K beta`` continued to theta = 0 and to theta = 1.
    """
    ends = affine_solution(start, end, position)
    if ends is None:
        return None
    (beta0, bias0), (beta1, bias1) = ends
    values0, values1 = start.values(beta0), end.values(beta1)
    slack = []
    at_gap = []
    for i, p in enumerate(position):
        gap0 = start.target[i] - values0[i] - bias0
        gap1 = end.target[i] - values1[i] - bias1
        if p % 2 == 0:
            left, right = p // 2 - 1, p // 2
            if left >= 0:
                slack.append((beta0[i] - start.knots[i][left], beta1[i] - end.knots[i][left]))
            if right < len(start.knots[i]):
                slack.append((start.knots[i][right] - beta0[i], end.knots[i][right] - beta1[i]))
            continue
        for q, sign in ((p // 2, 1), (p // 2 + 1, -1)):
            if not isinf(start.levels[i][q]):
                ends = (gap0 - start.levels[i][q], gap1 - end.levels[i][q])
                at_gap.append((sign, *ends))
    if start.has_bias and all(p % 2 for p in position):
        slack += bias_room(at_gap)
    else:
        slack += [(sign * a, sign * b) for sign, a, b in at_gap]
    left, right = where_nonnegative(slack)
    if left >= right:
        return None
    return left, right, list(zip(values0, values1, strict=True))


def affine_solution(start, end, position):
    """Return (beta, bias) of the basic solution continued to theta = 0 and to theta = 1."""
    free, matrix = margin_system(start, position)
    known = [margin_right(problem, position, free) for problem in (start, end)]
    if None in known:
        return None
    (beta0, right0), (beta1, right1) = known
    bias = [Fraction(0), Fraction(0)]
    if start.has_bias and not free:
        return None if right0[0] or right1[0] else ((beta0, bias[0]), (beta1, bias[1]))
    found = solve_linear(matrix, list(zip(right0, right1, strict=True)))
    if found is None:
        return None
    if start.has_bias:
        bias, *found = found
    for i, (x0, x1) in zip(free, found, strict=True):
        beta0[i], beta1[i] = x0, x1
    return (beta0, bias[0]), (beta1, bias[1])


def bias_room(at_gap):
    """Return the slacks that leave a bias to choose: every upper end above every lower end.

    ``(1, a, b)`` says that the bias is at most ``a`` (at 0) and ``b`` (at 1); ``-1`` at least.
    """
    upper = [(a, b) for sign, a, b in at_gap if sign > 0]
    lower = [(a, b) for sign, a, b in at_gap if sign < 0]
    return [(u[0] - v[0], u[1] - v[1]) for u in upper for v in lower]


def where_nonnegative(slack):
    """Return the part of [0, 1] where all linear functions, given at 0 and 1, are at least 0."""
    left, right = Fraction(0), Fraction(1)
    for a, b in slack:
        if a < 0 and b < 0:
            return Fraction(1), Fraction(0)
        if a < 0:
            left = max(left, a / (a - b))
        elif b < 0:
            right = min(right, a / (a - b))
    return left, right
