"""Paths for the tests of this folder: a plain, slow follower for problems without ties.

It shares nothing with the engine but the form of its answer. Dense matrices, a fresh linear system
at every event, no tolerances worth the name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading, SolutionPath
from weightpath.problems import Staircase, hinge_staircase
from weightpath.record.record import LOOSE, RESTS, UNIQUE, Record

TINY = 1e-12


@dataclass
class State:
    beta: np.ndarray
    bias: float
    position: np.ndarray


class Follower:
    """Follows the solution from ``start`` to ``end`` and writes the record."""

    def __init__(self, K, start: Staircase, end: Staircase, state: State):
        self.K, self.start, self.end = K, start, end
        self.theta = 0.0
        self.beta, self.bias = state.beta.copy(), state.bias
        self.position = state.position.copy()
        self.velocity = end.knots - start.knots
        self.target_velocity = end.target - start.target
        self.rows = np.arange(len(start))
        # Without "rest": it follows from theta.
        self.lists = {name: [] for name in Record.names() if name != "rest"}
        self.lists["initial_position"] = state.position.copy()
        self.lists["offset"] = [0]
        self.last = (-1, 0)

    def run(self) -> tuple[Record, State]:
        for _ in range(100 * len(self.start)):
            margin = np.flatnonzero(self.position % 2 == 0)
            if margin.size == 0:
                self.let_bias_enter()
                continue
            speed, bias_speed = self.direction(margin)
            step, row, to = self.next_event(margin, speed, bias_speed)
            self.advance(margin, speed, bias_speed, step)
            if row < 0:
                return self.finish()
            self.change(row, to)
        raise AssertionError("the follower does not end")

    def knot_speed(self) -> np.ndarray:
        knot = np.clip((self.position - 1) // 2, 0, self.velocity.shape[1] - 1)
        return np.where(self.position % 2 == 1, self.velocity[self.rows, knot], 0.0)

    def residual(self) -> np.ndarray:
        target = self.start.between(self.end, self.theta).target
        return target - self.K @ self.beta - self.bias

    def let_bias_enter(self) -> None:
        need = self.end.total - self.start.total - self.knot_speed().sum()
        levels = self.start.between(self.end, self.theta).levels
        residual = self.residual()
        up = levels[self.rows, (self.position + 1) // 2] - residual
        down = residual - levels[self.rows, self.position // 2]
        rising = need > TINY or (abs(need) <= TINY and up.min() <= down.min())
        room = up if rising else down
        row = int(room.argmin())
        assert np.isfinite(room[row]), "infeasible"
        self.bias += -room[row] if rising else room[row]
        self.change(row, int(self.position[row]) + (1 if rising else -1))

    def direction(self, margin):
        speed = self.knot_speed()
        m = margin.size
        system = np.ones((m + 1, m + 1))
        system[0, 0] = 0.0
        system[1:, 1:] = self.K[np.ix_(margin, margin)]
        level = self.position[margin] // 2
        level_speed = self.end.levels[margin, level] - self.start.levels[margin, level]
        right = np.empty(m + 1)
        right[0] = self.end.total - self.start.total - speed.sum()
        right[1:] = self.target_velocity[margin] - level_speed - (self.K @ speed)[margin]
        answer = np.linalg.solve(system, right)
        speed[margin] = answer[1:]
        return speed, answer[0]

    def next_event(self, margin, speed, bias_speed):
        here = self.start.between(self.end, self.theta)
        residual = self.residual()
        residual_speed = self.target_velocity - self.K @ speed - bias_speed
        best = (1.0 - self.theta, -1, 0)
        for row in range(len(here)):
            p = int(self.position[row])
            for to in (p - 1, p + 1):
                if row in margin:
                    gap = here.knots[row, (to - 1) // 2] - self.beta[row]
                    rate = speed[row] - self.velocity[row, (to - 1) // 2]
                else:
                    gap = here.levels[row, to // 2] - residual[row]
                    rate = residual_speed[row]
                direction = to - p
                if not np.isfinite(gap) or direction * rate <= TINY:
                    continue
                step = max(direction * gap, 0.0) / (direction * rate)
                if step < TINY and self.last == (row, to):
                    continue
                if step < best[0]:
                    best = (step, row, to)
        return best

    def advance(self, margin, speed, bias_speed, step) -> None:
        theta = 1.0 if self.theta + step >= 1.0 else self.theta + step
        if theta > self.theta:
            out = self.lists
            out["theta"].append(self.theta)
            out["bias"].append(self.bias)
            out["bias_slope"].append(bias_speed)
            out["member"] += list(margin)
            out["value"] += list(self.beta[margin])
            out["slope"] += list(speed[margin])
            out["offset"].append(len(out["member"]))
            out["freedom"].append(self.freedom(margin, speed))
            out["event_count"].append(len(out["event_index"]))
            self.last = (-1, 0)
        self.beta = self.beta + (theta - self.theta) * speed
        self.bias += (theta - self.theta) * bias_speed
        self.theta = theta

    def freedom(self, margin, speed) -> int:
        """Whether the bias is free: on the step ahead, only where it begins, or not at all."""
        knots = self.start.between(self.end, self.theta).knots[margin]
        off = np.abs(knots - self.beta[margin, None])
        nearest = off.argmin(axis=1)
        drift = np.abs(speed[margin] - self.velocity[margin, nearest])
        if (off.min(axis=1) > TINY).any():
            return UNIQUE
        return RESTS if (drift <= TINY).all() else LOOSE

    def change(self, row: int, to: int) -> None:
        steps = [to]
        if to % 2 == 0 and np.ptp(self.velocity[row]) == 0 == np.ptp(self.start.knots[row]):
            steps.append(to + (to - int(self.position[row])))  # no weight: straight on
        for p in steps:
            self.lists["event_theta"].append(self.theta)
            self.lists["event_index"].append(row)
            self.lists["event_from"].append(self.position[row])
            self.lists["event_to"].append(p)
            self.last = (row, int(self.position[row]))
            self.position[row] = p
        if self.position[row] % 2 == 1:
            knots = self.start.between(self.end, self.theta).knots
            self.beta[row] = knots[row, (self.position[row] - 1) // 2]

    def finish(self) -> tuple[Record, State]:
        self.lists["theta"].append(1.0)
        margin = np.flatnonzero(self.position % 2 == 0)
        self.lists["freedom"].append(LOOSE if self.freedom(margin, self.knot_speed()) else UNIQUE)
        record = Record.from_arrays(self.lists)
        record.validate()
        return record, State(self.beta, self.bias, self.position)


def nothing(sign) -> State:
    """The solution without any weight: every row inside, as every residual has its label's sign."""
    return State(np.zeros(sign.size), 0.0, np.where(sign > 0, 3, 1))


