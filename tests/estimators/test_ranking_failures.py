"""Ranking models that are asked for the impossible, stopped or interrupted stay as they were."""

import warnings

import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import weightpath as wp
from estimators.ranking_samples import assert_same_scores, documents, points
from estimators.samples import indefinite, interrupt_on_arrival, shown_by, spoiled
from judges.ranking import all_pairs

N = 36
X, Y, Q = documents(N)
NEW = documents(5, seed=1)
PAIRS = len(all_pairs(Y, Q))


def fitted(**params):
    return wp.RankingSVM(**{"C": 0.5, "gamma": 0.4, **params}).fit(X, Y, Q)


def face(model):
    """A hash of what a model shows and holds, but for its kernel columns."""
    hidden = ("_fitted", "kernel")
    state = {name: getattr(model, name) for name in shown_by(model) if name not in hidden}
    training, (subproblem,) = model.training_set_, model.subproblems_
    rows = training.X, training.labels, dict(training.per_row), training.kernel.name
    quantities = dict(model.quantities_)
    knots = subproblem.stair.knots
    return joblib.hash((rows, quantities, state, vars(subproblem.state), knots))


BAD_FITS = {
    "no pairs": (lambda m: m.fit(X, np.ones(N), Q), "no pairs to learn from"),
    "levels only across queries": (lambda m: m.fit(X, Q, Q), "no pairs to learn from"),
    "one document": (lambda m: m.fit(X[:1], Y[:1]), "1 sample"),
    "no relevances": (lambda m: m.fit(X, None, Q), "requires y"),
    "NaN in y": (lambda m: m.fit(X, spoiled(Y, 3, np.nan), Q), "y contains NaN"),
    "infinity in y": (lambda m: m.fit(X, spoiled(Y, 3, np.inf), Q), "y contains infinity"),
    "words in y": (lambda m: m.fit(X, np.array(["a", "b", "c"])[Y], Q), "relevances, numbers"),
    "table in y": (lambda m: m.fit(X, np.c_[Y, Y], Q), "1d array"),
    "NaN in X": (lambda m: m.fit(spoiled(X, (2, 1), np.nan), Y, Q), "X contains NaN"),
    "short qid": (lambda m: m.fit(X, Y, Q[:-1]), r"qid has shape \(35,\), expected \(36,\)"),
    "table of qid": (lambda m: m.fit(X, Y, np.c_[Q, Q]), r"qid has shape \(36, 2\)"),
    "NaN in qid": (lambda m: m.fit(X, Y, spoiled(Q, 0, np.nan)), "qid must be finite"),
    "None in qid": (lambda m: m.fit(X, Y, [None, *Q[1:]]), "qid must be numbers or texts"),
}

BAD_PARAMETERS = {
    "C": ({"C": -1.0}, "C must be a finite number > 0"),
    "tol": ({"tol": 0.0}, "tol must be"),
    "gamma": ({"gamma": -0.5}, "gamma must be"),
    "kernel": ({"kernel": "cubic"}, "Unknown kernel"),
    "cache_size": ({"cache_size": 0}, "cache_size must be"),
    "max_events": ({"max_events": 0}, "max_events must be"),
    "name of weights": ({"pair_weight": "gain"}, "Unknown pair_weight 'gain'"),
    "shape of weights": ({"pair_weight": np.ones(3)}, r"shape \(3,\), expected"),
    "negative weights": ({"pair_weight": lambda a, b: b - a}, "must not be negative"),
    "NaN in weights": ({"pair_weight": lambda a, b: np.nan * a}, "NaN or infinity"),
    "all weights zero": ({"pair_weight": 0.0}, "All weights of pairs are zero"),
    "weights overflow": ({"C": 1e200, "pair_weight": 1e200}, "overflows"),
    "indefinite kernel": ({"kernel": indefinite}, "not positive semidefinite"),
}


@pytest.mark.parametrize("name", BAD_FITS)
def test_bad_fit(name):
    call, message = BAD_FITS[name]
    for model in (wp.RankingSVM(), fitted()):
        before = face(model) if hasattr(model, "dual_coef_") else vars(model).copy()
        with pytest.raises(ValueError, match=message):
            call(model)
        assert before == (face(model) if hasattr(model, "dual_coef_") else vars(model))


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameter(name):
    params, message = BAD_PARAMETERS[name]
    model = wp.RankingSVM(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y, Q)
    assert not hasattr(model, "dual_coef_") and not hasattr(model, "n_features_in_")


