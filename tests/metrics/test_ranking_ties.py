"""Metrics of the order where scores meet, part and stay together; judged in fractions."""

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.rank_metrics import dense_ranks, judge_metric
from weightpath.curves.steps import RESOLUTION
from weightpath.metrics import trace_curve


class Lines:
    """A path whose scores are given at both ends of its segments; X holds their numbers.

    Parameters
    ----------
    breaks : list of Fraction
        From 0 to 1.
    left, right : list of lists of Fraction or int
        Scores of all functions at the ends of every segment.
    block : int
        Segments per block.
    """

    def __init__(self, breaks, left, right, block=2):
        self.breaks = [Fraction(t) for t in breaks]
        self.left, self.right, self.block = left, right, block
        self.theta = np.array([float(t) for t in breaks])
        self.classes, self.pairs, self.params = None, None, {}
        self.isolated_theta = np.empty(0)
        self.parts = [SimpleNamespace(reading=SimpleNamespace(kind="svr"))]

    def iter_segments(self, X, block_mb=64, part=0):
        column = np.asarray(X)[:, 0].astype(int)
        left, right = (np.array(v, dtype=float)[:, column] for v in (self.left, self.right))
        slope = (right - left) / np.diff(self.theta)[:, None]
        for first in range(0, len(left), self.block):
            rows = slice(first, first + self.block)
            yield self.theta[:-1][rows], self.theta[1:][rows], left[rows], slope[rows]

    def stretches(self):
        """Between all places where two scores meet: both ends, and the scores in the middle."""
        for s, (left, right) in enumerate(zip(self.left, self.right, strict=True)):
            start, length = self.breaks[s], self.breaks[s + 1] - self.breaks[s]
            lines = {(Fraction(a), Fraction(b)) for a, b in zip(left, right, strict=True)}
            marks = {Fraction(0), Fraction(1)}
            for a, b in lines:
                for c, d in lines:
                    if (a - c) * (b - d) < 0:
                        marks.add((a - c) / (a - c - b + d))
            marks = sorted(marks)
            for low, high in pairwise(marks):
                t = (low + high) / 2
                middle = [a + t * (Fraction(b) - a) for a, b in zip(left, right, strict=True)]
                yield start + low * length, start + high * length, middle


def judge(path, column, y, metric, qid=None, weight=None, **options):
    """Compare a curve with the truth in the middle of every stretch, and its edges with ends."""
    X = np.array(column, dtype=float)[:, None]
    curve = trace_curve(path, X, y, metric, qid=qid, sample_weight=weight, **options)
    ends = []
    for low, high, score in path.stretches():
        ends += [float(low), float(high)]
        ranks = dense_ranks(score)[column]
        truth = judge_metric(metric, y, ranks, query=qid, weight=weight, **options)
        assert curve(float((low + high) / 2)) == pytest.approx(truth, abs=1e-13)
    distance = np.abs(curve.edges[:, None] - np.array(ends)).min(axis=1)
    assert distance.max() < 1e-14
    assert np.all(np.diff(curve.values) != 0)
    assert curve.values.min() >= 0 and curve.values.max() <= 1
    return curve


METRICS = st.sampled_from(
    [
        ("auc", {}),
        ("average_precision", {}),
        ("ndcg", {}),
        ("ndcg", {"k": 2}),
        ("ndcg", {"convention": "paper"}),
        ("ndcg", {"convention": "exponential", "k": 3}),
        ("precision_at_k", {"k": 1}),
        ("precision_at_k", {"k": 3}),
        ("precision_at_k", {"k": 99}),
    ]
)


