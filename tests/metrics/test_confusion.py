"""Metrics of the confusion matrix against scikit-learn, everywhere on the path."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.datasets import load_iris, make_classification

import weightpath as wp
from weightpath.metrics import Outputs, trace_curve
from weightpath.metrics.evaluator import Evaluator

COSTS = np.array([[0.0, 1.0, 7.0, -1.0], [5.0, -2.0, 0.5, 2.0], [3, 1, 0, 4], [1, 1, 2, 0]])


def averaged(score):
    """Two classes: the second one; more: the macro average."""

    def value(y, guess, weight, classes):
        some = weight > 0
        y, guess, weight = y[some], guess[some], weight[some]
        if len(classes) > 2:
            return score(y, guess, sample_weight=weight, average="macro", zero_division=0)
        return score(y == classes[1], guess == classes[1], sample_weight=weight, zero_division=0)

    return value


def weighted(score):
    def value(y, guess, weight, classes):
        some = weight > 0
        return score(y[some], guess[some], sample_weight=weight[some])

    return value


def mean_cost(y, guess, weight, classes):
    of = {label: i for i, label in enumerate(classes.tolist())}
    cost = [COSTS[of[a], of[b]] for a, b in zip(y.tolist(), guess.tolist(), strict=True)]
    return weight @ cost / weight.sum()


def exact_correlation(y, guess, weight, classes):
    """In rational numbers: scikit-learn's formula cancels where weights differ widely."""
    v = [Fraction(float(one)) for one in weight]
    total = sum(v)

    def mean(first, second):
        """Mean product of the indicators of classes, minus the product of their means."""
        found = Fraction(0)
        for c in classes:
            a, b = first == c, second == c
            both = sum(w for w, p, q in zip(v, a, b, strict=True) if p and q)
            one = sum(w for w, p in zip(v, a, strict=True) if p)
            other = sum(w for w, q in zip(v, b, strict=True) if q)
            found += both / total - one * other / total**2
        return found

    spread = mean(y, y) * mean(guess, guess)
    if spread == 0:
        return 0.0
    common = mean(y, guess)
    return float(np.copysign(np.sqrt(float(common**2 / spread)), float(common)))


JUDGES = {
    "zero_one": weighted(theirs.zero_one_loss),
    "accuracy": weighted(theirs.accuracy_score),
    "balanced_accuracy": weighted(theirs.balanced_accuracy_score),
    "precision": averaged(theirs.precision_score),
    "recall": averaged(theirs.recall_score),
    "f1": averaged(theirs.f1_score),
    "matthews": weighted(theirs.matthews_corrcoef),
    "cost": mean_cost,
}


def options_of(metric, n_classes):
    return {"cost_matrix": COSTS[:n_classes, :n_classes]} if metric == "cost" else {}


def judged(metric, y, guess, weight, classes):
    with warnings.catch_warnings():
        # A class that is predicted, but not among the labels, is what is tested here.
        warnings.simplefilter("ignore")
        if metric == "matthews" and weight.max() > 1e3 * weight.min():
            return exact_correlation(y, guess, weight, classes)
        return JUDGES[metric](y, guess, weight, classes)


def draw_weight(rng, kind, n):
    return {
        "none": None,
        "whole": rng.integers(1, 4, n).astype(float),
        "real": np.append(rng.random(n - 1), 0.5),
        "zero": np.append(rng.integers(0, 2, n - 1), 1).astype(float),
        "wide": 10.0 ** np.append(rng.uniform(-6, 6, n - 1), 0.0),
    }[kind]


WEIGHTS = ["none", "whole", "real", "zero", "wide"]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 7),
    n_classes=st.sampled_from([2, 3, 4]),
    integers=st.booleans(),
    kind=st.sampled_from(WEIGHTS),
    metric=st.sampled_from(sorted(JUDGES)),
)
def test_whole_curves(handmade, seed, n_rows, n_classes, integers, kind, metric):
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(n_classes), 2))
    parts = [handmade.random_part(rng, n_rows, rng.integers(1, 6), integers) for _ in pairs]
    classes = np.array(list("abcd"))[:n_classes]
    path = handmade.path(parts, classes, pairs if n_classes > 2 else None)
    # Some classes may be absent from the labels.
    y = rng.choice(classes[: rng.integers(1, n_classes + 1)], n_rows)
    weight = draw_weight(rng, kind, n_rows)
    given = options_of(metric, n_classes)
    X = np.zeros((n_rows, 1))
    curve = trace_curve(path, X, y, metric, sample_weight=weight, **given)
    v = np.ones(n_rows) if weight is None else weight
    for theta in rng.permutation(handmade.places(curve, path, rng, 40))[:40]:
        if path.sharp(theta):
            truth = judged(metric, y, path.labels(theta), v, classes)
            assert curve(theta) == pytest.approx(truth, abs=1e-12), theta
    assert np.all(np.diff(curve.values) != 0)
    assert curve.metric == metric
    assert curve.greater_is_better == (metric not in ("zero_one", "cost"))
    if metric != "cost":
        assert curve.values.max() <= 1 + 1e-15 and curve.values.min() >= -1


