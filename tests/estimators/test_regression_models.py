"""Models on a path, saved paths, copies, and what is said of bad input."""

import copy
import inspect
import io
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import weightpath as wp
from estimators.regression_samples import assert_alike, noisy, values
from estimators.samples import fingerprint, indefinite, random_weights, shown_by, spoiled
from weightpath.estimators import subproblem
from weightpath.estimators.problem import Fitted
from weightpath.estimators.tube import stand_as, stands_merged

N = 50
X, Y = noisy(N)
OWN = np.where(np.arange(N) % 2, 0.0, 0.2)

MOVES = {
    "svr": (lambda: wp.SVR(C=2.0, gamma=0.4), {"epsilon": 0.3, "C": 9.0}),
    "own": (lambda: wp.SVR(C=2.0, gamma=0.4, epsilon=OWN), {"sample_weight": random_weights(N)}),
    "closing": (lambda: wp.SVR(C=2.0, gamma=0.4, epsilon=0.5), {"epsilon": OWN, "y": Y[::-1]}),
    "opening": (lambda: wp.SVR(C=2.0, gamma=0.4, epsilon=0.0), {"epsilon": 0.2}),
    "closed": (lambda: wp.SVR(C=2.0, gamma=0.4, epsilon=0.0), {"C": 0.1}),
    "quantile": (lambda: wp.QuantileSVR(gamma=0.4, quantile=0.1), {"quantile": 0.9, "C": 5.0}),
    "one class": (lambda: wp.OneClassSVM(0.2, gamma=0.4), {"nu": 0.7}),
}


@pytest.fixture(params=MOVES)
def case(request):
    new, targets = MOVES[request.param]
    return new().fit(X, Y), targets


def saved(path):
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    return wp.load(stream)


@pytest.mark.parametrize("loaded", [False, True])
def test_models_on_a_path_are_whole(case, loaded):
    model, targets = case
    path = model.move(**targets)
    path = saved(path) if loaded else path
    for theta in (0.0, 0.3, 1.0):
        there = path.model_at(theta)
        assert type(there) is type(model)
        assert there.kkt_violation() < 1e-9
        np.testing.assert_allclose(
            values(there, X), path.decision_function(X, theta), rtol=0, atol=1e-9
        )
        assert there.move(**targets).kkt_violation() < 1e-9
        assert_alike(there, model, X, tolerance=1e-8)
        there.add(X[:3] + 0.1, Y[:3], **({"epsilon": 0.0} if isinstance(there, wp.SVR) else {}))
        there.remove(np.arange(N, N + 3))
        assert_alike(there, model, X, tolerance=1e-8)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_goes_its_own_way(case, way):
    model, targets = case
    before = fingerprint(model)
    twin = way(model)
    path = pickle.loads(pickle.dumps(twin.move(**targets)))
    twin.remove([0])
    assert fingerprint(model) == before
    model.move(**targets)
    assert_alike(path.model_at(1.0), model, X, tolerance=1e-9)
    model.remove([0])
    assert_alike(model, twin, X, tolerance=1e-10)


def test_attributes_cannot_be_written_into(case):
    model, _ = case
    for name in ("weights_", "epsilon_", "target_", "quantiles_"):
        if hasattr(model, name):
            assert getattr(model, name).shape == (N,)
            with pytest.raises(ValueError, match="read-only"):
                getattr(model, name)[0] = 1.0


