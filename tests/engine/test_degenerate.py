"""Degenerate problems: published toys, weights that vanish, free biases, no solution at all."""

import numpy as np
import pytest

from engine.walks import Leg, columns_of, walk
from judges.optimality import violation
from judges.published import DEPENDENT, DUPLICATE
from weightpath.engine import center_bias, follow, kappa_of, load_problem, solve
from weightpath.errors import InfeasiblePathError, KernelNotPSDError, UnboundedPathError
from weightpath.problems import Staircase, hinge_staircase

FIRST, LAST = 1.0 / 20.0, 1.2


def published_leg(toy) -> Leg:
    uniform = (hinge_staircase(toy.y, np.full(6, c)) for c in (FIRST, LAST))
    return walk(toy.X @ toy.X.T, list(uniform))[0]


def slope_changes(leg):
    """Return where the slope of ``K beta`` changes; slivers of rounding length are passed over."""
    theta = leg.part.theta
    long = [s for s in range(len(theta) - 1) if theta[s + 1] - theta[s] > 1e-9]
    slope = [
        (leg.values(theta[s + 1]) - leg.values(theta[s])) / (theta[s + 1] - theta[s]) for s in long
    ]
    return [
        theta[s]
        for s, before, after in zip(long[1:], slope[:-1], slope[1:], strict=True)
        if np.abs(after - before).max() > 1e-7
    ]


@pytest.mark.parametrize("toy", [DUPLICATE, DEPENDENT], ids=["duplicate", "dependent"])
def test_published_breakpoints(toy):
    leg = published_leg(toy)
    found = [1.0 / (FIRST + theta * (LAST - FIRST)) for theta in slope_changes(leg)]
    assert found == pytest.approx([float(b) for b in toy.breakpoints], abs=1e-9)
    assert leg.worst_violation() <= 1e-12


@pytest.mark.parametrize("toy", [DUPLICATE, DEPENDENT], ids=["duplicate", "dependent"])
def test_published_weight_vectors(toy):
    leg = published_leg(toy)
    for theta in np.linspace(0.0, 1.0, 41):
        w = toy.X.T @ leg.part.beta(theta)
        exact = toy.weight_vector(1.0 / (FIRST + theta * (LAST - FIRST)))
        assert w == pytest.approx([float(x) for x in exact], abs=1e-9)


def test_middle_of_the_published_bias_intervals():
    # All inside: [-1 + 17.96 C, 1 + 3.93 C], middle 10.945 C; and [-1 + 18.4 C, 1 + 3.52 C].
    for toy, middle in ((DUPLICATE, 10.945), (DEPENDENT, 10.96)):
        leg = published_leg(toy)
        centred = center_bias(leg.start, leg.before, kappa_of(columns_of(leg.K)))
        assert centred.bias == pytest.approx(middle * FIRST, abs=1e-12)
        for c in (0.06, 0.1, 0.13):
            theta = (c - FIRST) / (LAST - FIRST)
            assert leg.settled.bias(theta) == pytest.approx(middle * c, abs=1e-9)
            assert leg.settled.kkt_violations(np.array([theta]))[0] <= 1e-12
    # The rhombus of the second one between C = 2/3 and C = 1 has the middle 2.5 C.
    for c in (0.7, 0.8, 0.9, 0.97):
        theta = (c - FIRST) / (LAST - FIRST)
        assert leg.settled.bias(theta) == pytest.approx(2.5 * c, abs=1e-9)


def two_clouds(n=20, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], n // 2)
    X = rng.normal(size=(n, 2)) + 0.5 * y[:, None]
    return X @ X.T, y


ABSENT = np.array([0, 3, 11, 18])


def without_some_weights(seed):
    """A path on which some rows have no weight, so that both their knots are always 0."""
    K, y = two_clouds(seed=seed)
    weights = [np.full(20, 0.01), np.full(20, 4.0)]
    for weight in weights:
        weight[ABSENT] = 0.0
    return K, y, weights


