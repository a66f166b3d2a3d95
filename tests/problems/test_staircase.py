"""Staircases: penalties and losses are conjugate, the gap is a sum of non-negative terms."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath.problems import Staircase, hinge_sets, hinge_staircase
from weightpath.problems.kind import INSIDE, MARGIN, OUTSIDE

INF = np.inf

SHAPES = {
    "hinge": ([0.0, 2.0], [-INF, 0.0, INF]),
    "negative hinge": ([-2.0, 0.0], [-INF, 0.0, INF]),
    "insensitive": ([-2.0, 0.0, 2.0], [-INF, -0.5, 0.5, INF]),
    "pinball": ([-0.5, 1.5], [-INF, 0.0, INF]),
    "lasso": ([0.0], [-1.5, 1.5]),
    "no weight": ([0.0, 0.0], [-INF, 0.0, INF]),
    "one sided": ([0.0, 1.0], [-INF, -1.0, 2.0]),
}


def one(name, target=0.0, **options):
    """Return a staircase problem with one variable."""
    knots, levels = SHAPES[name]
    return Staircase(np.array([target]), np.array([knots]), np.array([levels]), **options)


def reachable(staircase):
    """Return a fine grid of coefficients inside the bounds, knots included."""
    low, high = (float(np.clip(b[0], -8.0, 8.0)) for b in staircase.bounds())
    return np.unique(np.concatenate([np.linspace(low, high, 401), staircase.knots[0]]))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("residual", [-3.0, -1.0, -0.25, 0.0, 0.5, 1.25, 4.0])
def test_loss_is_the_conjugate_of_the_penalty(name, residual):
    staircase = one(name)
    loss = staircase.loss([residual])[0]
    if np.isinf(loss):
        assert residual < staircase.levels[0, 0] or residual > staircase.levels[0, -1]
        return
    beta = reachable(staircase)
    penalty = np.array([staircase.penalty([b])[0] for b in beta])
    assert loss == pytest.approx(np.max(residual * beta - penalty), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "residual", "loss"),
    [
        ("hinge", 0.25, 0.5),
        ("hinge", -1.0, 0.0),
        ("negative hinge", -0.25, 0.5),
        ("insensitive", 0.4, 0.0),
        ("insensitive", -1.0, 1.0),
        ("pinball", 1.0, 1.5),
        ("pinball", -1.0, 0.5),
        ("lasso", 1.0, 0.0),
        ("lasso", 1.75, INF),
        ("no weight", 7.0, 0.0),
    ],
)
def test_losses_have_their_known_values(name, residual, loss):
    assert one(name).loss([residual])[0] == loss


@pytest.mark.parametrize(
    ("name", "beta", "penalty"),
    [
        ("hinge", 1.0, 0.0),
        ("hinge", 2.5, INF),
        ("hinge", -0.5, INF),
        ("insensitive", -1.0, 0.5),
        ("insensitive", 2.0, 1.0),
        ("insensitive", 2.1, INF),
        ("lasso", -2.0, 3.0),
        ("no weight", 0.0, 0.0),
        ("no weight", 0.1, INF),
    ],
)
def test_penalties_have_their_known_values(name, beta, penalty):
    assert one(name).penalty([beta])[0] == penalty


@given(
    st.sampled_from(sorted(SHAPES)),
    # Closer to a bound the gap is below the rounding of its terms, but at a bound it is not.
    st.sampled_from([0.0, 1.0]) | st.floats(1e-9, 1.0 - 1e-9),
    st.floats(-5.0, 5.0, allow_subnormal=False),
)
def test_gap_is_never_negative(name, share, residual):
    """Fenchel-Young: h(b) + h*(r) - b r is zero on the staircase and positive off it."""
    staircase = one(name)
    low, high = (float(np.clip(b[0], -8.0, 8.0)) for b in staircase.bounds())
    beta = np.array([(1.0 - share) * low + share * high])
    residual = np.array([residual])
    gap = (staircase.penalty(beta) + staircase.loss(residual) - beta * residual)[0]
    assert gap >= -1e-12
    bottom, top = staircase.residual_range(beta)
    if bottom[0] <= residual[0] <= top[0]:
        assert gap == pytest.approx(0.0, abs=1e-12)
    elif max(bottom[0] - residual[0], residual[0] - top[0]) > 1e-3 and high - low > 0.0:
        assert gap > 0.0


def test_gap_identity_of_the_module():
    rng = np.random.default_rng(0)
    n, bias, total = 7, 0.3, 0.6
    root = rng.normal(size=(n, 3))
    K = root @ root.T
    zero = np.zeros(n)
    staircase = Staircase(
        rng.normal(size=n),
        np.column_stack([zero - 1.0, zero, zero + 1.0]),
        np.column_stack([zero - INF, zero - 0.1, zero + 0.1, zero + INF]),
        total,
    )
    beta = rng.uniform(-1.0, 1.0, n)
    beta += (total - beta.sum()) / n
    beta = np.clip(beta, -1.0, 1.0)
    total = beta.sum()
    residual = staircase.target - K @ beta - bias
    penalty, loss = staircase.penalty(beta), staircase.loss(residual)
    dual = 0.5 * beta @ K @ beta - staircase.target @ beta + penalty.sum()
    left = 0.5 * beta @ K @ beta + loss.sum() + dual + bias * total
    assert left == pytest.approx((penalty + loss - beta * residual).sum())
    assert left >= 0.0


def test_residual_range_widens_at_knots():
    staircase = one("insensitive")

    def span(beta, slack=0.0):
        low, high = staircase.residual_range(np.array([beta]), slack)
        return low[0], high[0]

    assert span(-2.0) == (-INF, -0.5)
    assert span(-1.0) == (-0.5, -0.5)
    assert span(0.0) == (-0.5, 0.5)
    assert span(1e-13) == (0.5, 0.5)
    assert span(1e-13, slack=1e-12) == (-0.5, 0.5)
    assert span(2.0) == (0.5, INF)
    low, high = one("no weight").residual_range(np.zeros(1))
    assert (low[0], high[0]) == (-INF, INF)


def test_bounds_are_knots_with_infinite_levels():
    for name, bounds in (("hinge", (0.0, 2.0)), ("lasso", (-INF, INF)), ("one sided", (0.0, INF))):
        low, high = one(name).bounds()
        assert (low[0], high[0]) == bounds


def test_between_meets_both_ends_exactly():
    start = hinge_staircase([1.0, -1.0], [0.1, 0.3], margin=[1.0, 0.7])
    end = Staircase(start.target / 3.0, start.knots * 0.7, start.levels, total=0.9)
    for theta, expected in ((0.0, start), (1.0, end)):
        found = start.between(end, theta)
        assert np.array_equal(found.target, expected.target)
        assert np.array_equal(found.knots, expected.knots)
        assert np.array_equal(found.levels, expected.levels)
        assert found.total == expected.total


def test_between_moves_everything_and_keeps_infinity():
    start, end = one("insensitive", target=1.0), one("insensitive", target=3.0, total=2.0)
    end = Staircase(end.target, 2.0 * end.knots, 3.0 * end.levels, end.total)
    half = start.between(end, 0.5)
    assert half.target.tolist() == [2.0]
    assert half.knots.tolist() == [[-3.0, 0.0, 3.0]]
    assert half.levels.tolist() == [[-INF, -1.0, 1.0, INF]]
    assert half.total == 1.0
    assert half.has_bias


def test_between_shares_what_does_not_move():
    start, end = (hinge_staircase([1.0, -1.0], weight) for weight in ([0.1, 0.3], [0.4, 0.5]))
    found = start.between(end, 0.3, 0.7000000001)
    assert found.target is start.target and found.levels is start.levels
    assert found.residual_scale == start.residual_scale == 1.0
    other = hinge_staircase([1.0, -1.0], [0.4, 0.5], margin=3.0)
    assert start.between(other, 0.5).residual_scale == 2.0


def test_between_keeps_the_absence_of_a_bias():
    lasso = one("lasso", has_bias=False)
    assert not lasso.between(lasso, 0.5).has_bias


def test_rows_are_selected_together():
    staircase = hinge_staircase([1.0, -1.0, 1.0], [1.0, 2.0, 3.0])
    part = staircase.rows([2, 1])
    assert len(part) == 2
    assert part.target.tolist() == [1.0, -1.0]
    assert part.knots.tolist() == [[0.0, 3.0], [-2.0, 0.0]]


def test_scales():
    staircase = one("insensitive", target=-4.0)
    assert staircase.knot_scale == 2.0
    assert staircase.residual_scale == 4.0
    # The penalty is an outer level: one that no correlation reaches must not be what is large.
    assert one("lasso", target=0.25).residual_scale == 0.25


def test_arrays_cannot_be_changed():
    staircase = one("hinge")
    with pytest.raises(ValueError, match="read-only"):
        staircase.knots[0, 0] = 1.0
    with pytest.raises(AttributeError):
        staircase.total = 1.0


def test_the_given_arrays_stay_writable():
    target = np.zeros(1)
    Staircase(target, np.zeros((1, 1)), np.zeros((1, 2)))
    target[0] = 1.0


@pytest.mark.parametrize(
    ("target", "knots", "levels"),
    [
        (np.zeros((2, 1)), np.zeros((2, 1)), np.zeros((2, 2))),
        (np.zeros(2), np.zeros(2), np.zeros((2, 2))),
        (np.zeros(2), np.zeros((3, 1)), np.zeros((2, 2))),
        (np.zeros(2), np.zeros((2, 1)), np.zeros((2, 3))),
    ],
)
def test_wrong_shapes_are_errors(target, knots, levels):
    with pytest.raises(ValueError, match="target"):
        Staircase(target, knots, levels)


@pytest.mark.parametrize(
    ("target", "knots", "levels", "message"),
    [
        (np.nan, [0.0, 1.0], [-INF, 0.0, INF], "finite"),
        (0.0, [0.0, INF], [-INF, 0.0, INF], "finite"),
        (0.0, [1.0, 0.0], [-INF, 0.0, INF], "knots of a staircase must increase"),
        (0.0, [0.0, 1.0], [1.0, 0.0, INF], "levels of a staircase must increase"),
        (0.0, [0.0, 1.0], [-INF, INF, INF], "Inner levels"),
        (0.0, [0.0, 1.0], [np.nan, 0.0, INF], "Inner levels"),
    ],
)
def test_check_names_what_is_wrong(target, knots, levels, message):
    staircase = Staircase(np.array([target]), np.array([knots]), np.array([levels]))
    with pytest.raises(ValueError, match=message):
        staircase.check()


@pytest.mark.parametrize("name", SHAPES)
def test_check_accepts_staircases(name):
    one(name).check()


def test_hinge_is_the_weighted_hinge_loss():
    sign, weight = np.array([1.0, -1.0, 1.0]), np.array([2.0, 3.0, 0.0])
    margin = np.array([1.0, 0.5, -1.0])
    staircase = hinge_staircase(sign, weight, margin)
    staircase.check()
    f = np.array([0.25, 0.75, -4.0])
    expected = weight * np.maximum(0.0, margin - sign * f)
    assert staircase.loss(staircase.target - f) == pytest.approx(expected)


def test_hinge_takes_one_weight_for_all():
    assert hinge_staircase([1.0, -1.0], 2.0).knots.tolist() == [[0.0, 2.0], [-2.0, 0.0]]


def test_positions_read_as_the_sets_of_the_paper():
    sign = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    position = np.array([1, 2, 3, 3, 2, 1])
    assert hinge_sets(sign, position).tolist() == [OUTSIDE, MARGIN, INSIDE] * 2


def test_arrays_of_the_library_are_neither_copied_nor_checked_but_frozen():
    given = hinge_staircase([1.0, -1.0], [2.0, 3.0])
    arrays = given.target.copy(), given.knots.copy(), given.levels.copy()
    own = Staircase.of_own(*arrays, total=1.0)
    assert own.target is arrays[0] and own.knots is arrays[1] and own.levels is arrays[2]
    assert not any(array.flags.writeable for array in arrays)
    assert own.total == 1.0 and own.has_bias
    assert own.residual_scale == given.residual_scale == 1.0
    assert own.knot_scale == given.knot_scale == 3.0


def test_a_copy_has_the_numbers_and_not_what_was_worked_out_from_them():
    stair = hinge_staircase([1.0, -1.0], [2.0, 3.0])
    before = pickle.dumps(stair)
    assert stair.knot_scale == 3.0 and stair.residual_scale == 1.0
    assert pickle.dumps(stair) == before
    assert pickle.loads(before).knot_scale == 3.0


def test_a_hinge_has_one_weight_and_one_margin_for_each_row():
    for weight, margin in (([1.0, 2.0], 1.0), (1.0, [1.0, 2.0])):
        with pytest.raises(ValueError, match="broadcast"):
            hinge_staircase([1.0], weight, margin)
