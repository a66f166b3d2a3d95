"""Truncated normal distributions against arithmetic with many digits."""

from __future__ import annotations

import numpy as np
import pytest

from weightpath.inference._truncated_normal import TruncatedNormal, log_mass

mpmath = pytest.importorskip("mpmath")


def exact_log_mass(low, high):
    with mpmath.workdps(400):
        below = [
            mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2 if np.isfinite(x) else int(x > 0)
            for x in (low, high)
        ]
        return float(mpmath.log(below[1] - below[0]))


INTERVALS = [
    (-1.0, 2.0),
    (0.0, np.inf),
    (-np.inf, -30.0),
    (20.0, 21.0),
    (-38.5, -36.0),
    (7.0, 7.0 + 1e-9),
    (-25.0, -25.0 + 1e-7),
    (36.9, np.inf),
    (-0.5e-8, 0.5e-8),
    (8.0, 8.2),
    (-3.0, 12.0),
    (-34.9, 35.1),
]


@pytest.mark.parametrize("ends", INTERVALS)
def test_masses_are_right_into_the_tails(ends):
    for low, high in (ends, (-ends[1], -ends[0])):
        expected = exact_log_mass(low, high)
        # As a logarithm an error is relative to the mass.
        assert abs(log_mass(low, high) - expected) < 1e-12 * max(1.0, abs(expected))


def test_no_length_no_mass():
    assert log_mass(1.0, 1.0) == log_mass(2.0, 1.0) == -np.inf


UNIONS = [
    [(-np.inf, np.inf)],
    [(0.5, 3.0)],
    [(-9.0, -8.0), (8.5, 9.0)],
    [(-np.inf, -2.0), (1.0, 1.5), (6.0, np.inf)],
    [(7.5, 8.5)],
    [(10.0, np.inf)],
]


def exact_below(union, point, mean, scale):
    with mpmath.workdps(400):
        sides = []
        for keep in (lambda a, b: (a, min(b, point)), lambda a, b: (max(a, point), b)):
            total = mpmath.mpf(0)
            for ends in union:
                a, b = keep(*ends)
                if b > a:
                    lower, upper = (
                        mpmath.erfc((mean - mpmath.mpf(x)) / scale / mpmath.sqrt(2)) for x in (a, b)
                    )
                    total += (upper - lower) / 2
            sides.append(total)
        return float(sides[0] / sum(sides)), float(sides[1] / sum(sides))


@pytest.mark.parametrize("union", UNIONS)
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_p_values_and_means(union, scale):
    low, high = union[-1]
    low, high = max(low, -1.0), min(high, max(low, -1.0) + 1.0)
    point = 0.3 * low + 0.7 * high
    normal = TruncatedNormal(np.array(union), point, scale)
    below, above = exact_below(union, point, 0.0, scale)
    assert abs(normal.two_sided() / (2 * min(below, above)) - 1) < 1e-10
    for probability in (0.975, 0.5, 0.025):
        mean = normal.mean_at(probability)
        found, rest = exact_below(union, point, mean, scale)
        assert abs(found - probability) < 1e-9 and abs(rest - 1 + probability) < 1e-9


def test_a_point_at_the_end_has_no_mean():
    normal = TruncatedNormal(np.array([(1.0, 2.0)]), 2.0, 1.0)
    assert normal.mean_at(0.5) == np.inf
    assert normal.two_sided() == 0.0