def test_rows_without_weight_never_matter():
    K, y, weights = without_some_weights(seed=0)
    leg = walk(K, [hinge_staircase(y, weight) for weight in weights])[0]
    kept = np.setdiff1d(np.arange(20), ABSENT)
    inner = walk(
        K[np.ix_(kept, kept)], [hinge_staircase(y[kept], weight[kept]) for weight in weights]
    )[0]
    for theta in np.linspace(0.0, 1.0, 9):
        assert (leg.part.beta(theta)[ABSENT] == 0.0).all()
        assert leg.values(theta)[kept] == pytest.approx(inner.values(theta), abs=1e-10)
    assert leg.worst_violation() <= 1e-11


def test_rows_without_weight_flip_with_the_sign_of_their_residual():
    n_flips = 0
    for seed in range(12):
        K, y, weights = without_some_weights(seed)
        leg = walk(K, [hinge_staircase(y, weight) for weight in weights])[0]
        leg.trace.record.validate()
        n_flips += np.isin(leg.trace.record.event_index, ABSENT).sum()
        for theta in 0.5 * (leg.part.theta[1:] + leg.part.theta[:-1]):
            residual = (y - leg.values(theta) - leg.part.bias(theta))[ABSENT]
            clear = np.abs(residual) > 1e-9
            position = leg.part.position(theta)[ABSENT]
            assert (position[clear] == np.where(residual[clear] > 0.0, 3, 1)).all()
    assert n_flips > 0


def test_no_weight_at_all():
    K, y = two_clouds()
    nothing = hinge_staircase(y, np.zeros(20))
    legs = walk(K, [nothing, hinge_staircase(y, np.ones(20)), nothing])
    assert max(leg.worst_violation() for leg in legs) <= 1e-11
    assert (legs[-1].trace.state.beta == 0.0).all()


@pytest.mark.parametrize("richer", [1.0, -1.0])
def test_empty_margin_whose_balance_changes(richer):
    # Two far rows, both inside, and a third whose weight grows: the bias must jump to a row.
    K = np.diag([1.0, 1.0, 1.0])
    y = richer * np.array([1.0, -1.0, 1.0])
    start, end = (hinge_staircase(y, np.array([0.1, 0.1, c])) for c in (0.0, 0.05))
    columns = columns_of(K)
    state = center_bias(start, solve(columns, start), kappa_of(columns))
    assert state.margin.size == 0
    leg = Leg(K, start, end, state, follow(columns, start, end, state))
    assert leg.worst_violation() <= 1e-13
    # Two rows of one sign want more than the other can pay: it stays at its bound.
    assert leg.trace.state.beta[1] == -0.1 * richer
    assert leg.trace.state.margin.size >= 1


def test_empty_margin_whose_balance_does_not_change():
    # Uniform small weights, as many rows in either class: all inside, the bias in an interval.
    K, y = two_clouds()
    start, end = (hinge_staircase(y, np.full(20, c)) for c in (1e-4, 1e-3))
    leg = walk(K, [start, end])[0]
    for theta in (0.0, 0.3, 1.0):
        assert leg.part.beta(theta) == pytest.approx(y * (1e-4 + 9e-4 * theta), abs=1e-18)
        gap = start.target - leg.values(theta)
        middle = 0.5 * (gap[y < 0].max() + gap[y > 0].min())
        assert leg.settled.bias(theta) == pytest.approx(middle, abs=1e-12)
    assert max(leg.worst_violation(), leg.settled.largest_kkt_violation()) <= 1e-13


def test_center_bias_leaves_a_unique_bias_alone():
    K, y = two_clouds()
    stair = hinge_staircase(y, np.linspace(0.5, 2.0, 20))
    columns = columns_of(K)
    state = solve(columns, stair)
    assert center_bias(stair, state, kappa_of(columns)) is state


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_class_that_vanishes_at_the_end_and_returns(label):
    K, y = two_clouds()
    full = hinge_staircase(y, np.ones(20))
    gone = hinge_staircase(y, np.where(y == label, 0.0, 1.0))
    legs = walk(K, [full, gone, full])
    assert max(leg.worst_violation() for leg in legs) <= 1e-11
    assert np.abs(legs[0].trace.state.beta).max() <= 1e-12
    assert legs[0].trace.state.bias * label <= -1.0 + 1e-11
    there, back = legs
    for theta in (0.0, 0.4, 0.9):
        assert there.values(theta) == pytest.approx(back.values(1.0 - theta), abs=1e-9)


