"""Linear program machines on generated problems: whole paths certified, and judged by HiGHS."""

from __future__ import annotations

import numpy as np
import pytest

from estimators.l1_samples import highs, sample

ORDINARY, SLOW, CHUNK = 60, 500, 20

# Objectives are equal to this, relative; or, where they nearly vanish, relative to what no
# coefficients would cost (HiGHS' own tolerances are absolute).
EQUAL, NEARLY_NOTHING = 1e-9, 1e-10


def examine(seed: int) -> None:
    """Check a whole path, and three random theta on it against HiGHS."""
    name, model, columns, destination = sample(seed)
    assert model.kkt_violation() < 1e-9, name
    path = model.path_to(**destination)
    assert path.status == "complete", name
    floor = max(path.rounding_floor(theta) for theta in (0.0, 0.5, 1.0))
    assert path.kkt_violation() < max(1e-9, floor), name
    random = np.random.default_rng(seed)
    (part,) = path.parts
    for theta in (*random.random(2), random.choice(path.theta)):
        found = path.at(float(theta)).objective
        stair = part.program(float(theta)).stair
        nothing = stair.loss(stair.target - np.median(stair.target)).sum()
        allowed = EQUAL * found + NEARLY_NOTHING * nothing * (found < 1e-3 * nothing)
        assert found == pytest.approx(highs(columns, stair), rel=0, abs=allowed), (name, theta)


@pytest.mark.parametrize("first", range(0, ORDINARY, CHUNK))
def test_paths_are_exact(first):
    for seed in range(first, first + CHUNK):
        examine(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(ORDINARY, ORDINARY + SLOW, CHUNK))
def test_five_hundred_paths_are_exact(first):
    for seed in range(first, first + CHUNK):
        examine(seed)
