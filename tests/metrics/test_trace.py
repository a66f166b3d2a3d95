"""What may go into a curve, and what is said when it may not; the time it takes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import weightpath as wp
from weightpath.metrics import trace_curve


@pytest.fixture
def path(handmade):
    return handmade.path([handmade.random_part(np.random.default_rng(0), 4, 3)])


X = np.zeros((4, 2))
Y = [1, -1, 1, -1]


REGRESSION = ["squared", "absolute", "epsilon_insensitive", "pinball"]
RANKING = ["auc", "average_precision", "ndcg", "precision_at_k"]
CONFUSION = ["accuracy", "balanced_accuracy", "precision", "recall", "f1", "matthews", "cost"]
GROUPS = ["demographic_parity", "equal_opportunity"]


def test_unknown_metric_names_those_that_are_possible(path):
    names = ", ".join(map(repr, ["zero_one", "hinge", *CONFUSION, *GROUPS, *RANKING]))
    with pytest.raises(ValueError, match=rf"Unknown.*possible here: {names}\.$"):
        trace_curve(path, X, Y, "acuracy")
    with pytest.raises(ValueError, match="Unknown"):
        trace_curve(path, X, Y, ["hinge"])
    assert wp.metrics.names() == [
        "zero_one",
        "hinge",
        *CONFUSION,
        *GROUPS,
        *RANKING,
        *REGRESSION,
    ]


def test_metric_that_does_not_fit_names_those_that_do(handmade):
    parts = [handmade.random_part(np.random.default_rng(0), 4, 3)] * 3
    several = handmade.path(parts, list("abc"), [(0, 1), (0, 2), (1, 2)])
    names = ", ".join(map(repr, ["zero_one", *CONFUSION, *GROUPS]))
    with pytest.raises(ValueError, match=rf"3 classes.*possible here: {names}\.$"):
        trace_curve(several, X, list("abca"), "hinge")
    names = ", ".join(map(repr, RANKING + REGRESSION))
    with pytest.raises(ValueError, match=rf"without classes; possible here: {names}\.$"):
        trace_curve(handmade.path(parts[:1], None, kind="svr"), X, [0.5] * 4, "zero_one")
    with pytest.raises(ValueError, match=r"without classes; possible here: 'auc'"):
        trace_curve(handmade.path(parts[:1], None, kind="one-class"), X, Y, "squared")


@pytest.mark.parametrize("metric", REGRESSION)
def test_metrics_of_regression_are_not_for_classes(path, metric):
    names = ", ".join(map(repr, ["zero_one", "hinge", *CONFUSION, *GROUPS, *RANKING]))
    with pytest.raises(ValueError, match=rf"two classes; possible here: {names}\.$"):
        trace_curve(path, X, Y, metric)


def test_unknown_labels_are_named(path):
    with pytest.raises(ValueError, match=r"does not know: 0, 7\. Its classes are: -1, 1"):
        trace_curve(path, X, [1, 0, 7, 0], "zero_one")


@pytest.mark.parametrize("option", [{"qid": [1, 1, 2, 2]}, {"k": 3}])
def test_options_of_ranking_are_refused(path, option):
    with pytest.raises(ValueError, match=r"takes no .*'ndcg', 'precision_at_k'"):
        trace_curve(path, X, Y, "zero_one", **option)


@pytest.mark.parametrize("weight", [[1, 1], [1, 1, 1, -1], [1, 1, 1, np.nan], [0, 0, 0, 0]])
def test_bad_weights(path, weight):
    with pytest.raises(ValueError, match="sample_weight"):
        trace_curve(path, X, Y, "zero_one", sample_weight=weight)


def test_bad_data(path):
    with pytest.raises(ValueError, match="4 rows but y has 3"):
        trace_curve(path, X, Y[:3], "zero_one")
    with pytest.raises(ValueError, match="NaN"):
        trace_curve(path, np.full((4, 2), np.nan), Y, "zero_one")
    with pytest.raises(ValueError, match="one-dimensional"):
        trace_curve(path, X, [[1, 1]] * 4, "zero_one")


def test_sparse_rows_and_columns_of_labels(path):
    dense = trace_curve(path, X, Y, "zero_one")
    sparse = trace_curve(path, csr_array(X), np.array(Y, dtype=float)[:, None], "zero_one")
    assert np.array_equal(dense.edges, sparse.edges)


@pytest.mark.parametrize("metric", ["zero_one", "hinge", *REGRESSION])
def test_segments_are_gone_through_once(handmade, metric):
    rng = np.random.default_rng(0)
    theta, left, slope = handmade.random_part(rng, 40, 60, integers=False, jump=0.0)
    classes = None if metric in REGRESSION else (-1, 1)
    path = handmade.path([(theta, left, slope)], classes, block=7, params={"epsilon": 0.5})
    calls, whole = [], path.iter_segments

    def counted(*arguments, **options):
        calls.append(arguments)
        return whole(*arguments, **options)

    path.iter_segments = counted
    trace_curve(path, np.zeros((40, 1)), rng.choice([-1, 1], 40), metric)
    assert len(calls) == 1
