"""A slow judge of planes of solutions: every region from a fresh fit inside it.

At a point of the plane the problem is fitted anew, the sets are read off the coefficients, and the
optimality conditions with these sets, which are linear in the two parameters, are solved and give
the polygon. The next points are looked for across the edges. It shares no code with the map.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import weightpath as wp

BOX = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def clip(polygon, line):
    """The part of a convex polygon where ``line @ (1, x, y) >= 0``."""
    value = line[0] + polygon @ line[1:]
    found = []
    for k in range(len(polygon)):
        j = (k + 1) % len(polygon)
        if value[k] >= 0:
            found.append(polygon[k])
        if value[k] * value[j] < 0:
            share = value[k] / (value[k] - value[j])
            found.append(polygon[k] + share * (polygon[j] - polygon[k]))
    return np.array(found).reshape(-1, 2)


def area(polygon):
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon[0]).T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


@dataclass
class JudgeRegion:
    polygon: np.ndarray
    beta: np.ndarray  # (n, 3): coefficients of 1, z1, z2
    bias: np.ndarray  # (3,)

    @property
    def area(self):
        return area(self.polygon)


class JudgeMap:
    """A plane of an SVC (weights move) or an SVR (weights and epsilon move).

    ``weight`` and ``epsilon`` are (n, 3): coefficients of 1, z1 and z2.
    """

    def __init__(self, X, y, weight, epsilon=None, gamma=0.5, bounds=((0, 1), (0, 1))):
        self.X, self.y, self.weight, self.epsilon, self.gamma = X, y, weight, epsilon, gamma
        self.bounds = bounds
        self.kernel = np.exp(-gamma * np.square(X[:, None] - X[None]).sum(axis=2))
        zero = np.zeros_like(weight)
        if epsilon is None:
            up = (y > 0)[:, None]
            self.knots = np.stack((np.where(up, zero, -weight), np.where(up, weight, zero)), axis=1)
            self.levels = zero[:, None]
        else:
            self.knots = np.stack((-weight, zero, weight), axis=1)
            self.levels = np.stack((-epsilon, epsilon), axis=1)
        low, high = np.array(bounds, float).T
        self.regions = []
        self._fill(low + (high - low) * BOX)

    def fit(self, z):
        at = np.array([1.0, *z])
        params = {"C": 1.0, "gamma": self.gamma}
        if self.epsilon is None:
            model = wp.SVC(**params)
        else:
            model = wp.SVR(epsilon=0.0, **params)
        model.fit(self.X, self.y, sample_weight=self.weight @ at)
        if self.epsilon is not None:
            model.move(epsilon=self.epsilon @ at)
        return model

    def coefficients(self, z):
        return self.fit(z).path_to(C=1.0).at(0.0)

    def _fill(self, box):
        total = area(box)
        rng = np.random.default_rng(0)
        waiting = [box.mean(axis=0)]
        covered = 0.0
        while covered < total * (1 - 1e-9):
            if not waiting:
                waiting = [box.min(axis=0) + rng.random(2) * np.ptp(box, axis=0)]
            z = waiting.pop()
            if (z <= box.min(axis=0)).any() or (z >= box.max(axis=0)).any():
                continue
            if any(self._inside(region, z) for region in self.regions):
                continue
            region = self.region_at(z, box)
            self.regions.append(region)
            covered += region.area
            for a, b in zip(region.polygon, np.roll(region.polygon, -1, axis=0), strict=True):
                edge = b - a
                length = np.hypot(*edge)
                if length > 1e-9:
                    waiting.append(0.5 * (a + b) + 1e-7 * np.array([edge[1], -edge[0]]) / length)

    @staticmethod
    def _inside(region, z):
        edge = np.roll(region.polygon, -1, axis=0) - region.polygon
        seen = z - region.polygon
        return bool((edge[:, 0] * seen[:, 1] - edge[:, 1] * seen[:, 0] >= 0).all())

    def region_at(self, z, box):
        """The region around a point in general position."""
        at = np.array([1.0, *z])
        beta = self.coefficients(z).dual_coef
        knot = self.knots @ at
        near = np.abs(knot - beta[:, None])
        at_knot = near.min(axis=1) <= 1e-9 * np.abs(knot).max()
        place = near.argmin(axis=1)
        free = np.flatnonzero(~at_knot)
        between = (knot[free] < beta[free, None]).sum(axis=1) - 1
        n = len(beta)
        moving = np.zeros((n, 3))
        fixed = np.flatnonzero(at_knot)
        moving[fixed] = self.knots[fixed, place[fixed]]
        target = np.column_stack((self.y, np.zeros((n, 2))))
        rest = target - self.kernel @ moving
        limits = []
        if free.size:
            level = self.levels[free, between]
            system = np.zeros((free.size + 1, free.size + 1))
            system[0, 1:] = system[1:, 0] = 1.0
            system[1:, 1:] = self.kernel[np.ix_(free, free)]
            right = np.vstack((-moving.sum(axis=0), rest[free] - level))
            solved = np.linalg.solve(system, right)
            bias, moving[free] = solved[0], solved[1:]
            limits += [moving[free] - self.knots[free, between]]
            limits += [self.knots[free, between + 1] - moving[free]]
        rest = target - self.kernel @ moving
        lower, upper = self._slack(rest, fixed, place[fixed])
        if not free.size:
            # The bias is the middle of its interval.
            below, above = upper[(upper @ at).argmin()], -lower[(lower @ at).argmin()]
            limits += [upper - below, lower + above]
            bias = 0.5 * (below + above)
            lower, upper = np.empty((0, 3)), np.empty((0, 3))
        limits += [lower + bias, upper - bias]
        polygon = box
        for line in np.concatenate(limits):
            polygon = clip(polygon, line)
        return JudgeRegion(polygon, moving, bias)

    def _slack(self, rest, fixed, place):
        """Linear functions with ``-lower <= bias <= upper`` for rows at knots."""
        n_levels = self.levels.shape[1]
        lower, upper = [], []
        for i, j in zip(fixed, place, strict=True):
            # At knot j the residual rest - bias lies between levels j - 1 and j.
            if j > 0:
                upper.append(rest[i] - self.levels[i, j - 1])
            if j < n_levels:
                lower.append(self.levels[i, j] - rest[i])
        return np.array(lower).reshape(-1, 3), np.array(upper).reshape(-1, 3)

    # The interface of a map ------------------------------------------------------------------

    status = "complete"

    def __len__(self):
        return len(self.regions)

    @property
    def offset(self):
        return np.append(0, np.cumsum([len(region.polygon) for region in self.regions]))

    @property
    def vertices(self):
        return np.concatenate([region.polygon for region in self.regions])

    def affine_values(self, X):
        kernel = np.exp(-self.gamma * np.square(X[:, None] - self.X[None]).sum(axis=2))
        for k, region in enumerate(self.regions):
            yield k, kernel @ region.beta + region.bias

    def decision_function(self, X, z):
        model = self.fit(z)
        return model.decision_function(X) if self.epsilon is None else model.predict(X)
