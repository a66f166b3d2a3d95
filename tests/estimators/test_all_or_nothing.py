"""A call that fails, stops or is interrupted in its middle leaves the model as it was."""

import os
import signal
import threading
import warnings

import numpy as np
import pytest

import weightpath as wp
from estimators.samples import (
    assert_same_model,
    fingerprint,
    interrupt_on_arrival,
    overlapping,
    random_weights,
)
from weightpath.estimators import kernel_problem, subproblem

N = 60
X, Y = overlapping(N, 3)

CALLS = {
    "reweight": lambda model: model.reweight(random_weights(N, 5)),
    "move": lambda model: model.move(C=9.0, margin=0.5),
    "add": lambda model: model.add(X[:5] + 0.1, Y[:5]),
    "remove": lambda model: model.remove(range(20)),
    "slide": lambda model: model.slide(X[:5] + 0.1, Y[:5], drop=6),
    "fit": lambda model: model.fit(X[:, :2], np.array(["a", "b", "c"])[Y]),
}


def interrupted_at(function, count):
    """Return the function with an interrupt at its count-th call."""
    calls = iter(range(1, 1000))

    def wrapped(*args, **kwargs):
        if next(calls) == count:
            raise KeyboardInterrupt
        return function(*args, **kwargs)

    return wrapped


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("call", CALLS)
def test_interrupt_between_the_parts(call, count, monkeypatch):
    model = wp.SVC(class_weight="balanced").fit(X, Y)
    before = fingerprint(model)
    module, name = (kernel_problem, "solve") if call == "fit" else (subproblem, "follow")
    with monkeypatch.context() as patch:
        patch.setattr(module, name, interrupted_at(getattr(module, name), count))
        with pytest.raises(KeyboardInterrupt):
            CALLS[call](model)
    assert fingerprint(model) == before
    twin = wp.SVC(class_weight="balanced").fit(X, Y)
    CALLS[call](model)
    CALLS[call](twin)
    points = X[:, :2] if call == "fit" else X
    assert_same_model(model, twin, points, tolerance=1e-12)


@pytest.mark.parametrize("call", CALLS)
def test_interrupt_while_arriving(call, monkeypatch):
    model = wp.SVC().fit(X, Y)
    before = fingerprint(model)
    with monkeypatch.context() as patch:
        interrupt_on_arrival(patch, CALLS[call], wp.SVC().fit(X, Y))
        with pytest.raises(KeyboardInterrupt):
            CALLS[call](model)
    assert fingerprint(model) == before


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to itself")
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_a_real_interrupt_in_a_long_path():
    X, y = overlapping(1200, 2, n_features=2)
    model = wp.SVC(C=100.0, gamma=50.0).fit(X, y)
    targets = [np.random.default_rng(seed).uniform(size=1200) for seed in range(100)]

    def wander():
        for target in targets:
            model.reweight(target)

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        wander()
    timer.join()
    # It sits at one of the places on its way, and goes on from there.
    assert any((model.weights_ == 100.0 * target).all() for target in [1.0, *targets])
    assert model.kkt_violation() < 1e-9
    model.reweight(np.ones(1200))
    assert_same_model(model, wp.SVC(C=100.0, gamma=50.0).fit(X, y), X)


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to itself")
@pytest.mark.usefixtures("ctrl_c_interrupts")
@pytest.mark.parametrize("cache_size", [1, 200])
def test_a_real_interrupt_in_a_long_fit(cache_size):
    X, y = overlapping(3000, 2, n_features=8)
    model = wp.SVR(C=1e4, gamma=0.1, epsilon=0.0, cache_size=cache_size).fit(X[:50], y[:50])
    before = fingerprint(model)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()
    assert fingerprint(model) == before


def test_a_kernel_function_that_fails():
    broken = []

    def fragile(A, B):
        if broken:
            raise ZeroDivisionError("no kernel today")
        return A @ B.T

    model = wp.SVC(kernel=fragile, C=0.1).fit(X, Y)
    support, coef = model.support_, model.dual_coef_
    broken.append(True)
    with pytest.raises(Exception, match="no kernel today"):
        model.add(X[:5] + 0.1, Y[:5])
    with pytest.raises(Exception, match="no kernel today"):
        model.fit(X + 1.0, Y)
    broken.clear()
    assert model.support_ is support and model.dual_coef_ is coef
    model.add(X[:5] + 0.1, Y[:5])
    fresh = wp.SVC(kernel="linear", C=0.1).fit(np.vstack([X, X[:5] + 0.1]), np.append(Y, Y[:5]))
    assert_same_model(model, fresh, X)


@pytest.mark.parametrize("call", [name for name in CALLS if name != "fit"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_event_cap(call, n_classes, monkeypatch):
    X, y = overlapping(N, n_classes)
    monkeypatch.setitem(globals(), "Y", y)
    model, full = wp.SVC(C=5.0).fit(X, y), wp.SVC(C=5.0).fit(X, y)
    whole = CALLS[call](full)
    most = max(len(part.record.event_theta) for part in whole.parts) // 2
    model.set_params(max_events=most)
    before, values = fingerprint(model), model.decision_function(X)
    with pytest.warns(wp.EventCapWarning, match="The model stays where it was"):
        path = CALLS[call](model)
    assert fingerprint(model) == before
    assert (model.decision_function(X) == values).all()
    assert path.status == "stopped at the event cap"
    assert "max_events" in path.status.message
    theta = 0.9 * path.theta[-1]
    assert 0.0 < theta < 0.9
    np.testing.assert_allclose(
        path.decision_function(X, theta), whole.decision_function(X, theta), rtol=0, atol=1e-8
    )
    assert path.model_at(theta).kkt_violation() < 1e-9
    with pytest.raises(ValueError, match="Raise max_events"):
        path.at(1.0)
    model.set_params(max_events=1_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CALLS[call](model)
    assert_same_model(model, full, X, tolerance=1e-9)


def test_the_warning_names_the_line_that_asked():
    model = wp.SVC(C=5.0, max_events=3).fit(X, Y)
    for call in (
        lambda: model.reweight(random_weights(N)),
        lambda: model.move(C=1.0),
        lambda: model.add(X + 0.1, Y),
        lambda: model.remove(range(20)),
        lambda: model.slide(X + 0.1, Y, drop=5),
    ):
        with pytest.warns(wp.EventCapWarning) as caught:
            call()
        assert caught[0].filename == __file__


def test_the_cap_does_not_reach_a_fit():
    capped = wp.SVC(C=50.0, tol=0.5, max_events=1).fit(X, Y)
    assert capped.kkt_violation() < 1e-9


def test_published_quantities_cannot_be_written():
    model = wp.SVC().fit(X, Y)
    for name in ("weights_", "margin_"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[0] = 5.0
