"""Metrics of the order on real paths, against scikit-learn at many places."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import StandardScaler

import weightpath as wp
from judges.rank_metrics import judge_metric, orderly_values

OPTIONS = [
    ("auc", {}),
    ("average_precision", {}),
    ("ndcg", {}),
    ("ndcg", {"k": 7, "convention": "exponential"}),
    ("ndcg", {"k": 10, "convention": "paper"}),
    ("precision_at_k", {"k": 12}),
]


@pytest.fixture(scope="module")
def toy():
    data = wp.datasets.make_toy(200, random_state=0)
    model = wp.SVC(C=data.C, kernel="rbf", gamma=data.gamma)
    path = model.fit(data.X, data.y, sample_weight=data.w_old).reweight(data.w_new)
    valid = wp.datasets.make_toy(80, random_state=1, like=data)
    return path, valid.X, valid.y


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 3, 300).astype(float)
    path = wp.SVC(C=1.0, kernel="linear").fit(X[:300], y[:300]).reweight(weight)
    return path, X[300:420], y[300:420]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    grade = np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8]), y)
    rng = np.random.default_rng(1)
    model = wp.SVR(C=10.0, epsilon=10.0, kernel="rbf", gamma=5.0).fit(X[:150], y[:150])
    path = model.reweight(rng.integers(0, 4, 150))
    return path, X[150:250], grade[150:250]


def sharp(score):
    """Whether no two scores are so close that rounding may have swapped them."""
    gap = np.diff(np.sort(np.asarray(score), axis=-1), axis=-1).min(axis=-1)
    return gap > 1e-12 * np.abs(score).max(axis=-1)


def places(curve, rng, n_random, n_edges):
    """Random theta, and both sides of some edges, half of 1e-9 away."""
    inner = curve.edges[1:-1]
    inner = rng.choice(inner, min(n_edges, len(inner)), replace=False)
    return np.concatenate((rng.random(n_random), inner - 0.5e-9, inner + 0.5e-9))


def compare(curve, path, X, y, theta, metric, **options):
    scores = path.decision_function(X, theta)
    clear = sharp(scores)
    assert clear.mean() > 0.95
    for at, score in zip(theta[clear], scores[clear], strict=True):
        assert curve(at) == pytest.approx(judge_metric(metric, y, score, **options), abs=1e-12), at
    assert curve.degree == 0 and curve.greater_is_better and curve.metric == metric
    assert curve.edges[0] == 0 and curve.edges[-1] == 1
    assert np.all(np.diff(curve.values) != 0)


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@pytest.mark.parametrize("data", ["toy", "cancer"])
def test_classifiers(request, data, metric, options):
    path, X, y = request.getfixturevalue(data)
    curve = path.curve(X, y, metric, **options)
    theta = places(curve, np.random.default_rng(0), 200, 50)
    compare(curve, path, X, y == path.classes[1], theta, metric, **options)


@pytest.mark.parametrize("metric", ["auc", "average_precision"])
@pytest.mark.parametrize("kind", ["cost", "real", "zero"])
def test_weights_of_rows(cancer, metric, kind):
    path, X, y = cancer
    rng = np.random.default_rng(2)
    weight = {
        "cost": rng.integers(1, 4, len(y)).astype(float),
        "real": rng.exponential(size=len(y)),
        "zero": rng.integers(0, 2, len(y)).astype(float),
    }[kind]
    curve = path.curve(X, y, metric, sample_weight=weight)
    theta = places(curve, rng, 30, 20)
    compare(curve, path, X, y, theta, metric, weight=weight)


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_queries_of_grades(diabetes, metric, options, weighted):
    path, X, grade = diabetes
    rng = np.random.default_rng(3)
    qid = rng.choice(list("abcde"), len(grade), p=[0.5, 0.25, 0.15, 0.05, 0.05])
    qid[17] = "alone"
    y = grade if metric in ("ndcg", "precision_at_k") else (grade > 2).astype(float)
    by_row = metric in ("auc", "average_precision")
    weight = rng.random(len(y)) if by_row else np.searchsorted(list("abcde"), qid) + 0.5
    weight = weight if weighted else None
    curve = path.curve(X, y, metric, qid=qid, sample_weight=weight, **options)
    theta = places(curve, rng, 30, 20)
    compare(curve, path, X, y, theta, metric, query=qid, weight=weight, **options)


@pytest.mark.parametrize("k", [1, 2, 5, 79, 80, 1000])
@pytest.mark.parametrize("metric", ["ndcg", "precision_at_k"])
def test_any_k(toy, metric, k):
    path, X, y = toy
    curve = path.curve(X, y, metric, k=k)
    theta = places(curve, np.random.default_rng(k), 20, 20)
    compare(curve, path, X, y > 0, theta, metric, k=k)


@pytest.fixture(scope="module")
def scores_of_twenty(toy):
    """Scores of every fourth row at any theta, from the segments."""
    path, X, _ = toy
    blocks = list(zip(*path.iter_segments(X[::4]), strict=True))
    left, value, slope = (np.concatenate(blocks[part]) for part in (0, 2, 3))

    def scores(theta):
        segment = np.searchsorted(left, theta, side="right") - 1
        return value[segment] + slope[segment] * (theta - left[segment])[:, None]

    return scores


@pytest.mark.parametrize(
    ("metric", "k"),
    [
        ("auc", None),
        ("average_precision", None),
        ("ndcg", None),
        ("ndcg", 5),
        ("precision_at_k", 6),
    ],
)
def test_a_fine_grid_finds_nothing_new(toy, scores_of_twenty, metric, k):
    path, X, y = toy
    X, y = X[::4], y[::4]
    curve = path.curve(X, y, metric, **({} if k is None else {"k": k}))
    inner = curve.edges[1:-1]
    theta = np.linspace(0, 1, 100_000)
    after = np.searchsorted(inner, theta)
    edges = np.concatenate(([-np.inf], inner, [np.inf]))
    theta = theta[np.minimum(theta - edges[after], edges[after + 1] - theta) > 1e-9]
    assert len(theta) > 99_000 and len(inner) >= 2
    values = orderly_values(metric, y > 0, scores_of_twenty(theta), k)
    assert np.abs(curve(theta) - values).max() < 1e-12
    sides = np.concatenate((inner - 0.5e-9, inner + 0.5e-9))
    sides = sides[sharp(scores_of_twenty(sides))]
    assert len(sides) > 1.9 * len(inner)
    values = orderly_values(metric, y > 0, scores_of_twenty(sides), k)
    assert np.abs(curve(sides) - values).max() < 1e-12


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
def test_equal_rows_are_tied(cancer, metric, options):
    """Also where they stand far apart, so that rounding differs; judged on distinct rows."""
    path, X, _ = cancer
    rng = np.random.default_rng(4)
    copy = rng.integers(0, 40, 90)
    labels = rng.integers(0, 2, 90)
    curve = path.curve(X[copy], labels, metric, **options)
    theta = places(curve, rng, 30, 20)
    scores = path.decision_function(X[:40], theta)
    clear = sharp(scores)
    assert clear.mean() > 0.95
    for at, score in zip(theta[clear], scores[clear], strict=True):
        value = judge_metric(metric, labels, score[copy], **options)
        assert curve(at) == pytest.approx(value, abs=1e-12)


def test_best_is_what_its_model_has(toy):
    path, X, y = toy
    best = path.curve(X, y, "auc").best
    score = path.model_at(best.theta).decision_function(X)
    assert judge_metric("auc", y > 0, score) == pytest.approx(best.value, abs=1e-12)


def test_one_class(toy):
    _, X, y = toy
    model = wp.OneClassSVM(nu=0.3, gamma=2.0).fit(X[:30])
    path = model.reweight(np.linspace(0.5, 1.5, 30))
    X, y = X[30:], y[30:]
    curve = path.curve(X, y, "auc")
    compare(curve, path, X, y > 0, places(curve, np.random.default_rng(5), 50, 20), "auc")