def trace(K, sign, *weightings):
    """Follow hinge problems from no weight to the first weighting, on to the second, and so on.

    Returns the legs: (start, end, record, state at the end) each.
    """
    state, start = nothing(sign), hinge_staircase(sign, 0.0 * weightings[0])
    legs = []
    for weight in weightings:
        end = hinge_staircase(sign, weight)
        record, state = Follower(K, start, end, state).run()
        legs.append((start, end, record, state))
        start = end
    return legs


def random_problem(seed=0, n=14, balanced=False):
    """Return X, labels and two weightings without ties (balanced: equal sums, so a free bias)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X[:, 0] += 0.5 * sign
    weights = rng.uniform(0.5, 10.0, size=(2, n))
    if balanced:
        for side in (1.0, -1.0):
            weights[:, sign == side] /= weights[:, sign == side].sum(axis=1, keepdims=True) / n
    return X, sign, weights[0], weights[1]


def random_part(seed=0, n=14, kernel=None, rows=None, X=None):
    """Return a part with a path between two random weightings."""
    kernel = Kernel("rbf", gamma=0.7) if kernel is None else kernel
    points, sign, w0, w1 = random_problem(seed, n)
    K = Kernel("rbf", gamma=0.7).between(points, points)
    start, end, record, _ = trace(K, sign, w0, w1)[1]
    if X is None:
        X = K if kernel.name == "precomputed" else points
    return PathPart(kernel, X, rows, start, end, record, Reading("svc", sign))


def random_path(seed=0, n=14, kernel=None, **options) -> SolutionPath:
    part = random_part(seed, n, kernel)
    return SolutionPath([part], part.X, part.kernel, classes=np.array([0, 1]), **options)


def several_parts():
    """Two parts on one training set: rows 0 to 11, and 12 to 23."""
    X = np.vstack([random_part(seed, 12).X for seed in (1, 2)])
    parts = []
    for seed, rows in ((1, np.arange(12)), (2, np.arange(12, 24))):
        part = random_part(seed, 12)
        parts.append(replace(part, X=X, rows=rows))
    pairs = [(0, 1), (0, 2)]
    return SolutionPath(parts, X, parts[0].kernel, classes=np.arange(3), pairs=pairs)


def two_points(start_weight, end_weight, distance=1.0):
    """Two points of either class on a line: everything is known in closed form.

    With weights ``(C, C)`` and squared distance ``D`` of the points the coefficients are
    ``min(C, 2 / D)`` in size: at the bound (both inside) below ``2 / D``, constant above.
    """
    X = np.array([[distance / 2], [-distance / 2]])
    sign = np.array([1.0, -1.0])
    K = X @ X.T
    start, end = (hinge_staircase(sign, np.full(2, w)) for w in (start_weight, end_weight))
    return X, sign, K, start, end
