"""The misclassification rate against brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightpath.metrics import trace_curve


def judge(handmade, path, y, weight, rng):
    X = np.zeros((len(y), 1))
    curve = trace_curve(path, X, y, "zero_one", sample_weight=weight)
    v = np.ones(len(y)) if weight is None else weight
    for theta in handmade.places(curve, path, rng):
        if path.sharp(theta):
            error = v @ (path.labels(theta) != y) / v.sum()
            assert curve(theta) == pytest.approx(error, abs=1e-12), theta
    assert curve.edges[0] == 0 and curve.edges[-1] == 1
    assert np.all(np.diff(curve.values) != 0)
    return curve


def draw_weight(rng, kind, n):
    return {
        "none": None,
        "cost": rng.integers(1, 3, n).astype(float),
        "real": np.append(rng.random(n - 1), 0.5),
        "zero": np.append(rng.integers(0, 2, n - 1), 1).astype(float),
    }[kind]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 6),
    n_segments=st.integers(1, 9),
    integers=st.booleans(),
    weight=st.sampled_from(["none", "cost", "real", "zero"]),
)
def test_two_classes(handmade, seed, n_rows, n_segments, integers, weight):
    rng = np.random.default_rng(seed)
    path = handmade.path([handmade.random_part(rng, n_rows, n_segments, integers)])
    y = rng.choice([-1, 1], n_rows)
    judge(handmade, path, y, draw_weight(rng, weight, n_rows), rng)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 5),
    n_classes=st.integers(3, 5),
    integers=st.booleans(),
    weight=st.sampled_from(["none", "cost", "real"]),
)
def test_votes_of_pairs(handmade, seed, n_rows, n_classes, integers, weight):
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(n_classes), 2))
    parts = [handmade.random_part(rng, n_rows, rng.integers(1, 6), integers) for _ in pairs]
    classes = np.array(list("abcde"))[:n_classes]
    path = handmade.path(parts, classes, pairs)
    judge(handmade, path, rng.choice(classes, n_rows), draw_weight(rng, weight, n_rows), rng)


def test_small_vote_tables_change_nothing(handmade, monkeypatch):
    rng = np.random.default_rng(0)
    pairs = list(itertools.combinations(range(4), 2))
    parts = [handmade.random_part(rng, 20, 15) for _ in pairs]
    path = handmade.path(parts, np.arange(4), pairs)
    y = rng.integers(0, 4, 20)
    whole = trace_curve(path, np.zeros((20, 1)), y, "zero_one")
    monkeypatch.setattr("weightpath.curves.labels.VOTE_TABLE", 16)
    cut = judge(handmade, path, y, None, rng)
    assert np.array_equal(whole.edges, cut.edges) and np.array_equal(whole.values, cut.values)


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_and_layout_do_not_matter(handmade, monkeypatch, order):
    rng = np.random.default_rng(1)
    theta, left, slope = handmade.random_part(rng, 30, 40)
    y = rng.choice([-1, 1], 30)
    part = (theta, np.asarray(left, order=order), np.asarray(slope, order=order))
    curves = []
    for block, piece in ((1, 1 << 16), (7, 100), (100, 64)):
        monkeypatch.setattr("weightpath.curves.sign_changes.PIECE", piece)
        path = handmade.path([part], block=block)
        curves.append(trace_curve(path, np.zeros((30, 1)), y, "zero_one"))
    assert all(np.array_equal(c.edges, curves[0].edges) for c in curves)
    assert all(np.array_equal(c.values, curves[0].values) for c in curves)


def one_row(handmade, breaks, left, right):
    theta = np.asarray(breaks, dtype=float)
    left, right = np.array(left, dtype=float)[:, None], np.array(right, dtype=float)[:, None]
    path = handmade.path([(theta, left, (right - left) / np.diff(theta)[:, None])])
    return trace_curve(path, [[0.0]], [1], "zero_one")


def test_a_crossing_is_where_the_line_is_zero(handmade):
    curve = one_row(handmade, [0, 1], [-1], [3])
    assert curve.edges.tolist() == [0, 0.25, 1] and curve.values.tolist() == [1, 0]


def test_touching_zero_is_no_crossing(handmade):
    assert len(one_row(handmade, [0, 0.5, 1], [1, 0], [0, 1])) == 1
    assert len(one_row(handmade, [0, 0.5, 1], [-1, 0], [0, -1])) == 1


def test_zero_on_a_whole_segment_is_the_first_class(handmade):
    curve = one_row(handmade, [0, 0.25, 0.5, 1], [1, 0, 0], [0, 0, 1])
    assert curve.edges.tolist() == [0, 0.25, 0.5, 1] and curve.values.tolist() == [0, 1, 0]


def test_a_jump_is_a_crossing_at_its_breakpoint(handmade):
    curve = one_row(handmade, [0, 0.5, 1], [1, -1], [1, -2])
    assert curve.edges.tolist() == [0, 0.5, 1] and curve.values.tolist() == [0, 1]


def test_ends_at_zero_leave_no_empty_interval(handmade):
    assert one_row(handmade, [0, 1], [0], [1]).values.tolist() == [0]
    assert one_row(handmade, [0, 1], [1], [0]).values.tolist() == [0]


def test_opposite_changes_at_one_place_cancel(handmade):
    left, slope = np.array([[-1.0, 1.0]]), np.array([[2.0, -2.0]])
    path = handmade.path([(np.array([0.0, 1.0]), left, slope)])
    curve = trace_curve(path, np.zeros((2, 1)), [1, 1], "zero_one")
    assert curve.edges.tolist() == [0, 1] and curve.values.tolist() == [0.5]


def test_rounding_of_costs_makes_no_new_values(handmade):
    weight = np.array([0.1, 0.2, 0.3, 0.7])
    # Every row turns wrong, one after the other, and right again in another order.
    turns = np.array([[1, 2, 3, 4], [6, 8, 5, 7]]) / 10
    left = np.array([turns[0], 0.45 - turns[1]])
    slope = np.array([-np.ones(4), np.ones(4)])
    path = handmade.path([(np.array([0.0, 0.45, 1.0]), left, slope)])
    curve = trace_curve(path, np.zeros((4, 1)), np.ones(4), "zero_one", sample_weight=weight)
    assert len(curve) == 9 and curve.values[0] == curve.values[-1] == 0.0
    assert curve.values[4] == 1.0


def test_a_path_that_stopped_early_keeps_its_span(handmade):
    path = handmade.path([(np.array([0.0, 0.3]), np.array([[1.0]]), np.array([[-4.0]]))])
    curve = trace_curve(path, [[0.0]], [1], "zero_one")
    assert curve.edges.tolist() == [0, 0.25, 0.3]
