"""Paths of basis pursuit: certified everywhere, and equal to fresh fits."""

import numpy as np
import pytest

import weightpath as wp
from judges.pursuit import least_cost
from pursuit.generated import generated, weights

FAST = 40
ALL = [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= FAST)) for seed in range(300)]


@pytest.mark.parametrize("seed", ALL)
def test_whole_paths_on_generated_problems(seed):
    one, g = generated(seed), np.random.default_rng(seed + 1000)
    before, after = one.weight, weights(g, one.weight.size) * one.columns
    model = wp.BasisPursuit(before).fit(one.matrix, one.target)
    path = model.reweight(after)
    assert path.kkt_violation() < 1e-10
    assert path.theta[0] == 0.0 and path.theta[-1] == 1.0 and (np.diff(path.theta) > 0).all()
    for theta in g.random(3):
        at = path.at(theta)
        assert at.weights == pytest.approx((1 - theta) * before + theta * after)
        least = least_cost(one.A, one.y, at.weights / one.columns, one.rank)
        assert abs(at.objective - least) <= 1e-9 * least
    assert (model.coef_ == path.at(1.0).coef).all()
    least = least_cost(one.A, one.y, after / one.columns, one.rank)
    assert abs(model.objective_ - least) <= 1e-9 * least
    back = model.reweight(before)
    assert back.kkt_violation() < 1e-10
    assert back.at(1.0).objective == pytest.approx(path.at(0.0).objective, rel=1e-9, abs=1e-300)


@pytest.fixture
def example():
    """A matrix with noisy targets, a model and a path on which its coefficients jump."""
    g = np.random.default_rng(3)
    Phi = g.normal(size=(12, 40))
    model = wp.BasisPursuit(g.uniform(0.5, 2.0, 40)).fit(Phi, g.normal(size=12))
    return Phi, model, model.reweight(g.uniform(0.5, 2.0, 40))


def test_cost_is_concave_and_coefficients_jump_at_breakpoints(example):
    _, _, path = example
    cost = np.array([path.at(theta).objective for theta in path.theta])
    slopes = np.diff(cost) / np.diff(path.theta)
    assert (np.diff(slopes) < 1e-10).all()
    assert len(path) > 10
    for theta in path.theta[1:-1]:
        left, right = (path.at(theta, side).coef for side in ("left", "right"))
        assert not np.allclose(left, right)
        assert path.at(theta).coef == pytest.approx((left + right) / 2)
        assert path.kkt_violation(theta) < 1e-12
        assert path.duality_gap(theta, relative=True) < 1e-12
    middles = 0.5 * (path.theta[1:] + path.theta[:-1])
    for theta in middles:
        assert (path.at(theta).coef == path.at(theta, "left").coef).all()
    assert path.kkt_violation(middles) < 1e-12


def test_events_tell_how_the_active_features_change(example):
    _, _, path = example
    active = set(path.at(0.0).active.tolist())
    for theta, entered, left in path.events.tolist():
        active = (active - {left}) | {entered}
        if theta < 1.0:
            assert active == set(path.at(theta, "right").active.tolist())
    assert active == set(path.at(1.0).active.tolist())
    assert path.n_events == path.events.size >= len(path) - 1


def test_models_on_a_path(example):
    Phi, model, path = example
    for theta in (0.0, 0.3, float(path.theta[2]), 1.0):
        at = path.model_at(theta)
        assert (at.coef_ == path.at(theta).coef).all() and at.kkt_violation() < 1e-12
        assert at.predict(Phi) == pytest.approx(path.predict(Phi, theta), abs=1e-12)
        on = at.reweight(1.0)
        fresh = wp.BasisPursuit().fit(Phi, path.program.y)
        assert on.kkt_violation() < 1e-12
        assert at.coef_ == pytest.approx(fresh.coef_, abs=1e-12)
    assert (path.model_at(1.0).coef_ == model.coef_).all()


def test_curves_are_exact(example):
    _, _, path = example
    g = np.random.default_rng(0)
    X, y = g.normal(size=(9, 40)), g.normal(size=9)
    for metric, loss in (("squared", np.square), ("absolute", np.abs)):
        curve = path.curve(X, y, metric)
        for theta in [*path.theta, *g.random(20)]:
            told = np.mean(loss(y - path.predict(X, float(theta))))
            assert float(curve(theta)) == pytest.approx(told, rel=1e-10)
        assert curve.best.value == pytest.approx(curve.values.min(initial=np.inf), rel=1e-12)
    with pytest.raises(ValueError, match="metric"):
        path.curve(X, y, "zero_one")


def test_reading(example):
    Phi, _, path = example
    assert path.decision_function(Phi, [0.0, 0.5, 1.0]).shape == (3, 12)
    assert "40 features" in repr(path) and "segments" in path._repr_html_()
    assert "features in use" in repr(path.at(0.5)) and "objective" in path.at(0.5)._repr_html_()
    frame = path.to_frame()
    assert len(frame) == len(path) and frame["left"].tolist() == path.theta[:-1].tolist()
    for bad in (-0.1, 1.1, "x", [0.1]):
        with pytest.raises(ValueError, match="theta"):
            path.at(bad)
    with pytest.raises(ValueError, match="side"):
        path.at(0.5, side="up")
    with pytest.raises(ValueError, match="features"):
        path.predict(Phi[:, :3], 0.5)


def test_nothing_moves():
    g = np.random.default_rng(0)
    model = wp.BasisPursuit().fit(g.normal(size=(5, 9)), g.normal(size=5))
    path = model.reweight(1.0)
    assert len(path) == 1 and path.n_events == 0 and path.kkt_violation() < 1e-14


def test_plot(example):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    _, _, path = example
    display = path.plot()
    assert len(display.axes_) == 2 and display.coefficients.shape == (len(path), 12)
    one = path.plot(ax=pyplot.subplots()[1], features=[3, 4])
    assert one.features.tolist() == [3, 4]
    with pytest.raises(ValueError, match="one or two axes"):
        path.plot(ax=pyplot.subplots(3)[1])
    pyplot.close("all")


def test_a_path_leaves_its_start_as_it_was(example):
    _, model, _ = example
    weight = np.linspace(0.5, 2.0, 40)
    first = model.path_to(penalty_weight=weight)
    again = model.path_to(penalty_weight=weight)
    assert (first.theta == again.theta).all() and (first.events == again.events).all()
    assert (first.at(1.0).coef == again.at(1.0).coef).all()