def random_lines(rng, n_lines, n_segments, spread):
    cuts = sorted(rng.choice(np.arange(1, 24), n_segments - 1, replace=False).tolist())
    breaks = [Fraction(c, 24) for c in [0, *cuts, 24]]
    left = rng.integers(-spread, spread + 1, (n_segments, n_lines))
    right = rng.integers(-spread, spread + 1, (n_segments, n_lines))
    joined = rng.random((n_segments - 1, n_lines)) < 0.7
    left[1:][joined] = right[:-1][joined]
    constant = rng.random(n_segments) < 0.15
    left[constant] = right[constant] = 1
    return Lines(breaks, left.tolist(), right.tolist(), block=int(rng.integers(1, 4)))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_lines=st.integers(1, 7),
    n_segments=st.integers(1, 5),
    spread=st.integers(1, 4),
    n_queries=st.integers(1, 3),
    weighted=st.booleans(),
    metric=METRICS,
)
def test_small_integers(seed, n_lines, n_segments, spread, n_queries, weighted, metric):
    rng = np.random.default_rng(seed)
    name, options = metric
    path = random_lines(rng, n_lines, n_segments, spread)
    n_rows = n_lines + 3
    column = rng.integers(0, n_lines, n_rows)
    qid = np.append(np.zeros(2, dtype=int), rng.integers(0, n_queries, n_rows - 2))
    y = rng.integers(0, 4 if name == "ndcg" else 2, n_rows)
    y[:2] = 0, 1
    weight = None
    if weighted:
        by_row = name in ("auc", "average_precision")
        weight = rng.integers(1, 9, n_rows) / 3.0 if by_row else rng.random(n_queries)[qid]
    judge(path, column, y, name, qid=qid, weight=weight, **options)


@given(seed=st.integers(0, 2**32 - 1), n_lines=st.integers(2, 9), metric=METRICS)
def test_all_scores_meet_at_one_place(seed, n_lines, metric):
    """A pencil of lines reverses its order at once; rounding tells of its pairs in any order."""
    rng = np.random.default_rng(seed)
    place, height = Fraction(int(rng.integers(1, 30)), 31), Fraction(int(rng.integers(-5, 6)), 7)
    slopes = rng.integers(-9, 10, n_lines)
    left = [height - place * int(h) for h in slopes]
    right = [height + (1 - place) * int(h) for h in slopes]
    y = rng.integers(0, 2, n_lines)
    y[:2] = 0, 1
    curve = judge(Lines([0, 1], [left], [right]), np.arange(n_lines), y, metric[0], **metric[1])
    assert len(curve) <= 2


@pytest.mark.parametrize("n_rows", [300, 2000])
def test_a_large_pencil(n_rows):
    """Rounded lines do not quite meet at one place, and most of their pairs cross at others."""
    rng = np.random.default_rng(0)
    slope = rng.normal(size=n_rows)
    y = rng.integers(0, 2, n_rows)
    path = Lines([0, 1], [(1.0 - slope / 3).tolist()], [(1.0 + 2 * slope / 3).tolist()])
    X = np.arange(n_rows, dtype=float)[:, None]
    for metric, options in (("auc", {}), ("average_precision", {}), ("ndcg", {"k": 20})):
        curve = trace_curve(path, X, y, metric, **options)
        before, after = (judge_metric(metric, y, sign * slope, **options) for sign in (-1, 1))
        assert curve.values[[0, -1]] == pytest.approx([before, after], abs=1e-12)
        assert np.abs(curve.edges[1:-1] - 1 / 3).max() < 1e-8
        assert curve.values.max() <= 1


def test_constant_scores_are_one_tie():
    path = Lines([0, 1], [[3] * 5], [[3] * 5])
    y = [0, 1, 1, 0, 1]
    for metric, options, value in [
        ("auc", {}, 0.5),
        ("average_precision", {}, 0.6),
        ("precision_at_k", {"k": 2}, 0.6),
    ]:
        curve = judge(path, np.arange(5), y, metric, **options)
        assert curve.values.tolist() == pytest.approx([value])


def test_touching_changes_nothing():
    breaks = [0, Fraction(1, 2), 1]
    path = Lines(breaks, [[1, 0], [0, 0]], [[0, 0], [1, 0]])
    assert len(judge(path, [0, 1], [1, 0], "auc")) == 1


def test_ties_form_and_dissolve_at_breakpoints():
    breaks = [Fraction(i, 3) for i in range(4)]
    path = Lines(breaks, [[1, 0], [0, 0], [0, 0]], [[0, 0], [0, 0], [0, 1]])
    curve = judge(path, [0, 1], [1, 0], "auc")
    assert curve.values.tolist() == [1, 0.5, 0]


