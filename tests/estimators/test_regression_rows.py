"""Instances that come and go leave a regression where a fresh fit would be."""

import numpy as np
import pytest

import weightpath as wp
from estimators.regression_samples import assert_alike, machine, noisy
from estimators.samples import KINDS, Kind, overlapping, pairwise_values, random_weights

N, NEW = 50, 12
X, Y = noisy(N + NEW)
OLD, OLD_Y, ARRIVING, ARRIVING_Y = X[:N], Y[:N], X[N:], Y[N:]
MODELS = {
    "svr": (wp.SVR, {"epsilon": 0.1}),
    "absolute": (wp.SVR, {"epsilon": 0.0}),
    "quantile": (wp.QuantileSVR, {"quantile": 0.3}),
    "one class": (wp.OneClassSVM, {"nu": 0.3}),
}


@pytest.fixture(params=[(m, k) for m in MODELS for k in KINDS], ids=str)
def case(request):
    model, name = request.param
    cls, params = MODELS[model]
    kind = Kind(name)
    return kind, lambda: machine(cls, kind, **params)


def test_add_equals_a_fresh_fit(case):
    kind, new = case
    weight = random_weights(NEW, 1)
    model = new().fit(kind.training(OLD), OLD_Y)
    path = model.add(kind.arrivals(ARRIVING, OLD), ARRIVING_Y, weight)
    other = new().fit(kind.training(X), Y, np.append(np.ones(N), weight))
    assert_alike(model, other, kind.training(X))
    np.testing.assert_array_equal(model.weights_, other.weights_)
    assert path.kkt_violation() < 1e-9
    assert (path.at(0.0).weights[N:] == 0).all()
    model.reweight(np.ones(N + NEW))
    assert_alike(model, new().fit(kind.training(X), Y), kind.training(X))


def test_remove_equals_a_fresh_fit(case):
    kind, new = case
    weight = random_weights(N, 1)
    model = new().fit(kind.training(OLD), OLD_Y, weight)
    gone = [3, -1, 17, 20, 21, 3]
    path = model.remove(gone)
    kept = np.setdiff1d(np.arange(N), np.array(gone) % N)
    points = kind.training(OLD[kept])
    assert_alike(model, new().fit(points, OLD_Y[kept], weight[kept]), points)
    assert path.X.shape[0] == N and path.kkt_violation() < 1e-9
    model.reweight(np.ones(kept.size))
    assert_alike(model, new().fit(points, OLD_Y[kept]), points)


@pytest.mark.parametrize("reweighted", [False, True])
def test_slide_equals_a_fresh_fit(case, reweighted):
    kind, new = case
    drop, old = 15, random_weights(N, 2)
    model = new().fit(kind.training(OLD), OLD_Y, old)
    given = random_weights(N - drop + NEW, 3, zeros=0.1) if reweighted else None
    arrivals = kind.arrivals(ARRIVING, OLD)
    path = model.slide(arrivals, ARRIVING_Y, drop=drop, sample_weight=given)
    weight = given if reweighted else np.append(old[drop:], np.ones(NEW))
    points = kind.training(X[drop:])
    assert_alike(model, new().fit(points, Y[drop:], weight), points)
    assert path.kkt_violation() < 1e-9
    assert (path.at(1.0).weights[:drop] == 0).all()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_fifty_come_and_fifty_go_one_by_one(name, kernel):
    cls, params = MODELS[name]
    params = {**params, "kernel": kernel, "gamma": 0.4}
    X, y = noisy(110)
    rows = list(range(60))
    model = cls(**params).fit(X[:60], y[:60])
    for step in range(50):
        model.add(X[[60 + step]], y[[60 + step]])
        rows.append(60 + step)
        model.remove(step % 7)
        del rows[step % 7]
    assert_alike(model, cls(**params).fit(X[rows], y[rows]), X)
    assert model.kkt_violation(relative=False) < 1e-9


@pytest.mark.parametrize("name", MODELS)
def test_a_window_slides_over_the_data(name):
    cls, params = MODELS[name]
    params = {**params, "gamma": 0.4}
    X, y = noisy(100)
    forgetting = np.linspace(0.1, 1.0, 50)
    model = cls(**params).fit(X[:50], y[:50], forgetting)
    for step in range(50):
        model.slide(X[[50 + step]], y[[50 + step]], drop=1, sample_weight=forgetting)
    assert_alike(model, cls(**params).fit(X[50:], y[50:], forgetting), X)
    assert model.kkt_violation() < 1e-9


def test_fifty_come_and_fifty_go_in_classification():
    X, y = overlapping(110, 2)
    model = wp.SVC(C=2.0, gamma=0.4).fit(X[:60], y[:60])
    for step in range(50):
        model.add(X[[60 + step]], y[[60 + step]])
    for _ in range(50):
        model.remove(0)
    other = wp.SVC(C=2.0, gamma=0.4).fit(X[50:], y[50:])
    np.testing.assert_allclose(
        pairwise_values(model, X), pairwise_values(other, X), rtol=0, atol=1e-7
    )


def test_epsilons_of_arrivals():
    own = np.where(np.arange(NEW) % 2, 0.0, 0.3)
    model = wp.SVR(C=2.0, gamma=0.4, epsilon=0.2).fit(OLD, OLD_Y)
    model.add(ARRIVING, ARRIVING_Y, epsilon=own)
    epsilon = np.append(np.full(N, 0.2), own)
    assert_alike(model, wp.SVR(C=2.0, gamma=0.4, epsilon=epsilon).fit(X, Y), X)
    np.testing.assert_array_equal(model.epsilon_, epsilon)
    with pytest.raises(ValueError, match="different epsilons"):
        model.add(ARRIVING, ARRIVING_Y)
    model.slide(OLD[:5], OLD_Y[:5], drop=20, epsilon=0.0)
    whole, targets = np.vstack([X[20:], OLD[:5]]), np.append(Y[20:], OLD_Y[:5])
    epsilon = np.append(epsilon[20:], np.zeros(5))
    assert_alike(model, wp.SVR(C=2.0, gamma=0.4, epsilon=epsilon).fit(whole, targets), X)
    model.move(epsilon=0.05)
    model.add(ARRIVING[:1], ARRIVING_Y[0])
    assert (model.epsilon_ == 0.05).all()


@pytest.mark.parametrize("name", MODELS)
def test_a_whole_training_set_can_be_exchanged(name):
    cls, params = MODELS[name]
    model = cls(gamma=0.4, **params).fit(X[:30], Y[:30])
    model.slide(X[30:], Y[30:], drop=30)
    assert_alike(model, cls(gamma=0.4, **params).fit(X[30:], Y[30:]), X)


@pytest.mark.parametrize("name", MODELS)
def test_down_to_one_instance_and_up_again(name):
    cls, params = MODELS[name]
    model = cls(gamma=0.4, **params).fit(X, Y)
    model.remove(np.arange(1, N + NEW))
    assert_alike(model, cls(gamma=0.4, **params).fit(X[:1], Y[:1]), X, tolerance=1e-8)
    model.add(X[1:], Y[1:])
    assert_alike(model, cls(gamma=0.4, **params).fit(X, Y), X)