@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.sampled_from([2, 4]),
    metric=st.sampled_from(sorted(JUDGES)),
)
def test_isolated_theta(handmade, seed, n_classes, metric):
    rng = np.random.default_rng(seed)
    n_rows = 5
    pairs = list(itertools.combinations(range(n_classes), 2))
    parts = [handmade.random_part(rng, n_rows, 3) for _ in pairs]
    marks = np.concatenate(([0.0, 1.0], rng.random(2), parts[0][0][1:2]))
    isolated = {
        float(theta): rng.integers(-1, 2, (n_rows, len(pairs))).astype(float) for theta in marks
    }
    classes = np.arange(n_classes)
    path = handmade.path(parts, classes, pairs if n_classes > 2 else None, isolated=isolated)
    X, y = np.arange(float(n_rows))[:, None], rng.integers(0, n_classes, n_rows)
    weight = rng.random(n_rows) + 0.1
    given = options_of(metric, n_classes)
    curve = trace_curve(path, X, y, metric, sample_weight=weight, **given)
    value_at = Evaluator(metric, Outputs(classes, path.pairs), n_rows, y, weight, given)
    for theta, values in isolated.items():
        if n_classes == 2:
            guess = (values[:, 0] > 0).astype(int)
        else:
            votes = np.zeros((n_rows, n_classes))
            for p, pair in enumerate(pairs):
                votes[np.arange(n_rows), np.where(values[:, p] > 0, *pair)] += 1
            guess = votes.argmax(axis=1)
        truth = judged(metric, y, guess, weight, classes)
        assert curve(theta) == pytest.approx(truth, abs=1e-12)
        assert value_at(values) == pytest.approx(truth, abs=1e-12)


@pytest.fixture(scope="module")
def spam():
    X, y = make_classification(300, 5, flip_y=0.1, random_state=0)
    y = np.array(["ham", "spam"])[y]
    rng = np.random.default_rng(0)
    path = wp.SVC(C=5.0, gamma=0.3).fit(X[:120], y[:120]).reweight(rng.integers(0, 5, 120))
    return path, X[120:], y[120:]


@pytest.fixture(scope="module")
def four():
    X, y = make_classification(
        300, 6, n_informative=5, n_classes=4, n_redundant=1, flip_y=0.1, random_state=1
    )
    rng = np.random.default_rng(1)
    path = wp.SVC(C=5.0, gamma=0.1).fit(X[:150], y[:150]).reweight(rng.integers(0, 4, 150))
    return path, X[150:], y[150:]


@pytest.mark.parametrize("metric", JUDGES)
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("sample", ["spam", "four"])
def test_models_of_a_real_path(request, sample, kind, metric):
    path, X, y = request.getfixturevalue(sample)
    rng = np.random.default_rng(2)
    weight = draw_weight(rng, kind, len(y))
    given = options_of(metric, len(path.classes))
    curve = path.curve(X, y, metric, sample_weight=weight, **given)
    v = np.ones(len(y)) if weight is None else weight
    middles = 0.5 * (curve.edges[1:] + curve.edges[:-1])
    middles = middles[np.diff(curve.edges) > 1e-6]
    for theta in np.concatenate((rng.random(12), rng.choice(middles, min(12, len(middles))))):
        guess = path.model_at(theta).predict(X)
        truth = judged(metric, y, guess, v, path.classes)
        assert curve(theta) == pytest.approx(truth, abs=1e-12)
    best = curve.values.max() if curve.greater_is_better else curve.values.min()
    assert curve.best.value == pytest.approx(best, abs=1e-15)


def test_labels_of_one_class_only(spam):
    path, X, y = spam
    for metric in JUDGES:
        for label in path.classes:
            own = y == label
            given = options_of(metric, 2)
            curve = path.curve(X[own], y[own], metric, **given)
            guess = path.model_at(0.4).predict(X[own])
            truth = judged(metric, y[own], guess, np.ones(own.sum()), path.classes)
            assert curve(0.4) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("metric", JUDGES)
def test_weights_of_any_size(spam, metric, scale):
    path, X, y = spam
    weight = np.random.default_rng(3).random(len(y))
    given = options_of(metric, 2)
    small = path.curve(X, y, metric, sample_weight=weight, **given)
    large = path.curve(X, y, metric, sample_weight=scale * weight, **given)
    assert np.array_equal(small.edges, large.edges)
    assert large.values == pytest.approx(small.values, rel=1e-12)


