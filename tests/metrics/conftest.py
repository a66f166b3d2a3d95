"""Piecewise linear paths written down by hand, and brute force to judge their curves."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest


class HandmadePart(NamedTuple):
    theta: np.ndarray
    left: np.ndarray
    slope: np.ndarray
    reading: SimpleNamespace


class HandmadePath:
    """What curves need of a path: breakpoints, classes, linear and isolated decision values.

    Parameters
    ----------
    parts : list of (theta (S + 1,), left (S, n), slope (S, n))
        Every decision function on its own segments.
    classes : sequence or None
    pairs : list of (int, int) or None
    block : int
        Segments per block.
    kind : str
        What the problem is.
    params : dict or None
        What the path tells of its model.
    isolated : dict
        Isolated theta with the decision values there, of shape (n_rows, n_parts).
    """

    def __init__(
        self,
        parts,
        classes=(-1, 1),
        pairs=None,
        block=3,
        kind="svc",
        params=None,
        isolated=None,
    ):
        self.isolated = isolated or {}
        self.isolated_theta = np.array(sorted(self.isolated))
        reading = SimpleNamespace(kind=kind)
        self.parts = [HandmadePart(*part, reading) for part in parts]
        self.params = params or {}
        self.classes = None if classes is None else np.asarray(classes)
        self.pairs = pairs
        self.block = block
        self.theta = np.unique(np.concatenate([part.theta for part in self.parts]))

    def iter_segments(self, X, block_mb=64, part=0):
        theta, left, slope, _ = self.parts[part]
        for first in range(0, len(left), self.block):
            rows = slice(first, first + self.block)
            yield theta[:-1][rows], theta[1:][rows], left[rows], slope[rows]

    def subproblem_values(self, X, theta):
        """Values at an isolated theta; a row of X is its own index."""
        values = self.isolated[theta][np.asarray(X)[:, 0].astype(int)]
        return values if self.pairs is not None else values[:, 0]

    def decisions(self, theta, part=0):
        breaks, left, slope, _ = self.parts[part]
        s = min(np.searchsorted(breaks, theta, side="right") - 1, len(left) - 1)
        return left[s] + slope[s] * (theta - breaks[s]), slope[s]

    def sharp(self, theta, level=0.0):
        """Whether no decision value is about to cross the level (or minus it) at theta."""
        for p in range(len(self.parts)):
            value, slope = self.decisions(theta, p)
            near = (np.abs(np.abs(value) - level) < 1e-11) & (slope != 0)
            if near.any():
                return False
        return True

    def labels(self, theta):
        if self.pairs is None:
            return self.classes[(self.decisions(theta)[0] > 0).astype(int)]
        votes = np.zeros((self.parts[0][1].shape[1], len(self.classes)))
        for p, (i, j) in enumerate(self.pairs):
            positive = self.decisions(theta, p)[0] > 0
            votes[:, i] += positive
            votes[:, j] += ~positive
        return self.classes[votes.argmax(axis=1)]


def random_part(rng, n_rows, n_segments, integers=True, jump=0.3):
    """Segments of random functions: integers touch zero, stay at zero and repeat themselves."""
    cuts = rng.choice(np.arange(1, 4096), n_segments - 1, replace=False)
    theta = np.concatenate(([0.0], np.sort(cuts) / 4096, [1.0]))

    def draw():
        shape = (n_segments, n_rows)
        return rng.integers(-2, 3, shape).astype(float) if integers else rng.normal(size=shape)

    left, right = draw(), draw()
    joined = rng.random((n_segments - 1, n_rows)) > jump
    left[1:][joined] = right[:-1][joined]
    flat = rng.random((n_segments, n_rows)) < 0.2
    right[flat] = left[flat]
    return theta, left, (right - left) / np.diff(theta)[:, None]


def places(curve, path, rng, n_random=200):
    """Random theta, a grid, both sides of every edge and breakpoint, and all middles."""
    marks = np.concatenate((curve.edges, path.theta))
    middles = 0.5 * (curve.edges[1:] + curve.edges[:-1])
    theta = np.concatenate(
        (rng.random(n_random), np.linspace(0, 1, 101), marks, marks - 1e-8, marks + 1e-8, middles)
    )
    return theta[(theta >= 0) & (theta <= 1)]


class Handmade:
    """The tools above, for tests."""

    path = HandmadePath
    random_part = staticmethod(random_part)
    places = staticmethod(places)


@pytest.fixture(scope="session")
def handmade():
    return Handmade
