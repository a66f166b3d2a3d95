"""One saved problem per past bug."""

from pathlib import Path

import numpy as np
import pytest

from engine.saved import zero_weight_rows
from engine.walks import Leg, columns_of, target_scale
from judges.optimality import violation
from weightpath.engine import COMPLETE, follow, load_problem, solve


@pytest.mark.parametrize("name", zero_weight_rows.PROBLEMS)
def test_row_of_weight_zero_is_no_anchor(name):
    K, stair, beta, bias = zero_weight_rows.PROBLEMS[name]()
    state = solve(columns_of(K), stair, beta, bias)
    assert violation(K, stair, state.beta, state.bias).worst <= 1e-12 * target_scale(stair)


def test_exchanges_that_came_back_to_where_they_were():
    """On a lattice with all weights tied, exchanges of finite length went round in a circle."""
    saved = load_problem(Path(__file__).parent / "saved" / "cycling_exchanges.npz")
    before = solve(saved.columns, saved.start, saved.beta, saved.bias)
    leg = Leg(
        saved.kernel_matrix,
        saved.start,
        saved.end,
        before,
        follow(saved.columns, saved.start, saved.end, before),
    )
    assert leg.trace.status == COMPLETE
    assert leg.trace.record.n_events < 2000
    assert leg.worst_violation() <= 1e-8


@pytest.mark.parametrize(
    "name", ["many_null_moves", "repaired_at_one_place", "row_of_zeros", "thin_simplex"]
)
def test_what_is_beyond_double_precision_has_an_answer(name):
    """Tiny targets beside huge bounds: rounding is larger than the targets, and was refused."""
    saved = load_problem(Path(__file__).parent / "saved" / f"{name}.npz")
    state = solve(saved.columns, saved.end, saved.beta, saved.bias)
    K = saved.kernel_matrix
    sizes = np.abs(K) @ np.abs(state.beta) + abs(state.bias)
    floor = 64.0 * np.finfo(float).eps * sizes.max()
    assert floor > 1e-7 * target_scale(saved.end)
    assert violation(K, saved.end, state.beta, state.bias).worst <= 64.0 * floor
