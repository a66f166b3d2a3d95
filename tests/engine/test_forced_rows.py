"""Rows whose knots are all at one number other than zero: their coefficient is given."""

from __future__ import annotations

import numpy as np
import pytest

from weightpath.engine import Options, solve
from weightpath.engine.start import begin
from weightpath.kernels import StoredColumns
from weightpath.problems import Staircase, pinball_staircase


@pytest.mark.parametrize("size", [1.0, 1e9])
def test_a_start_at_zero_is_not_tried_for_ever(size):
    # The knots do not allow for zero, so that the start nearest to it may be a poor one, too.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2))
    plain = pinball_staircase(rng.normal(size=8), np.full(8, size), np.full(8, 0.5))
    knots = plain.knots.copy()
    knots[-1] = 0.3 * size
    stair = Staircase(plain.target, knots, plain.levels, plain.total, plain.has_bias)
    columns, start = StoredColumns(X @ X.T), np.full(8, 0.4 * size)
    loop = begin(columns, stair, start, 0.0, Options(), np.random.default_rng(0))
    loop.close()
    found = solve(columns, stair, start, 0.0, Options())
    assert found.beta[-1] == 0.3 * size
    assert abs(found.beta.sum()) <= 1e-9 * size
