"""The certificate of a whole path, against one theta after the other, and against wrong records."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

import weightpath as wp
from path.reference_paths import random_part
from weightpath.kernels import Kernel
from weightpath.path import SolutionPath, certificate, certifying, own_sums
from weightpath.problems.position import interval_of, knot_below
from weightpath.record.record import Record

EPS = np.finfo(np.float64).eps


def _rows(n, seed=0, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return rng, X, X[:, 0] + 0.5 * rng.normal(size=n)


def _classes(n=40, seed=0, **options):
    rng, X, y = _rows(n, seed)
    model = wp.SVC(C=2.0, gamma=0.5, **options).fit(X, y > 0)
    return model.reweight(rng.uniform(0.2, 3.0, n))


def _regression(estimator, n=30, **move):
    _, X, y = _rows(n, 3)
    return estimator.fit(X, y).move(**move)


def _tubes():
    weight = np.random.default_rng(0).uniform(0.2, 3.0, 30)
    return _regression(wp.SVR(C=3.0, epsilon=0.2), sample_weight=weight, epsilon=0.05)


def _one_class():
    rng, X, _ = _rows(30, 4)
    return wp.OneClassSVM(nu=0.3).fit(X).move(sample_weight=rng.uniform(0.3, 2.0, 30), nu=0.6)


def _lasso():
    _, X, y = _rows(40, 5, 12)
    return wp.Lasso(alpha=0.003).fit(X, y).path_


def _duplicates():
    rng, X, y = _rows(12, 6)
    X, y = np.repeat(X, 3, axis=0), np.repeat(y > 0, 3)
    y[::7] = ~y[::7]
    return wp.SVC(gamma=0.5).fit(X, y).reweight(rng.integers(1, 4, 36).astype(float))


def _zero_weights():
    rng, X, y = _rows(40, 7)
    before, after = rng.uniform(0.5, 2.0, (2, 40))
    before[::4], after[1::4] = 0.0, 0.0
    model = wp.SVC(C=5.0, gamma=0.5).fit(X, y > 0, sample_weight=before)
    return model.reweight(after)


def _over_penalty():
    _, X, y = _rows(40, 8)
    return wp.SVC(C=1e-3, gamma=0.5).fit(X, y > 0).move(C=10.0)


def _near_singular():
    rng, X, y = _rows(40, 9)
    model = wp.SVC(C=100.0, gamma=1e-3).fit(X, y > 0)
    return model.reweight(rng.uniform(0.5, 2.0, 40))


def _precomputed():
    rng, X, y = _rows(30, 10)
    model = wp.SVC(kernel="precomputed").fit(X @ X.T + 1.0, y > 0)
    return model.reweight(rng.uniform(0.5, 2.0, 30))


def _several_blocks():
    data = wp.datasets.make_toy(300, random_state=0)
    model = wp.SVC(C=data.C, gamma=data.gamma).fit(data.X, data.y, sample_weight=data.w_old)
    return model.reweight(data.w_new)


KINDS = {
    "classes": _classes,
    "linear": partial(_classes, kernel="linear"),
    "ridge": partial(_classes, ridge=0.1),
    "function": partial(_classes, kernel=lambda A, B: (1.0 + A @ B.T) ** 2),
    "tubes": _tubes,
    "targets": lambda: _regression(
        wp.SVR(C=3.0, epsilon=0.1, kernel="linear"), y=np.linspace(-1.0, 1.0, 30)
    ),
    "quantile": lambda: _regression(wp.QuantileSVR(quantile=0.2, C=2.0), quantile=0.7),
    "one class": _one_class,
    "lasso": _lasso,
    "duplicates": _duplicates,
    "zero weights": _zero_weights,
    "penalty": _over_penalty,
    "near singular": _near_singular,
    "precomputed": _precomputed,
    "several blocks": _several_blocks,
}
EVERY = pytest.mark.parametrize("kind", KINDS)


@cache
def path_of(kind) -> SolutionPath:
    return KINDS[kind]()


def alone(part) -> SolutionPath:
    return SolutionPath([part], part.X, part.kernel, classes=np.array([0, 1]))


def places(part):
    """All breakpoints, from both sides, and the middles of all segments; three for each segment."""
    left, right = part.theta[:-1], part.theta[1:]
    last = np.where(right < part.theta[-1], np.nextafter(right, 0.0), right)
    return np.stack([left, 0.5 * (left + right), last], axis=1)


def floor(part, relative=True):
    return max(part.rounding_floor(theta, relative) for theta in part.theta)


def with_other_targets(part, size=0.01):
    """The same record for a problem that it does not solve, more wrong in some places than others.

    So there is something to compare, at every row and every theta.
    """
    rng = np.random.default_rng(0)
    start, end = (
        replace(stair, target=stair.target + size * rng.uniform(-1.0, 1.0, len(stair)))
        for stair in (part.start, part.end)
    )
    return replace(part, start=start, end=end, ends=(None, None))


def tampered(part, name, at, by):
    """Return a part with one number of its record changed."""
    arrays = part.record.to_arrays()
    array = arrays[name].copy()
    array[at] += by
    arrays[name] = array
    if name == "theta":
        arrays["rest"] = 1.0 - array
    return replace(part, record=Record(**arrays), ends=(None, None))


def by_hand(part, relative=True):
    """Return the violations on each segment, of all coefficients and with the whole matrix."""
    record, start, end = part.record, part.start, part.end
    K = part.response(np.eye(len(part)))
    position, found = record.initial_position.copy(), []
    row, done = np.arange(len(part)), 0
    for s, thetas in enumerate(places(part)):
        for e in range(done, record.event_count[s]):
            position[record.event_index[e]] = record.event_to[e]
        done = record.event_count[s]
        entry = slice(record.offset[s], record.offset[s + 1])
        member = record.member[entry]
        knot, interval = knot_below(position, start.n_knots), interval_of(position[member])
        for theta in thetas:
            stair = start.between(end, theta)
            step = theta - record.theta[s]
            beta = stair.knots[row, knot]
            walls = np.pad(stair.knots, ((0, 0), (1, 1)), constant_values=(-np.inf, np.inf))
            value = record.value[entry] + step * record.slope[entry]
            beta[member] = np.clip(value, walls[member, interval], walls[member, interval + 1])
            bias = record.bias[s] + step * record.bias_slope[s]
            found.append(
                certificate.kkt_violation(stair, beta, bias, K @ beta, part.kappa, relative)
            )
    return np.array(found).reshape(-1, 3)


@EVERY
def test_the_path_is_as_good_as_at_every_theta(kind):
    path = path_of(kind)
    for part in path.parts:
        theta = np.append(places(part).ravel(), part.jumps[0])
        whole, singly = part.largest_kkt_violation(), part.kkt_violations(theta).max()
        assert whole == pytest.approx(singly, abs=floor(part))
    theta = np.concatenate([places(part).ravel() for part in path.parts])
    assert path.kkt_violation() == pytest.approx(
        max(path.kkt_violation(t) for t in theta), abs=max(floor(part) for part in path.parts)
    )


@EVERY
@pytest.mark.parametrize("relative", [True, False])
def test_violations_that_are_not_rounding_are_the_same(kind, relative):
    for part in path_of(kind).parts:
        wrong = with_other_targets(part)
        singly = wrong.kkt_violations(np.append(places(wrong).ravel(), wrong.jumps[0]), relative)
        assert singly.max() > 1e-3 * (1.0 if relative else wrong.start.residual_scale)
        found = wrong.largest_kkt_violation(relative)
        # Twice, as the larger of two that are off by it.
        allowed = 2.0 * floor(wrong, relative)
        assert found == pytest.approx(singly.max(), rel=1e-9, abs=allowed)
        assert found == pytest.approx(by_hand(wrong, relative).max(), rel=1e-9, abs=allowed)


@EVERY
@pytest.mark.parametrize("name", ["value", "slope", "bias", "bias_slope", "theta"])
def test_one_wrong_number_in_one_segment_is_seen(kind, name):
    rng = np.random.default_rng(1)
    for part in path_of(kind).parts:
        record, usual = part.record, by_hand(part).max()
        if name.startswith("bias") and not part.start.has_bias:
            continue
        length = record.lengths()
        for s in rng.permutation(len(record))[: 8 if len(record) < 150 else 3]:
            if name in ("value", "slope"):
                if record.offset[s] == record.offset[s + 1]:
                    continue
                at = int(rng.integers(record.offset[s], record.offset[s + 1]))
                size = np.abs(record.value).max() * 1e-3
            else:
                at, size = s, 1e-3 * max(part.start.residual_scale, part.end.residual_scale, 0.1)
            if name in ("slope", "bias_slope"):
                if length[s] < 1e-9:
                    # Rounding has parted a tie: on so short a segment a slope does nothing.
                    continue
                size /= length[s]
            if name == "theta":
                size = 0.25 * length[s]
            wrong = tampered(part, name, at, size)
            expected = by_hand(wrong)
            # Other segments are as they were.
            others = np.delete(expected, [s, s - 1] if name == "theta" and s else [s], axis=0)
            assert others.max(initial=0.0) <= usual
            found = certifying.largest_of_sums(wrong, np.array([0.5]), True)
            assert found == pytest.approx(expected.max(), rel=1e-9, abs=2.0 * floor(part))
            if name != "theta":
                assert found > 1e3 * usual
            assert alone(wrong).kkt_violation() >= found * (1.0 - 1e-12) - 2.0 * floor(part)


@pytest.mark.parametrize("kind", ["classes", "tubes", "zero weights", "penalty", "several blocks"])
def test_a_row_at_the_wrong_knot_is_seen(kind):
    part = path_of(kind).parts[0]
    record = part.record
    moved = np.union1d(record.event_index, record.member)
    still = np.setdiff1d(np.arange(len(part)), moved)
    usual = by_hand(part).max()
    for row in still[:5]:
        to = 3 if record.initial_position[row] == 1 else 1
        wrong = tampered(part, "initial_position", row, to - record.initial_position[row])
        if (part.end.knots[row] == part.start.knots[row]).all() and not np.ptp(part.end.knots[row]):
            continue
        expected = by_hand(wrong).max()
        assert expected > 1e3 * usual
        assert certifying.largest_of_sums(wrong, np.array([0.5]), True) == pytest.approx(expected)


def test_breakpoint_in_the_wrong_place_is_seen():
    part = path_of("classes").parts[0]
    longest = int(np.argmax(part.record.lengths()[1:])) + 1
    wrong = tampered(part, "theta", longest, 0.25 * part.record.lengths()[longest])
    assert alone(wrong).kkt_violation() > 1e6 * alone(part).kkt_violation()


@pytest.mark.parametrize("name", ["value", "slope", "bias", "bias_slope"])
def test_what_is_not_a_number_stays(name):
    part = path_of("several blocks").parts[0]
    for s in (0, len(part.record) // 2, len(part.record) - 1):
        at = part.record.offset[s] if name in ("value", "slope") else s
        assert np.isnan(alone(tampered(part, name, at, np.nan)).kkt_violation())


@EVERY
@pytest.mark.parametrize("large_margin", [0, 10**9])
@pytest.mark.parametrize("budget_mb", [1e-6, 0.05])
def test_blocks_products_and_memory_make_no_difference(kind, large_margin, budget_mb, monkeypatch):
    part = with_other_targets(path_of(kind).parts[0])
    expected = part.largest_kkt_violation()
    monkeypatch.setattr(own_sums, "LARGE_MARGIN", large_margin)
    monkeypatch.setattr(own_sums, "BLOCKS_BETWEEN_STARTS", 3)
    monkeypatch.setattr(own_sums, "PIECE_MB", 1e-3)
    monkeypatch.setattr(certifying, "BLOCK_SEGMENTS", 5)
    monkeypatch.setattr(certifying, "OwnSums", partial(own_sums.OwnSums, budget_mb=budget_mb))
    allowed = 2.0 * floor(part)
    assert part.largest_kkt_violation() == pytest.approx(expected, rel=1e-9, abs=allowed)


def test_columns_within_a_budget():
    part = random_part(0, n=30)
    store = own_sums.ColumnStore(part, 30, budget_mb=10 * 30 * 8 / 1e6)
    rng = np.random.default_rng(0)
    K = part.kernel.between(part.X, part.X)
    for now in range(20):
        rows = np.sort(rng.permutation(30)[: int(rng.integers(1, 10))])
        store.hold(rows, now)
        assert store.values.shape == (10, 30)
        assert store.values[store.slot[rows]] == pytest.approx(K[rows])
        kept = np.flatnonzero(store.slot >= 0)
        assert kept.size <= 10
        assert store.values[store.slot[kept]] == pytest.approx(K[kept])
    # What is needed at the same time is kept, whatever the budget.
    store.hold(np.arange(20), 20)
    assert store.values[store.slot[:20]] == pytest.approx(K[:20])


def test_rounding_does_not_add_up():
    data = wp.datasets.make_toy(400, random_state=1)
    model = wp.SVC(C=data.C, gamma=data.gamma).fit(data.X, data.y, sample_weight=data.w_old)
    part = model.reweight(data.w_new).parts[0]
    K = Kernel("rbf", gamma=data.gamma).between(part.X, part.X)
    record, theta, size, first = part.record, places(part), 16, 0
    assert len(record) > 15 * size
    judge = certifying.SegmentJudge(
        part.start, part.end, part.kappa, record, part.replay.interval, True
    )
    sums = own_sums.OwnSums(part)
    sums.begin(judge.enter(0), size, np.zeros((0, len(part))))
    while first < len(record):
        some = slice(first, min(first + size, len(record)))
        share = sums.share(judge.enter(first), some.start, some.stop)
        values, slot, scale = sums.columns.values, sums.columns.slot, np.ones_like(theta[some])
        first = judge.look_at(first, theta[some], scale, values, slot, share, sums.carried)
        assert first == some.stop
        knot = judge.enter(first - 1)
        for knots, found in zip((part.start.knots, part.end.knots), share, strict=True):
            at = np.where(knot < 0, 0.0, knots[np.arange(len(part)), knot])
            assert np.abs(found - at @ K).max() <= 16 * EPS * (np.abs(at) @ K).max()


def test_rounding_of_rows_that_are_gone_is_not_carried():
    # Bounds grow by many orders of magnitude, and all but a few rows leave them on the way: what
    # rounding leaves of them would be large at the end.
    _, X, y = _rows(60, 11)
    path = wp.SVC(C=1e-2, gamma=2.0).fit(X, y > 0).move(C=1e10)
    part = path.parts[0]
    assert np.abs(part.beta(1.0)).max() < 1e-6 * 1e10
    assert path.kkt_violation() == pytest.approx(by_hand(part).max(), abs=floor(part))
    assert path.kkt_violation() < 1e-12


@pytest.mark.parametrize("large_margin", [0, 10**9])
def test_ends_of_segments_at_which_all_coefficients_vanish(large_margin, monkeypatch):
    # What is large there is the response itself, which goes to zero with the coefficients and the
    # bias: sums that round otherwise than these would be off by as much as they are.
    monkeypatch.setattr(own_sums, "LARGE_MARGIN", large_margin)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (12, 1)).astype(float)
        before, after = rng.uniform(0.1, 1.0, (2, 12))
        model = wp.OneClassSVM(kernel="linear", nu=0.3).fit(X, sample_weight=before)
        part = model.move(sample_weight=after, nu=0.15).parts[0]
        assert part.largest_kkt_violation() == pytest.approx(by_hand(part).max(), abs=1e-7)
