"""Queries, weights and options of metrics of the order, and what is said of wrong ones."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import weightpath as wp
from judges.rank_metrics import judge_metric
from weightpath.curves.queries import distinct_rows
from weightpath.metrics import trace_curve
from weightpath.metrics.ids import encode_ids

RANKING = [("auc", {}), ("average_precision", {}), ("ndcg", {}), ("precision_at_k", {"k": 2})]


@pytest.fixture
def still(handmade):
    """A path without classes on which six scores stay as they are; X holds their numbers."""

    def make(classes=None, scores=(6.0, 5.0, 4.0, 3.0, 2.0, 1.0)):
        scores = np.array([scores])
        path = handmade.path([(np.array([0.0, 1.0]), scores, 0 * scores)], classes, kind="svr")
        path.iter_segments = lambda X: [
            (*np.array([[0.0], [1.0]]), scores[:, X[:, 0].astype(int)], 0 * scores[:, : len(X)])
        ]
        return path

    return make


X = np.arange(6.0)[:, None]
QUERIES = [
    ["b", "a", "b", "a", "a", "b"],
    np.array([7, -1, 7, -1, -1, 7]),
    np.array([0.5, 2.5, 0.5, 2.5, 2.5, 0.5]),
    [("u", 1), ("v", 1), ("u", 1), ("v", 1), ("v", 1), ("u", 1)],
    np.array([2**60, "x", 2**60, "x", "x", 2**60], dtype=object),
]


@pytest.mark.parametrize("qid", QUERIES)
@pytest.mark.parametrize(("metric", "options"), RANKING)
def test_ids_of_queries(still, qid, metric, options):
    y = [1, 0, 0, 1, 0, 1]
    curve = trace_curve(still(), X, y, metric, qid=qid, **options)
    truth = judge_metric(metric, y, [6, 5, 4, 3, 2, 1], query=list("babaab"), **options)
    assert curve.values.tolist() == [pytest.approx(truth, abs=1e-15)]


def test_queries_are_numbered():
    assert encode_ids(["x", "y", "x"], 3, "qid", "query").tolist() == [0, 1, 0]


def test_without_queries_all_rows_are_one(still):
    y = [1, 0, 0, 1, 0, 1]
    one, none = (trace_curve(still(), X, y, "auc", qid=qid) for qid in ([5] * 6, None))
    assert one.values.tolist() == none.values.tolist()


@pytest.mark.parametrize(
    ("qid", "message"),
    [
        ([1, 2], r"shape \(6,\)"),
        (np.ones((6, 1)), r"shape \(6,\)"),
        ([1.0, 1.0, np.nan, 2.0, 2.0, 2.0], "missing"),
        ([1, 1, None, 2, 2, 2], "missing"),
        ([[1], [1], [1], [2], [2], [2]], "hashable"),
    ],
)
def test_bad_queries(still, qid, message):
    with pytest.raises(ValueError, match=message):
        trace_curve(still(), X, [0, 1, 0, 1, 0, 1], "auc", qid=qid)


def test_queries_without_relevant_rows(still):
    y, qid = [0, 1, 0, 0, 0, 0], [1, 1, 1, 2, 2, 2]
    for metric, options, value in [
        ("auc", {}, 0.5),
        ("average_precision", {}, 0.5),
        ("ndcg", {}, 0.5 / np.log2(3)),
        ("precision_at_k", {"k": 2}, 0.25),
    ]:
        curve = trace_curve(still(), X, y, metric, qid=qid, **options)
        assert curve.values.tolist() == [pytest.approx(value, abs=1e-15)]


def test_no_query_is_defined(still):
    for y in (np.zeros(6), np.array([0, 0, 0, 1, 1, 1])):
        with pytest.raises(ValueError, match=r"'auc' is not defined.*no query has both"):
            trace_curve(still(), X, y, "auc", qid=[1, 1, 1, 2, 2, 2])
    with pytest.raises(ValueError, match=r"'average_precision' is not defined.*y has no relevant"):
        trace_curve(still(), X, np.zeros(6), "average_precision")
    with pytest.raises(ValueError, match="not defined"):
        trace_curve(still(), X, [1, 1, 1, 0, 0, 0], "auc", sample_weight=[0, 0, 0, 1, 1, 1])
    for metric, options in RANKING[2:]:
        curve = trace_curve(still(), X, np.zeros(6), metric, **options)
        assert curve.edges.tolist() == [0, 1] and curve.values.tolist() == [0]


def test_perfect_orders_have_the_value_one(still):
    y = [3, 2, 2, 1, 0, 0]
    for convention in ("sklearn", "exponential", "paper"):
        assert trace_curve(still(), X, y, "ndcg", convention=convention).values == [1]
    for metric in ("auc", "average_precision"):
        assert trace_curve(still(), X, [1, 1, 1, 0, 0, 0], metric).values == [1]


def test_conventions_by_hand(still):
    y = [0, 2, 1, 0, 0, 0]
    log = np.log2
    for convention, value in [
        ("sklearn", (2 / log(3) + 1 / 2) / (2 + 1 / log(3))),
        ("exponential", (3 / log(3) + 1 / 2) / (3 + 1 / log(3))),
        ("paper", (3 + 1 / log(3)) / (3 + 1)),
    ]:
        curve = trace_curve(still(), X, y, "ndcg", k=3, convention=convention)
        assert curve.values.tolist() == [pytest.approx(value, abs=1e-15)]
    default = trace_curve(still(), X, y, "ndcg").values
    assert default == trace_curve(still(), X, y, "ndcg", convention="sklearn").values


def test_weights_of_queries(still):
    y, qid = [0, 1, 0, 1, 0, 0], [1, 1, 1, 2, 2, 2]
    weight = [2, 2, 2, 6, 6, 6]
    curve = trace_curve(still(), X, y, "precision_at_k", k=1, qid=qid, sample_weight=weight)
    assert curve.values.tolist() == [0.75]
    alone = trace_curve(still(), X, y, "ndcg", qid=qid, sample_weight=[0, 0, 0, 1, 1, 1])
    assert alone.values.tolist() == [1]
    for query in (qid, None):
        with pytest.raises(ValueError, match="weighs queries, not rows"):
            trace_curve(still(), X, y, "ndcg", qid=query, sample_weight=[1, 1, 2, 1, 1, 1])


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("metric", ["auc", "average_precision"])
def test_weights_of_any_size(still, metric, scale):
    y = np.array([0, 1, 0, 1, 1, 0])
    weight = np.array([0.3, 0.2, 0.7, 1e-9, 0.5, 3.0])
    value = trace_curve(still(), X, y, metric, sample_weight=scale * weight).values[0]
    truth = judge_metric(metric, y, 6 - X[:, 0], weight=weight)
    assert value == pytest.approx(truth, abs=1e-14)


@pytest.mark.parametrize("metric", ["auc", "average_precision"])
def test_two_kinds_of_rows(still, metric):
    grades = [0, 1, 2, 0, 1, 2]
    with pytest.raises(ValueError, match=r"needs two kinds of rows.*3 different values"):
        trace_curve(still(), X, grades, metric)
    signs = trace_curve(still(), X, [-1, 1, 1, -1, 1, 1], metric)
    assert signs.values == trace_curve(still(), X, [0, 1, 1, 0, 1, 1], metric).values


def test_grades_of_precision(still):
    assert trace_curve(still(), X, [2, 0, 1, -3, 1, 2], "precision_at_k", k=4).values == [0.5]


def test_gains_must_make_sense(still):
    with pytest.raises(ValueError, match="not negative"):
        trace_curve(still(), X, [1, 0, 0, 0, 0, -1], "ndcg")
    with pytest.raises(ValueError, match="too large for gains"):
        trace_curve(still(), X, [1, 0, 0, 0, 0, 2000], "ndcg", convention="paper")
    assert trace_curve(still(), X, [2e300, 0, 0, 0, 0, 1e300], "ndcg", k=1).values == [1]
    assert trace_curve(still(), X, [2e-300, 0, 0, 0, 0, 1e-300], "ndcg", k=1).values == [1]


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3"])
@pytest.mark.parametrize("metric", ["ndcg", "precision_at_k"])
def test_bad_k(still, metric, k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        trace_curve(still(), X, [1, 0, 0, 1, 0, 0], metric, k=k)


def test_options_of_others(still):
    y = [1, 0, 0, 1, 0, 0]
    with pytest.raises(ValueError, match="needs k="):
        trace_curve(still(), X, y, "precision_at_k")
    with pytest.raises(ValueError, match="takes no k: it is for 'ndcg', 'precision_at_k'"):
        trace_curve(still(), X, y, "auc", k=3)
    with pytest.raises(ValueError, match="takes no convention: it is for 'ndcg'"):
        trace_curve(still(), X, y, "precision_at_k", k=3, convention="paper")
    with pytest.raises(ValueError, match="convention must be one of 'sklearn'"):
        trace_curve(still(), X, y, "ndcg", convention="letor")


@pytest.mark.parametrize(("metric", "options"), RANKING)
def test_not_for_several_classes(handmade, metric, options):
    parts = [handmade.random_part(np.random.default_rng(0), 6, 3)] * 3
    path = handmade.path(parts, list("abc"), [(0, 1), (0, 2), (1, 2)])
    with pytest.raises(ValueError, match="not defined for a path with 3 classes"):
        trace_curve(path, X, list("abcabc"), metric, **options)


@pytest.mark.parametrize(("metric", "options"), RANKING)
def test_relevant_is_the_second_class(still, metric, options):
    path = still(classes=["ham", "spam"])
    y = np.array(["ham", "spam", "ham", "spam", "ham", "ham"])
    curve = trace_curve(path, X, y, metric, **options)
    truth = judge_metric(metric, y == "spam", 6 - X[:, 0], **options)
    assert curve.values.tolist() == [pytest.approx(truth, abs=1e-15)]


def test_distinct_rows():
    rows = np.array([[1.0, 0.0], [1.0, -0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    query = np.array([1, 1, 0, 1, 1])
    for X in (rows, csr_array(rows)):
        first, item = distinct_rows(X, query)
        assert first.tolist() == [2, 0, 3] and item.tolist() == [1, 1, 0, 2, 1]


def test_stored_zeros_of_sparse_rows():
    X = csr_array(([1.0, 0.0, 1.0], [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    assert distinct_rows(X, np.zeros(2, dtype=int))[1].tolist() == [0, 0] and X.nnz == 3


@pytest.mark.parametrize(("metric", "options"), RANKING)
def test_sparse_and_dense_agree(metric, options):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 3, (70, 6)) * (rng.random((70, 6)) < 0.4)
    y = np.where(dense @ rng.normal(size=6) + rng.normal(size=70) > 0, 1, 0)
    path = wp.SVC(kernel="linear").fit(dense[:40], y[:40]).reweight(rng.random(40))
    curves = [path.curve(X[40:], y[40:], metric, **options) for X in (dense, csr_array(dense))]
    assert (
        np.abs(curves[0](np.linspace(0, 1, 999)) - curves[1](np.linspace(0, 1, 999))).max() < 1e-12
    )
