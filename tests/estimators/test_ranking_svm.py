"""The ranking machine: every change equals a fresh fit."""

import io
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import estimator_checks_generator

import weightpath as wp
from estimators.ranking_samples import (
    KINDS,
    arrivals,
    assert_same_scores,
    documents,
    machine,
    pair_gains,
    points,
)
from judges import conic
from judges.cases import kernel_matrix
from judges.ranking import all_pairs, dense_staircase

N = 36
X, Y, Q = documents(N)
NEW = documents(5, seed=1)
PAIRS = len(all_pairs(Y, Q))
WEIGHTS = np.random.default_rng(0).uniform(0.1, 3.0, PAIRS) * (np.arange(PAIRS) % 5 > 0)


def fitted(**params):
    return wp.RankingSVM(**{"C": 0.5, "gamma": 0.4, **params}).fit(X, Y, Q)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair_weight", ["uniform", "relevance"])
def test_fit_is_optimal(kind, pair_weight):
    K = points(kind, X, X)
    model = machine(kind, pair_weight=pair_weight).fit(K, Y, Q)
    assert model.kkt_violation() < 1e-10
    table = all_pairs(Y, Q)
    np.testing.assert_array_equal(model.pairs_, table)
    gains = np.ones(PAIRS) if pair_weight == "uniform" else pair_gains(Y, Q)
    np.testing.assert_allclose(model.weights_, 0.5 * gains)
    G = kernel_matrix(X, "rbf", gamma=0.4)
    D = np.eye(N)[table[:, 0]] - np.eye(N)[table[:, 1]]
    theirs = conic.solve(D @ G @ D.T, dense_staircase(0.5 * gains))
    values = model.predict(K)
    np.testing.assert_allclose(D @ values, theirs.values, atol=1e-6)
    np.testing.assert_allclose(values, G @ (D.T @ model.dual_coef_), atol=1e-10)
    np.testing.assert_array_equal(model.decision_function(K), values)
    coef = D.T @ model.dual_coef_
    np.testing.assert_array_equal(model.support_, np.flatnonzero(coef))
    np.testing.assert_allclose(model.document_coef_, coef[model.support_], atol=1e-14)
    np.testing.assert_allclose(coef, D.T @ theirs.beta, atol=1e-5)
    assert model.C_ == 0.5 and model.n_features_in_ == K.shape[1]


def test_linear_machine_is_that_of_differences():
    """LIBLINEAR on the differences of documents, without an intercept."""
    table = all_pairs(Y, Q)
    Z = X[table[:, 0]] - X[table[:, 1]]
    sign = np.where(np.arange(PAIRS) % 2, 1.0, -1.0)
    theirs = LinearSVC(
        C=0.5, loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0
    ).fit(sign[:, None] * Z, sign)
    ours = fitted(kernel="linear")
    assert ours.coef_.shape == (1, 3)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(X @ ours.coef_[0], ours.predict(X), atol=1e-12)
    with pytest.raises(AttributeError, match="kernel="):
        _ = fitted().coef_


@pytest.mark.parametrize("tol", [1e-8, 1e-3, 10.0])
def test_any_tolerance_of_the_start_gives_the_same(tol):
    assert_same_scores(fitted(C=30.0, tol=tol), fitted(C=30.0), X)


