"""The rivals solve what they claim to: judged by LIBSVM, an interior point method and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from judges import conic, optimality
from judges.cases import kernel_matrix
from weightpath.problems import Staircase, hinge_staircase, tube_staircase

pytest.importorskip("numba", reason="the rivals are compiled with numba: pip install numba")

from benchmarks.rivals.pair_descent import PairDescent
from benchmarks.rivals.pair_smo import PairSMO
from benchmarks.rivals.pairs import pairs_of
from benchmarks.rivals.smo import SMOClassifier, SMORegressor, balanced

TIGHT = 1e-8


def clouds(seed, n=80):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    X = rng.normal(size=(n, 3)) + 0.5 * y[:, None]
    return X, y, rng


def problem(name, seed=0):
    """Kernel matrix, labels, and weights of an ugly problem."""
    X, y, rng = clouds(seed)
    gamma = 0.3
    weight = rng.lognormal(size=len(y))
    if name == "duplicates":
        X = np.round(X)
    elif name == "zero weights":
        weight[rng.random(len(y)) < 0.5] = 0.0
    elif name == "near-constant kernel":
        gamma = 1e-4
    elif name == "large weights":
        weight *= 1e3
    return kernel_matrix(X, "rbf", gamma), y, weight


UGLY = ("plain", "duplicates", "zero weights", "near-constant kernel", "large weights")


def dual(K, target, beta, epsilon=0.0):
    return 0.5 * beta @ K @ beta - target @ beta + epsilon * np.abs(beta).sum()


def by_libsvm(kind, K, y, weight, **options):
    used = weight > 0.0
    model = kind(C=1.0, kernel="precomputed", **options)
    model.fit(K[np.ix_(used, used)], y[used], sample_weight=weight[used])
    beta = np.zeros(len(y))
    beta[np.flatnonzero(used)[model.support_]] = model.dual_coef_[0]
    return beta


def assert_feasible(solver):
    low, high = solver._box()
    assert np.all((solver.beta >= low) & (solver.beta <= high))
    assert abs(solver.beta.sum()) <= 1e-12 * max(1.0, np.abs(solver.beta).sum())
    fresh = solver.target - solver.K @ solver.beta
    scale = 1.0 + np.abs(solver.K @ np.abs(solver.beta)).max()
    np.testing.assert_allclose(solver.residual, fresh, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("name", UGLY)
def test_classifier_agrees_with_libsvm(name):
    K, y, weight = problem(name)
    solver = SMOClassifier(K, y, weight)
    result = solver.solve()
    assert not result.capped and result.gap <= 1e-3
    assert_feasible(solver)
    assert np.all((result.alpha >= 0.0) & (result.alpha <= weight))
    assert result.objective == pytest.approx(dual(K, y, y * result.alpha), rel=1e-9)
    beta = by_libsvm(SVC, K, y, weight)
    assert result.objective == pytest.approx(dual(K, y, beta), rel=1e-3)
    # LIBSVM keeps its kernel values in single precision: the last digits are for another judge.
    tight = solver.solve(tol=TIGHT)
    stairs = hinge_staircase(y, weight)
    assert optimality.violation(K, stairs, y * tight.alpha, tight.bias).worst <= 2.0 * TIGHT


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("name", UGLY)
def test_regressor_agrees_with_libsvm(name, epsilon):
    K, y, weight = problem(name)
    target = y + np.random.default_rng(1).normal(size=len(y))
    solver = SMORegressor(K, target, weight, epsilon)
    result = solver.solve()
    assert not result.capped and result.gap <= 1e-3
    assert_feasible(solver)
    assert result.objective == pytest.approx(dual(K, target, result.alpha, epsilon), rel=1e-9)
    beta = by_libsvm(SVR, K, target, weight, epsilon=epsilon)
    assert result.objective == pytest.approx(dual(K, target, beta, epsilon), rel=1e-3)
    tight = solver.solve(tol=TIGHT)
    stairs = tube_staircase(target, weight, epsilon)
    assert optimality.violation(K, stairs, tight.alpha, tight.bias).worst <= 2.0 * TIGHT


@pytest.mark.parametrize("name", UGLY)
@pytest.mark.parametrize("seeding", ["clip", "bound"])
def test_warm_start_ends_where_a_cold_one_does(name, seeding):
    K, y, weight = problem(name)
    new = np.random.default_rng(5).permutation(weight)
    for make in (SMOClassifier, SMORegressor):
        cold = make(K, y, new).solve(tol=TIGHT)
        solver = make(K, y, weight)
        first = solver.solve(tol=TIGHT)
        assert solver.solve(tol=TIGHT).iterations == 0
        solver.reweight(new, seeding)
        assert_feasible(solver)
        warm = solver.solve(tol=TIGHT)
        assert_feasible(solver)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-8)
        given = make(K, y, new).solve(first.alpha, tol=TIGHT)
        assert given.objective == pytest.approx(cold.objective, rel=1e-8)


def test_bounded_coefficients_follow_their_weight():
    K, y, weight = problem("plain")
    solver = SMOClassifier(K, y, weight)
    solver.solve()
    bounded = np.flatnonzero(np.abs(solver.beta) == weight)
    assert bounded.size > 5
    solver.reweight(2.0 * weight, "bound")
    assert np.mean(np.abs(solver.beta[bounded]) == 2.0 * weight[bounded]) > 0.5


def test_balanced_always_finds_a_feasible_point_and_leaves_feasible_ones():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = rng.integers(1, 12)
        edge = rng.choice([0.0, 1.0, 1e-8, 1e5], n) * rng.choice([-1.0, 1.0], n)
        low, high = np.minimum(edge, 0.0), np.maximum(edge, 0.0)
        beta = low + (high - low) * rng.choice([0.0, 0.3, 1.0], n)
        found = balanced(beta, low, high)
        assert np.all((found >= low) & (found <= high))
        assert abs(found.sum()) <= 1e-14 * n * max(1.0, np.abs(found).max())
        np.testing.assert_array_equal(balanced(found * 0.0, low, high), 0.0)


def test_free_coefficients_take_what_the_sum_is_off_before_bounded_ones():
    low, high = np.array([0.0, 0.0, 0.0, -4.0]), np.array([1.0, 2.0, 4.0, 0.0])
    beta = np.array([1.0, 1.0, 2.0, -3.0])
    np.testing.assert_allclose(balanced(beta, low, high), [1.0, 0.75, 1.5, -3.25], rtol=1e-14)


def test_rows_come_and_go():
    X, y, rng = clouds(2, n=90)
    K, weight = kernel_matrix(X, "rbf", 0.3), rng.lognormal(size=90)
    target = y + rng.normal(size=90)
    for make, t in ((SMOClassifier, y), (SMORegressor, target)):
        solver = make(K[:80, :80], t[:80], weight[:80])
        solver.solve(tol=TIGHT)
        # Five at the end, beyond the matrix that was given; five for others that leave.
        solver.insert(K[80:85, :85], t[80:85], weight[80:85])
        assert_feasible(solver)
        solver.solve(tol=TIGHT)
        gone = np.array([3, 0, 41, 77, 12])
        solver.remove(gone)
        assert_feasible(solver)
        assert np.all(solver.beta[gone] == 0.0)
        rows = np.arange(85)
        rows[gone] = np.arange(85, 90)
        solver.insert(K[np.ix_(rows[gone], rows)], t[85:], weight[85:], rows=gone)
        assert_feasible(solver)
        np.testing.assert_array_equal(solver.K, K[np.ix_(rows, rows)])
        warm = solver.solve(tol=TIGHT)
        cold = make(K[np.ix_(rows, rows)], t[rows], weight[rows]).solve(tol=TIGHT)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-8)


def test_a_borrowed_matrix_is_not_written_to():
    K, y, weight = problem("plain")
    before = K.copy()
    solver = SMOClassifier(K, y, weight)
    solver.solve()
    solver.remove([0])
    solver.insert(np.zeros((1, 80)), [1.0], [1.0], rows=[0])
    np.testing.assert_array_equal(K, before)


def test_labels_change():
    K, y, weight = problem("plain")
    solver = SMOClassifier(K, y, weight)
    solver.solve(tol=TIGHT)
    rows = np.array([4, 8, 15, 16])
    solver.relabel(rows, -y[rows])
    assert_feasible(solver)
    warm = solver.solve(tol=TIGHT)
    other = y.copy()
    other[rows] *= -1.0
    cold = SMOClassifier(K, other, weight).solve(tol=TIGHT)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-8)


def test_shrinking_changes_the_work_and_not_the_answer():
    X, y, rng = clouds(4, n=300)
    K, weight = kernel_matrix(X, "rbf", 0.3), 300.0 * rng.lognormal(size=300)
    answers = []
    for shrinking in (True, False):
        solver = SMOClassifier(K, y, weight)
        solver.shrinking = shrinking
        answers.append(solver.solve(tol=1e-6))
        assert_feasible(solver)
    # Long enough for many rounds, or nothing was laid aside.
    assert answers[1].iterations > 5000
    assert answers[0].iterations != answers[1].iterations
    assert answers[0].objective == pytest.approx(answers[1].objective, rel=1e-9)


def test_cap_leaves_a_feasible_point_to_go_on_from():
    X, y, rng = clouds(4, n=300)
    K, weight = kernel_matrix(X, "rbf", 0.3), 300.0 * rng.lognormal(size=300)
    solver = SMOClassifier(K, y, weight)
    early = solver.solve(max_seconds=0.0)
    assert early.capped and early.gap > 1e-3
    assert_feasible(solver)
    late = solver.solve()
    assert not late.capped and late.objective < early.objective


def test_one_class_alone_has_nothing_to_do():
    result = SMOClassifier(np.eye(3), np.ones(3), np.ones(3)).solve()
    assert result.iterations == 0 and np.all(result.alpha == 0.0) and result.bias == 1.0


def test_wrong_input_is_refused():
    with pytest.raises(ValueError, match="square"):
        SMOClassifier(np.eye(3), [1, -1], np.ones(2))
    with pytest.raises(ValueError, match="labels"):
        SMOClassifier(np.eye(2), [0, 1], np.ones(2))
    with pytest.raises(ValueError, match="not negative"):
        SMOClassifier(np.eye(2), [1, -1], [1.0, -1.0])
    solver = SMOClassifier(np.eye(2), [1, -1], np.ones(2))
    with pytest.raises(ValueError, match="seeding"):
        solver.reweight(np.ones(2), "scale")
    with pytest.raises(ValueError, match="remove"):
        solver.insert(np.ones((1, 2)), [1.0], [1.0], rows=[0])
    with pytest.raises(ValueError, match="K_rows"):
        solver.insert(np.ones((1, 2)), [1.0], [1.0])
    with pytest.raises(ValueError, match="stand together"):
        pairs_of([0, 1, 0], [1, 2, 1])
    with pytest.raises(ValueError, match="2 documents"):
        PairSMO(np.eye(3), pairs_of([0, 1], [1, 1]), 1.0)


def ranking(name, seed=0):
    """Documents of five queries (one without pairs), and weights of the pairs."""
    rng = np.random.default_rng(seed)
    query = np.repeat([3, 1, 7, 2, 5], [9, 7, 4, 1, 8])
    relevance = rng.integers(0, 3, len(query))
    relevance[query == 7] = 1
    X = rng.normal(size=(len(query), 3)) + 0.3 * relevance[:, None]
    if name == "duplicates":
        X = np.round(X)
    pairs = pairs_of(relevance, query)
    grade = 2.0**relevance
    weight = {"large weights": 10.0, "small weights": 1e-3}.get(name, 0.1) * (
        grade[pairs.high] - grade[pairs.low]
    )
    if name == "zero weights":
        weight[rng.random(len(weight)) < 0.5] = 0.0
    return kernel_matrix(X, "rbf", 0.3), pairs, weight, rng


RANKINGS = ("plain", "duplicates", "zero weights", "large weights", "small weights")


def by_interior_point(K, pairs, weight):
    pair = np.arange(len(pairs))
    D = np.zeros((len(pairs), len(K)))
    D[pair, pairs.high] = 1.0
    D[pair, pairs.low] = -1.0
    used = weight > 0.0
    D, weight = D[used], weight[used]
    levels = np.tile([-np.inf, 0.0, np.inf], (len(weight), 1))
    knots = np.column_stack([np.zeros(len(weight)), weight])
    stairs = Staircase(np.ones(len(weight)), knots, levels, has_bias=False)
    return conic.solve(D @ K @ D.T, stairs).value


@pytest.mark.parametrize("kind", [PairSMO, PairDescent])
@pytest.mark.parametrize("name", RANKINGS)
def test_pair_solvers_agree_with_an_interior_point_method(kind, name):
    K, pairs, weight, rng = ranking(name)
    solver = kind(K, pairs, weight)
    result = solver.solve()
    best = by_interior_point(K, pairs, weight)
    assert not result.capped and result.violation <= 1e-3
    assert np.all((result.alpha >= 0.0) & (result.alpha <= weight))
    np.testing.assert_allclose(result.scores, K @ pairs.collect(result.alpha), atol=1e-10)
    assert result.objective == pytest.approx(best, rel=1e-3)
    assert -1e-12 <= result.gap <= 1e-2
    tight = solver.solve(tol=TIGHT)
    assert tight.objective == pytest.approx(best, rel=1e-7)
    new = rng.permutation(weight)
    best = by_interior_point(K, pairs, new)
    for seeding in ("clip", "bound"):
        warm = kind(K, pairs, weight)
        warm.seed(tight.alpha)
        warm.reweight(new, seeding)
        assert warm.solve(tol=TIGHT).objective == pytest.approx(best, rel=1e-7)


@pytest.mark.parametrize("name", RANKINGS)
def test_greedy_descent_agrees_with_sweeps(name):
    K, pairs, weight, _ = ranking(name, seed=1)
    swept = PairDescent(K, pairs, weight).solve(tol=TIGHT)
    solver = PairDescent(K, pairs, weight)
    climbed = solver.solve(tol=TIGHT, rule="greedy")
    assert climbed.violation <= TIGHT
    assert climbed.objective == pytest.approx(swept.objective, rel=1e-9)
    np.testing.assert_allclose(climbed.scores, K @ pairs.collect(climbed.alpha), atol=1e-10)
    assert solver.solve(tol=TIGHT, rule="greedy").iterations == 0
    with pytest.raises(ValueError, match="rule"):
        solver.solve(rule="cyclic")


def test_pairs_are_all_of_different_relevance_in_one_query():
    relevance, query = np.array([2, 0, 1, 1, 0, 0]), np.array([5, 5, 5, 5, 2, 2])
    pairs = pairs_of(relevance, query)
    expected = {
        (i, j)
        for i in range(6)
        for j in range(6)
        if query[i] == query[j] and relevance[i] > relevance[j]
    }
    assert set(zip(pairs.high.tolist(), pairs.low.tolist(), strict=True)) == expected
    assert pairs.pair_start.tolist() == [0, 5, 5]


def test_pair_smo_takes_the_most_violating_pair_each_time():
    K, pairs, weight, _ = ranking("plain")
    result = PairSMO(K, pairs, weight).solve(tol=1e-2)
    alpha, scores, steps = np.zeros(len(pairs)), np.zeros(len(K)), 0
    while pairs.violation(scores, alpha, weight) > 1e-2:
        gradient = pairs.gradient(scores)
        room = np.where(gradient > 0.0, weight - alpha, alpha) > 0.0
        p = np.argmax(np.where(room, np.abs(gradient), 0.0))
        i, j = pairs.high[p], pairs.low[p]
        curvature = K[i, i] + K[j, j] - 2.0 * K[i, j]
        moved = np.clip(alpha[p] + gradient[p] / curvature, 0.0, weight[p])
        scores += (moved - alpha[p]) * (K[i] - K[j])
        alpha[p] = moved
        steps += 1
    assert result.iterations == steps > 50
    np.testing.assert_allclose(result.alpha, alpha, atol=1e-9)


@pytest.mark.parametrize("kind", [PairSMO, PairDescent])
def test_single_precision_and_caps_of_pair_solvers(kind):
    K, pairs, weight, _ = ranking("large weights")
    result = kind(K, pairs, weight).solve()
    single = kind(K.astype(np.float32), pairs, weight).solve()
    assert single.scores.dtype == np.float64
    assert single.objective == pytest.approx(result.objective, rel=1e-3)
    early = kind(K, pairs, weight).solve(max_seconds=0.0)
    assert early.capped and early.violation > 1e-3
    assert early.objective > result.objective
