"""One saved problem per past bug."""

from pathlib import Path

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