def test_relevances_that_are_too_large_for_gains():
    with pytest.raises(ValueError, match=r"overflows\. Use smaller relevances"):
        wp.RankingSVM(pair_weight="relevance").fit(X, 2000 * Y, Q)


BAD_CHANGES = {
    "unknown name": (lambda m: m.move(gamma=2.0), TypeError, "unexpected keyword argument 'gamma'"),
    "nothing": (lambda m: m.move(), TypeError, "needs something to move: C, pair_weight"),
    "None": (lambda m: m.reweight(None), ValueError, "pair_weight is None"),
    "C of zero": (lambda m: m.move(C=0.0), ValueError, "C must be a finite number > 0"),
    "weights of zero": (lambda m: m.reweight(np.zeros(PAIRS)), ValueError, "are zero"),
    "few weights": (lambda m: m.reweight(np.ones(4)), ValueError, r"expected \(136,\)"),
    "negative": (lambda m: m.reweight(-np.ones(PAIRS)), ValueError, "must not be negative"),
    "NaN": (lambda m: m.reweight(np.full(PAIRS, np.nan)), ValueError, "NaN or infinity"),
    "words": (lambda m: m.reweight("gain"), ValueError, "Unknown pair_weight"),
    "features": (lambda m: m.add(NEW[0][:, :2], NEW[1], NEW[2]), ValueError, "expecting 3"),
    "relevances": (lambda m: m.add(NEW[0], NEW[1][:2], NEW[2]), ValueError, r"y has shape \(2,\)"),
    "NaN relevance": (
        lambda m: m.add(NEW[0], spoiled(NEW[1], 0, np.nan), NEW[2]),
        ValueError,
        "y must be finite",
    ),
    "no queries": (lambda m: m.add(NEW[0], NEW[1]), ValueError, "fitted with queries"),
    "few queries": (lambda m: m.add(*NEW[:2], NEW[2][:1]), ValueError, r"qid has shape \(1,\)"),
    "queries by name": (lambda m: m.add(*NEW[:2], list("abcde")), ValueError, "numbers and texts"),
    "drop": (lambda m: m.slide(*NEW, drop=N + 1), ValueError, "drop must be a whole number"),
    "half a drop": (lambda m: m.slide(*NEW, drop=0.5), ValueError, "drop must be a whole number"),
    "row": (lambda m: m.remove(N), IndexError, "no training instance 36"),
    "mask": (lambda m: m.remove(np.ones(N, dtype=bool)), ValueError, "must be row numbers"),
    "no row": (lambda m: m.remove([]), ValueError, "at least one"),
    "all rows": (lambda m: m.remove(range(N)), ValueError, "No pair would be left"),
    "all pairs": (
        lambda m: m.remove(np.flatnonzero(Y > 0)),
        ValueError,
        "No pair would be left",
    ),
    "weights afterwards": (
        lambda m: m.slide(*NEW, drop=3, pair_weight=np.ones(PAIRS)),
        ValueError,
        "pair_weight has shape",
    ),
}


@pytest.mark.parametrize("name", BAD_CHANGES)
def test_bad_change(name):
    call, error, message = BAD_CHANGES[name]
    model = fitted()
    before = face(model)
    with pytest.raises(error, match=message):
        call(model)
    assert face(model) == before
    model.move(C=2.0)
    assert_same_scores(model, fitted(C=2.0), X)


def test_a_precomputed_kernel_that_does_not_fit():
    K = points("precomputed", X, X)
    model = wp.RankingSVM(kernel="precomputed").fit(K, Y, Q)
    before = face(model)
    for rows, message in ((K[:2], "expected 38 columns"), (K[:2, :5], "expected 38 columns")):
        with pytest.raises(ValueError, match=message):
            model.add(rows, Y[:2], Q[:2])
    with pytest.raises(ValueError, match="square"):
        wp.RankingSVM(kernel="precomputed").fit(K[:, :9], Y, Q)
    with pytest.raises(ValueError, match="symmetric"):
        wp.RankingSVM(kernel="precomputed").fit(np.triu(K), Y, Q)
    assert face(model) == before