def test_scores_may_jump():
    path = Lines([0, Fraction(1, 4), 1], [[2, 1, 0], [0, 5, 6]], [[2, 1, 0], [0, 5, 6]])
    curve = judge(path, [0, 1, 2], [1, 0, 0], "auc")
    assert curve.edges.tolist() == [0, 0.25, 1] and curve.values.tolist() == [1, 0]


def test_a_large_jump_is_sorted_afresh():
    rng = np.random.default_rng(1)
    left = rng.permutation(500)[None].repeat(3, axis=0)
    left[1] = rng.permutation(500)
    y = rng.integers(0, 2, 500)
    path = Lines([0, Fraction(1, 4), Fraction(1, 2), 1], left.tolist(), left.tolist())
    curve = trace_curve(path, np.arange(500.0)[:, None], y, "average_precision")
    truth = [judge_metric("average_precision", y, score) for score in left]
    assert curve.edges.tolist() == [0, 0.25, 0.5, 1]
    assert curve.values == pytest.approx(truth, abs=1e-12)


def test_a_segment_within_the_resolution_is_passed_over():
    tiny = Fraction(RESOLUTION) / 2
    breaks = [0, Fraction(1, 2), Fraction(1, 2) + tiny, 1]
    path = Lines(breaks, [[1, 0], [0, 1], [1, 0]], [[1, 0], [0, 1], [1, 0]])
    curve = trace_curve(path, [[0.0], [1.0]], [1, 0], "auc")
    assert curve.values.tolist() == [1]


def test_lines_that_differ_by_rounding_are_tied():
    step = np.spacing(1.0)
    path = Lines([0, 1], [[1.0, 1.0 + step, 0.0]], [[2.0 + 2 * step, 2.0, 0.0]])
    curve = trace_curve(path, np.arange(3.0)[:, None], [1, 0, 0], "auc")
    assert curve.values.tolist() == [0.75]


def test_touching_within_rounding_changes_nothing():
    breaks = [0, Fraction(1, 2), 1]
    path = Lines(breaks, [[2e-13, 0, 1], [-3e-15, 0, 1]], [[-3e-15, 0, 1], [2e-13, 0, 1]])
    curve = trace_curve(path, np.arange(3.0)[:, None], [1, 0, 0], "auc")
    assert curve.values.tolist() == [0.5]


def test_the_first_place_is_never_empty():
    """Of two lines that part by rounding only at the end, the third meets the lower one last."""
    left = [0.75 + 4e-14, 0.75, 0.74, -1.0]
    right = [0.75 - 3e-15, 0.75, 0.7501, -1.0]
    path = Lines([0, 1], [left], [right])
    curve = trace_curve(path, np.arange(4.0)[:, None], [1, 1, 1, 0], "precision_at_k", k=1)
    assert curve.values.tolist() == [1]


def test_equal_values_are_equal():
    """A value that comes back after many crossings is the same number, also with weights."""
    rng = np.random.default_rng(2)
    ends = rng.normal(size=(2, 40))
    turn = [ends[i % 2].tolist() for i in range(7)]
    breaks = [Fraction(i, 6) for i in range(7)]
    path = Lines(breaks, turn[:-1], turn[1:])
    X, y, weight = np.arange(40.0)[:, None], rng.integers(0, 2, 40), rng.random(40)
    for metric in ("auc", "average_precision"):
        curve = trace_curve(path, X, y, metric, sample_weight=weight)
        assert np.unique(curve(np.arange(0, 1.1, 1 / 3).clip(0, 1))).size == 1
        assert len(np.unique(curve.values)) <= len(curve) / 6 + 2


def test_blocks_do_not_matter():
    rng = np.random.default_rng(3)
    path = random_lines(rng, 20, 12, 9)
    X, y = np.arange(20.0)[:, None], rng.integers(0, 5, 20)
    curves = []
    for path.block in (1, 5, 100):
        curves.append(trace_curve(path, X, y, "ndcg", qid=np.arange(20) % 3))
    assert all(np.array_equal(c.edges, curves[0].edges) for c in curves)
    assert all(np.array_equal(c.values, curves[0].values) for c in curves)
