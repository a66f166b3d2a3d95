"""Comparisons of straight lines, unions and ranks, against looking at many points."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from weightpath.conformal.comparisons import Line, kept_on
from weightpath.conformal.ranks import n_rejected
from weightpath.conformal.unions import united


def line_of(rng):
    """Return lines with whole numbers (and so with ties) or without, perhaps on to infinity."""
    size, n = int(rng.integers(1, 5)), int(rng.integers(1, 8))
    whole = rng.random() < 0.5
    values = rng.integers(-3, 4, (size + 1, n + 1)) if whole else rng.normal(size=(size + 1, n + 1))
    sign = 1 if rng.random() < 0.5 else -1
    target = sign * np.cumsum(rng.uniform(0.1, 1, size + 1))
    ray = sign * int(rng.integers(0, 2))
    return Line(target, values[:, 1:] * 1.0, values[:, 0] * 1.0, ray)


@pytest.mark.parametrize("seed", range(60))
def test_kept_on_lines(seed):
    rng = np.random.default_rng(seed)
    line = line_of(rng)
    needed = int(rng.integers(1, line.others.shape[1] + 1))
    kept = united([kept_on(line, needed, 1e-12)], 1e-12)
    both = np.column_stack([line.own, line.others])
    for piece in range(len(line.target) - 1):
        for part in rng.uniform(0, 1, 40):
            target, step = line.target[piece], part * (both[piece + 1] - both[piece])
            if line.ray and piece == len(line.target) - 2:
                far = part / (1 - part)
                target, step = target + line.ray * far, far * both[piece + 1]
            else:
                target += part * (line.target[piece + 1] - target)
            own, *others = np.abs(both[piece] + step)
            expected = np.sum(np.array(others) >= own - 1e-11 * (1 + own)) >= needed
            assert ((kept[:, 0] <= target) & (target <= kept[:, 1])).any() == expected


def test_points_are_kept():
    # Two lines that are as large as the third at one point only.
    line = Line(np.array([0.0, 2.0]), np.array([[-1.0, 1.0], [3.0, -3.0]]), np.array([2.0, 2.0]))
    np.testing.assert_allclose(kept_on(line, 1, 1e-12), [[1.5, 2.0]])
    line = Line(
        np.array([0.0, 1.0, 2.0]), np.array([[0.0], [1.0], [0.0]]), np.array([1.0, 1.0, 1.0])
    )
    np.testing.assert_allclose(united([kept_on(line, 1, 1e-12)], 1e-12), [[1.0, 1.0]])


def test_unions():
    pieces = [np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([[0.5, 2.0], [2.0 + 1e-13, 2.5]])]
    np.testing.assert_allclose(united(pieces, 1e-12), [[0.0, 2.5], [3.0, 4.0]])
    assert united([np.array([[1.0, 0.0]])], 1e-12).shape == (0, 2)


def test_ranks_are_those_of_decimals():
    for percent in range(1, 100):
        for n in (1, 9, 19, 49, 98, 99, 199, 442, 999, 9999):
            exact = Fraction(percent, 100) * (n + 1)
            assert n_rejected(percent / 100, n) == exact.numerator // exact.denominator