def one_class(bound, total=1.0) -> Staircase:
    levels = np.array([[-np.inf, 0.0, np.inf]] * 3)
    return Staircase(np.zeros(3), np.array([[0.0, bound]] * 3), levels, total)


def test_weights_that_cannot_carry_the_sum():
    K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    # From 1/2 to 1/5 the bounds fall below a third at theta = 5/9.
    with pytest.raises(InfeasiblePathError, match=r"theta = 0.555556.*weight") as caught:
        walk(K, [one_class(0.5), one_class(0.2)])
    assert caught.value.problem is not None
    with pytest.raises(InfeasiblePathError, match="weight"):
        solve(columns_of(K), one_class(0.2))


def lasso(penalty, pull=0.0, seed=0):
    """Return a Gram matrix with a copied column and a lasso; ``pull`` leaves the column space."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(6, 3))
    A = np.column_stack([A, A[:, 0]])
    target = A.T @ rng.normal(size=6) + pull * np.array([1.0, 0.0, 0.0, 0.0])
    penalty = np.full(4, float(penalty))
    levels = np.column_stack([-penalty, penalty])
    return A.T @ A, Staircase(target, np.zeros((4, 1)), levels, has_bias=False)


def test_lasso_with_dependent_columns():
    K, start = lasso(3.0)
    legs = walk(K, [start, lasso(1e-3)[1], start])
    assert max(leg.worst_violation() for leg in legs) <= 1e-12
    assert legs[1].trace.state.beta @ K == pytest.approx(legs[0].before.beta @ K, abs=1e-11)


def test_lasso_that_loses_its_penalty_ends_at_a_solution():
    # At the very end nothing stops the copies of a column, though least squares has a solution.
    K, start = lasso(3.0)
    end = lasso(0.0)[1]
    leg = walk(K, [start, end])[0]
    assert K @ leg.trace.state.beta == pytest.approx(end.target, abs=1e-11)
    assert leg.worst_violation() <= 1e-12


def test_unbounded_lasso_says_so():
    K, start = lasso(5.0, pull=1.0)
    end = lasso(0.0, pull=1.0)[1]
    # The copies differ by 1 in their targets: from a penalty of 1/2 on nothing stops them.
    with pytest.raises(UnboundedPathError, match=r"theta = 0.9.*penalties"):
        walk(K, [start, end])
    with pytest.raises(UnboundedPathError, match="penalties"):
        solve(columns_of(K), end)


def indefinite(kind):
    K, y = two_clouds()
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(20, 20))
    return {"symmetric": noise + noise.T, "sigmoid": np.tanh(K - 1.0), "negative": -np.eye(20)}[
        kind
    ], y


@pytest.mark.parametrize("kind", ["symmetric", "sigmoid", "negative"])
def test_indefinite_kernels_are_refused(kind):
    K, y = indefinite(kind)
    small, large = (hinge_staircase(y, np.full(20, c)) for c in (1e-3, 1e2))
    with pytest.raises(KernelNotPSDError, match=r"smallest eigenvalue -.*ridge >="):
        solve(columns_of(K), large)
    with pytest.raises(KernelNotPSDError):
        walk(K, [small, large])


@pytest.mark.parametrize("K", [np.zeros((20, 20)), np.ones((20, 20))], ids=["zero", "constant"])
def test_kernels_that_tell_nothing(K):
    y = two_clouds()[1]
    weights = (np.full(20, 0.01), np.arange(20.0) + 1.0, np.full(20, 5.0))
    legs = walk(K, [hinge_staircase(y, weight) for weight in weights])
    assert max(leg.worst_violation() for leg in legs) <= 1e-12


def test_failure_can_be_saved_and_fails_again(tmp_path):
    K, start = lasso(5.0, pull=1.0)
    with pytest.raises(UnboundedPathError) as caught:
        walk(K, [start, lasso(0.0, pull=1.0)[1]])
    caught.value.save(tmp_path / "unbounded.npz")
    again = load_problem(tmp_path / "unbounded.npz")
    state = solve(again.columns, again.start, again.beta, again.bias)
    assert violation(K, again.start, state.beta).worst <= 1e-12
    with pytest.raises(UnboundedPathError):
        follow(again.columns, again.start, again.end, state)