TARGETS = [
    {"C": 20.0},
    {"C": 1e-4},
    {"pair_weight": "relevance"},
    {"pair_weight": WEIGHTS},
    {"C": 7.0, "pair_weight": lambda high, low: (high - low) ** 2},
    {"pair_weight": 3.0},
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("targets", TARGETS, ids=lambda t: "+".join(t))
def test_move_equals_a_fresh_fit(targets, kind):
    K = points(kind, X, X)
    model = machine(kind).fit(K, Y, Q)
    home = model.predict(K)
    path = model.move(**targets)
    fresh = machine(kind, **targets).fit(K, Y, Q)
    assert_same_scores(model, fresh, K)
    np.testing.assert_allclose(model.weights_, fresh.weights_, rtol=1e-14)
    assert model.C_ == fresh.C_
    assert path.kkt_violation() < 1e-8 and model.kkt_violation() < 1e-8
    back = model.move(C=0.5, pair_weight="uniform")
    assert back.kkt_violation() < 1e-8
    np.testing.assert_allclose(model.predict(K), home, rtol=0, atol=1e-8)
    np.testing.assert_allclose(
        back.decision_function(K, 0.0), path.decision_function(K, 1.0), rtol=0, atol=1e-8
    )


def test_reweight_is_a_move_of_weights():
    model, other = fitted(), fitted()
    model.reweight(WEIGHTS)
    other.move(pair_weight=WEIGHTS)
    assert_same_scores(model, other, X, 1e-14)
    assert (model.dual_coef_[WEIGHTS == 0] == 0.0).all()
    with pytest.raises(ValueError, match="read-only"):
        model.weights_[0] = 1.0


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
def test_model_at(theta):
    model = fitted()
    path = model.move(C=4.0)
    there = path.model_at(theta)
    assert_same_scores(there, fitted(C=0.5 + 3.5 * theta), X)
    assert abs(there.C_ - (0.5 + 3.5 * theta)) < 1e-15
    assert there.kkt_violation() < 1e-10
    np.testing.assert_allclose(there.predict(X), path.decision_function(X, theta), atol=1e-10)
    there.reweight("relevance")
    there.add(NEW[0], NEW[1], NEW[2], pair_weight="uniform")
    fresh = wp.RankingSVM(there.C_, gamma=0.4).fit(*joined())
    assert_same_scores(there, fresh, X)
    # The model itself is where it was.
    assert_same_scores(model, fitted(C=4.0), X)


def joined(drop=0):
    return tuple(np.concatenate([old, new])[drop:] for old, new in zip((X, Y, Q), NEW, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_documents_come_and_go(kind):
    model = machine(kind).fit(points(kind, X, X), Y, Q)
    path = model.add(arrivals(kind, NEW[0], X), NEW[1], NEW[2])
    every, y, q = joined()
    fresh = machine(kind).fit(points(kind, every, every), y, q)
    assert_same_scores(model, fresh, points(kind, every, every))
    assert path.kkt_violation() < 1e-8 and model.kkt_violation() < 1e-8
    path = model.remove([-1, -2, -3, -4, -5])
    assert path.kkt_violation() < 1e-8
    assert_same_scores(model, machine(kind).fit(points(kind, X, X), Y, Q), points(kind, X, X))
    path = model.slide(arrivals(kind, NEW[0], X), NEW[1], NEW[2], drop=7)
    last, y, q = joined(7)
    fresh = machine(kind).fit(points(kind, last, last), y, q)
    assert_same_scores(model, fresh, points(kind, last, last))
    assert path.kkt_violation() < 1e-8 and model.kkt_violation() < 1e-8
    assert model.n_features_in_ == points(kind, last, last).shape[1]
    # Further on as if nothing had happened.
    model.move(C=3.0, pair_weight="relevance")
    fresh = machine(kind, C=3.0, pair_weight="relevance").fit(points(kind, last, last), y, q)
    assert_same_scores(model, fresh, points(kind, last, last))


def test_new_pairs_have_the_weights_of_the_parameter():
    model = fitted(pair_weight="relevance")
    model.add(*NEW)
    every, y, q = joined()
    np.testing.assert_allclose(model.weights_, 0.5 * pair_gains(y, q))
    # Present pairs keep what they have.
    model = fitted()
    model.reweight(WEIGHTS)
    model.add(*NEW)
    old = {tuple(pair): 0.5 * w for pair, w in zip(all_pairs(Y, Q), WEIGHTS, strict=True)}
    expected = [old.get(tuple(pair), 0.5) for pair in all_pairs(y, q)]
    np.testing.assert_allclose(model.weights_, expected)
    fresh = wp.RankingSVM(0.5, gamma=0.4, pair_weight=np.array(expected) / 0.5).fit(every, y, q)
    assert_same_scores(model, fresh, X)
    array = fitted(pair_weight=WEIGHTS)
    with pytest.raises(ValueError, match="says nothing about new pairs"):
        array.add(*NEW)
    array.add(*NEW, pair_weight="uniform")
    array.remove([0, 1])


def test_queries_of_all_kinds():
    model = fitted()
    for names in (Q + 0.5, np.array(["a", "bb", "c"])[Q], [["x", "y", "z"][q] for q in Q], -Q):
        other = wp.RankingSVM(0.5, gamma=0.4).fit(X, Y, names)
        np.testing.assert_allclose(other.predict(X), model.predict(X), atol=1e-8)
    # Names of any length join.
    text = wp.RankingSVM(0.5, gamma=0.4).fit(X, Y, np.array(["a", "bb", "c"])[Q])
    text.add(NEW[0], NEW[1], ["a", "a much longer name", "c", "a", "a much longer name"])
    assert text.kkt_violation() < 1e-8
    one = wp.RankingSVM(0.5, gamma=0.4).fit(X, Y)
    assert_same_scores(one, wp.RankingSVM(0.5, gamma=0.4).fit(X, Y, np.full(N, 7)), X)
    one.add(NEW[0], NEW[1])
    every, y, _ = joined()
    assert_same_scores(one, wp.RankingSVM(0.5, gamma=0.4).fit(every, y), X)


def test_rank():
    model = fitted()
    score = model.predict(X)
    order = model.rank(X, Q)
    np.testing.assert_array_equal(np.sort(order), np.arange(N))
    first = {q: int(np.argmax(q == Q)) for q in set(Q.tolist())}
    expected = sorted(range(N), key=lambda i: (first[Q[i]], -score[i], i))
    np.testing.assert_array_equal(order, expected)
    np.testing.assert_array_equal(model.rank(X), np.argsort(-score, kind="stable"))
    # Equal documents keep their order.
    same = np.zeros((4, 3))
    np.testing.assert_array_equal(model.rank(same, ["b", "a", "b", "a"]), [0, 2, 1, 3])


def test_frames_with_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["u", "v", "w"])
    model = wp.RankingSVM(0.5, gamma=0.4).fit(frame, pandas.Series(Y), pandas.Series(Q))
    np.testing.assert_array_equal(model.feature_names_in_, ["u", "v", "w"])
    model.add(pandas.DataFrame(NEW[0], columns=["u", "v", "w"]), NEW[1], NEW[2])
    assert model.kkt_violation() < 1e-8
    np.testing.assert_array_equal(model.move(C=2.0).model_at(0.5).feature_names_in_, list("uvw"))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["w", "v", "u"]])