def test_not_fitted():
    model = wp.RankingSVM()
    for call in (
        lambda: model.predict(X),
        lambda: model.rank(X),
        lambda: model.coef_,
        lambda: model.kkt_violation(),
        lambda: model.reweight("uniform"),
        lambda: model.add(*NEW),
        lambda: model.remove(0),
        lambda: model.slide(*NEW),
    ):
        with pytest.raises(NotFittedError):
            call()


def test_a_kernel_function_that_fails():
    broken = []

    def fragile(A, B):
        if broken:
            raise ZeroDivisionError("no kernel today")
        return A @ B.T

    model = fitted(kernel=fragile, cache_size=1e-3)
    before, score = face(model), model.predict(X)
    broken.append(True)
    for call in (
        lambda: model.add(*NEW),
        lambda: model.slide(*NEW, drop=4),
        lambda: model.fit(X + 1.0, Y, Q),
        lambda: model.predict(X),
    ):
        with pytest.raises(Exception, match="no kernel today"):
            call()
    broken.clear()
    assert face(model) == before
    np.testing.assert_array_equal(model.predict(X), score)
    model.move(C=3.0)
    assert_same_scores(model, fitted(kernel="linear", C=3.0), X)


def test_a_function_of_weights_that_fails():
    model = fitted()
    before = face(model)
    with pytest.raises(ZeroDivisionError):
        model.reweight(lambda high, low: 1 / 0)
    assert face(model) == before


CALLS = {
    "reweight": lambda model: model.reweight("relevance"),
    "move": lambda model: model.move(C=9.0),
    "add": lambda model: model.add(X[:9] + 0.1, Y[:9], Q[:9]),
    "remove": lambda model: model.remove(range(12)),
    "slide": lambda model: model.slide(X[:9] + 0.1, Y[:9], Q[:9], drop=6),
}


@pytest.mark.parametrize("call", CALLS)
def test_event_cap(call):
    model, full = fitted(), fitted()
    whole = CALLS[call](full)
    model.set_params(max_events=whole.n_events // 2)
    before = face(model)
    with pytest.warns(wp.EventCapWarning, match="The model stays where it was") as caught:
        path = CALLS[call](model)
    # The warning names the line that asked.
    assert [one.filename for one in caught] == [__file__]
    assert face(model) == before
    assert path.status == "stopped at the event cap"
    assert path.kkt_violation() < 1e-8
    theta = 0.9 * path.theta[-1]
    assert 0.0 < theta < 0.9
    np.testing.assert_allclose(
        path.decision_function(X, theta), whole.decision_function(X, theta), rtol=0, atol=1e-8
    )
    assert path.model_at(theta).kkt_violation() < 1e-8
    with pytest.raises(ValueError, match="Raise max_events"):
        path.at(1.0)
    model.set_params(max_events=1_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CALLS[call](model)
    assert_same_scores(model, full, X)


def test_the_cap_does_not_reach_a_fit():
    assert_same_scores(fitted(C=50.0, max_events=1), fitted(C=50.0), X)


@pytest.mark.parametrize("call", CALLS)
def test_interrupt_while_arriving(call, monkeypatch):
    model = fitted()
    before = face(model)
    with monkeypatch.context() as patch:
        interrupt_on_arrival(patch, CALLS[call], fitted())
        with pytest.raises(KeyboardInterrupt):
            CALLS[call](model)
    assert face(model) == before
    CALLS[call](model)
    assert model.kkt_violation() < 1e-8


def test_progress(capfd):
    documents_of_one_query = documents(90, n_features=4, n_queries=1, seed=2)
    for verbose in (0, 1):
        model = wp.RankingSVM(C=0.5, gamma=0.4, verbose=verbose).fit(*documents_of_one_query)
        model.move(C=5.0)
        out, err = capfd.readouterr()
        assert out == ""
        assert ("%" in err) == bool(verbose)
        assert ("path:" in err and "events" in err) == bool(verbose)