def test_nothing_changes_when_a_call_fails(case, monkeypatch):
    model, targets = case
    before = fingerprint(model)

    def interrupted(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(subproblem, "follow", interrupted)
        for call in (
            lambda: model.move(**targets),
            lambda: model.add(X[:2], Y[:2], **extra(model)),
            lambda: model.remove(0),
        ):
            with pytest.raises(KeyboardInterrupt):
                call()
    with monkeypatch.context() as patch:
        patch.setattr(Fitted, "__post_init__", interrupted)
        for call in (lambda: model.move(**targets), lambda: model.fit(X[:9], Y[:9])):
            with pytest.raises((KeyboardInterrupt, ValueError)):
                call()
    model.max_events = 1
    with pytest.warns(wp.EventCapWarning, match="stays where it was") as caught:
        model.move(**targets)
    assert caught[0].filename == __file__
    model.max_events = 1_000_000
    assert fingerprint(model) == before


def extra(model):
    return {"epsilon": 0.1} if isinstance(model, wp.SVR) else {}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.reweight(np.zeros(N)), "All weights are zero"),
        (lambda m: m.reweight(spoiled(np.ones(N), 3, -1.0)), "must not be negative"),
        (lambda m: m.reweight(spoiled(np.ones(N), 3, np.nan)), "NaN or infinity"),
        (lambda m: m.reweight(np.ones(N - 1)), "expected"),
        (lambda m: m.remove(range(N)), "No instance is left"),
        (lambda m: m.remove([]), "at least one index"),
        (lambda m: m.add(X[:2, :2], Y[:2], **extra(m)), "features"),
        (lambda m: m.slide(X[:2], Y[:2], drop=N + 1, **extra(m)), "drop must be"),
        (lambda m: m.slide(X[:2], Y[:2], 1, np.ones(3), **extra(m)), "expected"),
        (lambda m: m.move(sample_weight=None), "is None"),
        (lambda m: m.fit(X, Y, np.zeros(N)), "All weights are zero"),
        (lambda m: m.fit(spoiled(X, 0, np.inf), Y), "infinity"),
        (lambda m: clone(m).set_params(kernel="nonsense").fit(X, Y), "Unknown kernel"),
        (lambda m: clone(m).set_params(max_events=0).fit(X, Y), "max_events"),
        (lambda m: clone(m).set_params(ridge=-1.0).fit(X, Y), "ridge"),
        (lambda m: clone(m).set_params(tol=0).fit(X, Y), "tol"),
        (lambda m: clone(m).set_params(cache_size=0).fit(X, Y), "cache_size"),
        (lambda m: clone(m).set_params(kernel=indefinite).fit(X, Y), "positive semidefinite"),
        (lambda m: clone(m).set_params(kernel="precomputed").fit(X, Y), "square"),
    ],
)
def test_bad_input(case, call, message):
    model, _ = case
    before = fingerprint(model)
    with pytest.raises(ValueError, match=message):
        call(model)
    assert fingerprint(model) == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.move(C=0.0), "C must be"),
        (lambda m: m.move(C=1e300, sample_weight=1e300), "overflows"),
        (lambda m: m.move(y=np.ones(3)), "y has shape"),
        (lambda m: m.move(y=spoiled(Y, 2, np.nan)), "y contains NaN"),
        (lambda m: m.add(X[:2], Y[:3]), "y has shape"),
        (lambda m: m.add(X[:2], ["a", "b"]), "numbers"),
        (lambda m: m.fit(X, Y[:4]), "inconsistent"),
        (lambda m: m.fit(X, spoiled(Y, 2, np.inf)), "infinity"),
        (lambda m: clone(m).set_params(C=-1).fit(X, Y), "C must be"),
    ],
)
@pytest.mark.parametrize("cls", [wp.SVR, wp.QuantileSVR])
def test_bad_targets(cls, call, message):
    model = cls(gamma=0.4).fit(X, Y)
    before = fingerprint(model)
    with pytest.raises(ValueError, match=message):
        call(model)
    assert fingerprint(model) == before


@pytest.mark.parametrize("epsilon", [-0.1, np.nan, "wide", np.ones(3), spoiled(OWN, 4, -1.0)])
def test_bad_epsilon(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        wp.SVR(epsilon=epsilon).fit(X, Y)
    with pytest.raises(ValueError, match="epsilon"):
        wp.SVR().fit(X, Y).move(epsilon=epsilon)


@pytest.mark.parametrize("quantile", [0.0, 1.0, -1, np.nan, "half", True])
def test_bad_quantile(quantile):
    with pytest.raises(ValueError, match="quantile must be"):
        wp.QuantileSVR(quantile=quantile).fit(X, Y)
    with pytest.raises(ValueError, match="quantile must be"):
        wp.QuantileSVR().fit(X, Y).move(quantile=quantile)


def test_what_can_be_moved_is_said():
    with pytest.raises(TypeError, match="unexpected keyword argument 'margin'"):
        wp.SVR().fit(X, Y).move(margin=1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'C'"):
        wp.OneClassSVM().fit(X).move(C=1.0)


def test_a_grid_search():
    grid = {"C": [0.1, 1.0], "epsilon": [0.0, 0.1]}
    search = GridSearchCV(wp.SVR(gamma=0.4), grid, cv=3).fit(X, Y)
    assert search.best_score_ > 0.3


def test_the_two_forms_of_a_closed_tube():
    model = wp.SVR(C=0.5, gamma=0.4, epsilon=0.0).fit(X, Y, random_weights(N, zeros=0.2))
    (part,) = model.subproblems_
    assert stands_merged(part).all()
    opened = stand_as(part, np.zeros(N, dtype=bool))
    assert not stands_merged(opened).any()
    knot = np.where(opened.state.position % 2 == 1, opened.state.position // 2, -1)
    beta = opened.stair.knots[np.arange(N), knot]
    at = knot >= 0
    np.testing.assert_array_equal(opened.state.beta[at], beta[at])
    again = stand_as(opened, np.ones(N, dtype=bool))
    weighted = model.weights_ > 0
    np.testing.assert_array_equal(again.state.position[weighted], part.state.position[weighted])
    assert sorted(again.state.margin) == sorted(part.state.margin)
    assert stand_as(part, stands_merged(part)) is part


@pytest.mark.parametrize("cls", [wp.SVR, wp.QuantileSVR, wp.OneClassSVM])
def test_everything_is_described(cls):
    text = inspect.getdoc(cls)
    for parameter in inspect.signature(cls).parameters:
        assert f"\n{parameter} : " in text
    model = cls(kernel="linear").fit(X, Y)
    for name in [*shown_by(model), "coef_", "feature_names_in_"]:
        if name.endswith("_") and not name.startswith("_"):
            assert f"\n{name} : " in text
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("weightpath"):
            continue
        said = inspect.getdoc(method)
        described = said.partition("Parameters\n----------\n")[2]
        for parameter in list(inspect.signature(method).parameters)[1:]:
            assert f"{parameter} : " in described or f"**{parameter}\n" in described
        assert "Returns\n-------\n" in said