@pytest.mark.parametrize("kind", KINDS)
def test_pickles_and_clones(kind):
    K = points(kind, X, X)
    model = machine(kind, pair_weight="relevance").fit(K, Y, Q)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(K), model.predict(K))
    for one in (model, copy):
        one.move(C=3.0)
        one.add(arrivals(kind, NEW[0], X), NEW[1], NEW[2])
    every = joined()[0]
    assert_same_scores(copy, model, points(kind, every, every))
    fresh = clone(model)
    assert repr(fresh) == repr(model)
    assert not hasattr(fresh, "dual_coef_")
    assert set(fresh.get_params()) == {
        *("C", "kernel", "degree", "gamma", "coef0", "pair_weight", "tol"),
        *("cache_size", "max_events", "verbose"),
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "callable"])
@pytest.mark.parametrize("names", [False, True])
def test_paths_in_files(kind, names):
    K, query = points(kind, X, X), np.array(["a", "b", "c"])[Q] if names else Q
    path = machine(kind).fit(K, Y, query).reweight("relevance")
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    other = wp.load(stream)
    assert other.kkt_violation() == path.kkt_violation()
    there = other.model_at(0.6)
    assert_same_scores(there, path.model_at(0.6), K, 1e-14)
    new = np.array(["a", "b", "c"])[NEW[2]] if names else NEW[2]
    there.add(arrivals(kind, NEW[0], X), NEW[1], new)
    assert there.kkt_violation() < 1e-8


# Checks of scikit-learn that ask for a score, which has an own test with the metric.
def sklearn_checks():
    chosen = []
    for model in (wp.RankingSVM(), wp.RankingSVM(kernel="linear")):
        for estimator, check in estimator_checks_generator(model):
            name = getattr(check, "func", check).__name__
            if name != "check_array_api_input":
                chosen.append(pytest.param(estimator, check, id=f"{model.kernel}-{name}"))
    assert len(chosen) > 70
    return chosen


@pytest.mark.parametrize(("estimator", "check"), sklearn_checks())
def test_scikit_learn_check(estimator, check):
    check(estimator)