def test_counts_are_exact_however_many_rows_come_and_go(handmade):
    """Thousands of changes of weights over thirty orders of magnitude leave no trace."""
    rng = np.random.default_rng(4)
    n_rows, n_segments = 40, 200
    theta = np.linspace(0, 1, n_segments + 1)
    left = rng.choice([-1.0, 1.0], (n_segments, n_rows))
    path = handmade.path([(theta, left, np.zeros_like(left))])
    weight = 10.0 ** rng.uniform(-30, 0, n_rows)
    y = rng.choice([-1, 1], n_rows)
    exact = [Fraction(v) for v in weight]
    seen = []

    def kept(confusion):
        seen.append(confusion.copy())
        return float(len(seen))

    trace_curve(
        path,
        np.zeros((n_rows, 1)),
        y,
        wp.metrics.of_confusion(kept),
        sample_weight=weight,
    )
    assert len(seen) == n_segments
    for segment, confusion in enumerate(seen):
        for i, j in itertools.product(range(2), repeat=2):
            inside = ((y > 0) == i) & ((left[segment] > 0) == j)
            truth = sum((v for v, k in zip(exact, inside, strict=True) if k), Fraction(0))
            assert abs(Fraction(confusion[i, j]) - truth) <= 2 * Fraction(2) ** -52 * truth


def test_small_tables_change_nothing(four, monkeypatch):
    path, X, y = four
    weight = np.random.default_rng(5).random(len(y))
    whole = path.curve(X, y, "f1", sample_weight=weight)
    monkeypatch.setattr("weightpath.metrics.counts.TABLE", 50)
    cut = path.curve(X, y, "f1", sample_weight=weight)
    assert np.array_equal(whole.edges, cut.edges) and np.array_equal(whole.values, cut.values)


def test_confusion_matrix_of_a_function(four):
    """Rows are true classes, columns predictions, both in the order of ``path.classes``."""
    path, X, y = four
    weight = np.random.default_rng(6).random(len(y))
    entry = wp.metrics.of_confusion(lambda m: m[2, 0], "entry", False)
    curve = path.curve(X, y, entry, sample_weight=weight)
    assert not curve.greater_is_better and curve.metric == "entry"
    for theta in np.linspace(0.05, 0.95, 7):
        guess = path.model_at(theta).predict(X)
        table = theirs.confusion_matrix(y, guess, labels=path.classes, sample_weight=weight)
        assert curve(theta) == pytest.approx(table[2, 0], rel=1e-13)


def test_counts_without_weights_are_whole_numbers(spam):
    path, X, y = spam
    whole = wp.metrics.of_confusion(lambda m: float((m == np.rint(m)).all()), "whole")
    assert path.curve(X, y, whole).values.tolist() == [1.0]


def test_zero_one_and_accuracy_are_one_thing(spam, four):
    for path, X, y in (spam, four):
        wrong, right = path.curve(X, y, "zero_one"), path.curve(X, y, "accuracy")
        assert np.array_equal(wrong.edges, right.edges)
        assert wrong.values == pytest.approx(1 - right.values, abs=1e-15)
        assert wrong.best.theta == right.best.theta


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'cost' needs cost_matrix=, of shape"),
        ({"cost_matrix": np.eye(3)}, r"cost_matrix must have shape \(2, 2\), got \(3, 3\)"),
        ({"cost_matrix": [[0, np.nan], [1, 0]]}, "finite"),
    ],
)
def test_bad_cost_matrices(spam, given, words):
    path, X, y = spam
    with pytest.raises(ValueError, match=words):
        path.curve(X, y, "cost", **given)
    with pytest.raises(ValueError, match="'accuracy' takes no cost_matrix: it is for 'cost'"):
        path.curve(X, y, "accuracy", cost_matrix=np.eye(2))


def test_not_without_classes():
    X, y = load_iris(return_X_y=True)
    path = wp.SVR().fit(X, y).reweight(np.arange(150) % 2)
    for metric in JUDGES:
        with pytest.raises(ValueError, match="a path without classes"):
            path.curve(X, y, metric)


def test_functions_that_are_no_metric(spam):
    path, X, y = spam
    with pytest.raises(ValueError, match=r"'x' is nan for the confusion matrix \[\["):
        path.curve(X, y, wp.metrics.of_confusion(lambda m: np.nan, "x"))
    with pytest.raises(ValueError, match="needs a name"):
        wp.metrics.of_confusion(lambda m: 0.0)

    class Flat(wp.metrics.ConfusionMetric):
        name = "flat"

        def of(self, confusion):
            return 0.5

    with pytest.raises(ValueError, match="one value for each confusion matrix"):
        path.curve(X, y, Flat())
