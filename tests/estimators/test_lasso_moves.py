"""Moves of the lasso: penalties, targets, observations, and weights made from coefficients."""

import numpy as np
import pytest
from scipy.optimize import linprog

import weightpath as wp
from estimators.lasso_samples import model_violation, regression

SHAPES = [(50, 12), (15, 40)]


def same(model, other):
    """Whether two models agree."""
    return (
        np.allclose(model.coef_, other.coef_, rtol=0, atol=1e-9)
        and abs(model.intercept_ - other.intercept_) < 1e-8
        and np.allclose(model.penalty_, other.penalty_, rtol=1e-12)
    )


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_joint_move_there_and_back(n, p):
    X, y, weight = regression(n, p)
    rng = np.random.default_rng(1)
    new_y, new_weight = rng.normal(size=n), rng.uniform(0.0, 3.0, p)
    new_weight[3] = 0.0
    model = wp.Lasso(0.1).fit(X, y, weight)
    first = model.coef_
    path = model.move(alpha=0.3, penalty_weight=new_weight, y=new_y)
    fresh = wp.Lasso(0.3, penalty_weight=new_weight).fit(X, new_y, weight)
    assert same(model, fresh) and path.kkt_violation() < 1e-12
    assert model.alpha_ == 0.3 and (model.penalty_weight_ == new_weight).all()
    # In between: penalties and targets on straight lines.
    theta = 0.37
    at = path.at(theta)
    assert at.weights == pytest.approx((1 - theta) * 0.1 + theta * 0.3 * new_weight)
    middle = wp.Lasso(1.0, penalty_weight=at.weights).fit(
        X, (1 - theta) * y + theta * new_y, weight
    )
    assert at.dual_coef == pytest.approx(middle.coef_, abs=1e-9)
    assert at.intercept == pytest.approx(middle.intercept_, abs=1e-8)
    back = model.move(alpha=0.1, penalty_weight=1.0, y=y)
    assert model.coef_ == pytest.approx(first, abs=1e-10) and back.kkt_violation() < 1e-12


@pytest.mark.parametrize(("n", "p"), SHAPES)
def test_single_moves(n, p):
    X, y, _ = regression(n, p, seed=4)
    model = wp.Lasso(0.5).fit(X, y)
    model.move(alpha=0.05)
    assert same(model, wp.Lasso(0.05).fit(X, y))
    path = model.reweight(np.linspace(0.2, 3.0, p))
    assert same(model, wp.Lasso(0.05, penalty_weight=np.linspace(0.2, 3.0, p)).fit(X, y))
    assert path.at(0.0).weights == pytest.approx(np.full(p, 0.05))
    model.move(y=-y)
    assert same(model, wp.Lasso(0.05, penalty_weight=np.linspace(0.2, 3.0, p)).fit(X, -y))


def test_alpha_zero_remembers_the_penalty_weights():
    X, y, _ = regression(40, 5)
    model = wp.Lasso(0.1, penalty_weight=[1, 2, 3, 4, 5]).fit(X, y)
    first = model.coef_
    model.move(alpha=0.0)
    assert (model.penalty_ == 0).all()
    model.move(alpha=0.1)
    assert model.coef_ == pytest.approx(first, abs=1e-11)


def test_all_coefficients_vanish_on_the_way():
    X, y, _ = regression(20, 4)
    for target in (-y, np.zeros(20), y[::-1]):
        model = wp.Lasso(0.7).fit(X, y)
        path = model.move(y=target)
        assert path.kkt_violation() < 1e-12
        assert max(path.kkt_violation(theta) for theta in path.theta) < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_whole_numbers(seed):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(3, 20), rng.integers(1, 25)
    X, y, y_new = (rng.integers(-2, 3, size=s).astype(float) for s in ((n, p), n, n))
    model = wp.Lasso(0.1, penalty_weight=rng.integers(1, 3, p)).fit(X, y)
    paths = [model.path_, model.move(y=y_new), model.reweight(rng.integers(1, 4, p))]
    paths += [model.add(X[:2] + 1.0, y[:2]), model.remove(0), model.adaptive()]
    for path in paths:
        assert path.kkt_violation() < 1e-11
        assert max(path.duality_gap(theta) for theta in (0.0, 0.3, 1.0)) < 1e-11


def test_dependent_features_on_the_way():
    X, y, _ = regression(30, 5)
    X = np.hstack([X, X, X[:, :2] - X[:, 2:4]])
    model = wp.Lasso(0.1).fit(X, y)
    rng = np.random.default_rng(0)
    for _ in range(5):
        path = model.move(y=rng.permutation(y), penalty_weight=rng.uniform(0.1, 2.0, 12))
        assert path.kkt_violation() < 1e-8


@pytest.mark.parametrize(("n", "p"), [(30, 5), (6, 20)])
def test_dependent_unpenalised_features_have_a_limit(n, p):
    """A column and its copy, neither penalised: fitted, reached from a penalty, and left again."""
    X, y, _ = regression(n, p)
    X = np.hstack([X, X[:, :1]])
    weight = np.ones(p + 1)
    weight[[0, p]] = 0.0
    fitted = wp.Lasso(0.1, penalty_weight=weight).fit(X, y)
    assert fitted.kkt_violation() < 1e-10 and fitted.path_.kkt_violation() < 1e-8
    moved = wp.Lasso(0.1).fit(X, y)
    there = moved.reweight(weight)
    assert there.kkt_violation() < 1e-8
    # The copies share one effect; only their sum is unique.
    alone = wp.Lasso(0.1, penalty_weight=weight[:p]).fit(X[:, :p], y)
    for model in (fitted, moved):
        assert model.predict(X) == pytest.approx(alone.predict(X[:, :p]), abs=1e-8)
    back = moved.reweight(np.ones(p + 1))
    assert back.kkt_violation() < 1e-8
    again = wp.Lasso(0.1).fit(X, y)
    assert moved.predict(X) == pytest.approx(again.predict(X), abs=1e-8)


@pytest.mark.parametrize(("n", "p"), [(30, 5), (6, 20)])
def test_without_any_penalty_the_fit_is_that_of_least_squares(n, p):
    X, y, _ = regression(n, p)
    X = np.hstack([X, X[:, :1]])
    model = wp.Lasso(0.1).fit(X, y)
    path = model.move(alpha=0.0)
    assert path.kkt_violation() < 1e-8
    centred = X - X.mean(axis=0)
    fit = y.mean() + centred @ np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    assert model.predict(X) == pytest.approx(fit, abs=1e-8 * np.abs(y).max())
    assert path.decision_function(X, 1.0) == pytest.approx(fit, abs=1e-8 * np.abs(y).max())


@pytest.mark.parametrize("seed", range(4))
def test_without_any_penalty_the_end_is_that_of_least_size(seed):
    """With p > n the limit of the path solves X b = y with the least sum of absolute values."""
    X, y, _ = regression(8, 25, seed=seed)
    model = wp.Lasso(0.1, fit_intercept=False).fit(X, y)
    path = model.move(alpha=0.0)
    least = linprog(np.ones(50), A_eq=np.hstack([X, -X]), b_eq=y, bounds=(0, None))
    assert least.success
    for coef in (model.coef_, path.at(1.0).dual_coef):
        assert X @ coef == pytest.approx(y, abs=1e-8 * np.abs(y).max())
        assert np.abs(coef).sum() == pytest.approx(least.fun, rel=1e-7)


def test_a_ridge_shares_between_copies():
    X, y, _ = regression(30, 5)
    X = np.hstack([X, X[:, :1]])
    ridge = wp.Lasso(0.1, penalty_weight=[0, 1, 1, 1, 1, 0], ridge=0.01).fit(X, y)
    assert ridge.coef_[0] == pytest.approx(ridge.coef_[5]) and ridge.kkt_violation() < 1e-12


@pytest.mark.parametrize(("n", "p"), SHAPES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_observations_come_and_go(n, p, fit_intercept):
    X, y, weight = regression(n, p, seed=6)
    X_new, y_new, weight_new = regression(9, p, seed=7)
    settings = {"alpha": 0.1, "fit_intercept": fit_intercept}
    model = wp.Lasso(**settings).fit(X, y, weight)
    before = model.coef_
    path = model.add(X_new, y_new, weight_new)
    X, y, weight = np.vstack([X, X_new]), np.append(y, y_new), np.append(weight, weight_new)
    assert same(model, wp.Lasso(**settings).fit(X, y, weight))
    assert path.kkt_violation() < 1e-11
    assert path.at(0.0).dual_coef == pytest.approx(before, abs=1e-12)
    assert path.at(1.0).dual_coef == pytest.approx(model.coef_, abs=1e-12)
    path = model.remove([0, 3, -1])
    X, y, weight = (np.delete(a, [0, 3, len(y) - 1], axis=0) for a in (X, y, weight))
    assert same(model, wp.Lasso(**settings).fit(X, y, weight)) and path.kkt_violation() < 1e-11
    after = np.linspace(1.0, 2.0, len(y) - 8 + 9)
    path = model.slide(X_new, y_new, drop=8, sample_weight=after)
    X, y = np.vstack([X[8:], X_new]), np.append(y[8:], y_new)
    assert same(model, wp.Lasso(**settings).fit(X, y, after)) and path.kkt_violation() < 1e-11
    model.move(alpha=0.01)
    assert model_violation(model, X, y, after) < 1e-11


def test_almost_all_observations_go():
    X, y, _ = regression(40, 10)
    model = wp.Lasso(0.01).fit(X, y)
    path = model.remove(np.arange(36))
    assert path.kkt_violation() < 1e-10
    assert model_violation(model, X[36:], y[36:]) < 1e-10


def test_adaptive():
    X, y, _ = regression(40, 10)
    model = wp.Lasso(0.1).fit(X, y)
    start = model.coef_
    path = model.adaptive()
    used = start != 0
    assert model.penalty_weight_[used] == pytest.approx(1 / np.abs(start[used]))
    assert not model.coef_[~used].any() and path.kkt_violation() < 1e-10
    only = wp.Lasso(0.1, penalty_weight=1 / np.abs(start[used])).fit(X[:, used], y)
    assert model.coef_[used] == pytest.approx(only.coef_, abs=1e-10)
    initial = np.linspace(-1.0, 1.0, 10)
    model.adaptive(gamma=2.0, initial=initial)
    expected = wp.Lasso(0.1, penalty_weight=np.abs(initial) ** -2.0).fit(X, y)
    assert model.coef_ == pytest.approx(expected.coef_, abs=1e-10)


def test_adaptive_with_nothing_or_almost_nothing():
    X, y, _ = regression(40, 5)
    model = wp.Lasso(1e3).fit(X, y)
    model.adaptive()
    assert not model.coef_.any()
    model = wp.Lasso(0.0).fit(X, y)
    coef = model.coef_
    model.adaptive(initial=[1, 0, 0, 1, 1])
    assert model.coef_ == pytest.approx(coef, abs=1e-11)
    model = wp.Lasso(0.1).fit(X, y)
    model.adaptive(initial=[1e-300, 1.0, 1.0, 1.0, 1.0])
    assert model.coef_[0] == 0 and model.kkt_violation() < 1e-11


def test_reweighted_l1():
    X, y, _ = regression(30, 40)
    model = wp.Lasso(0.05).fit(X, y)
    twin = wp.Lasso(0.05).fit(X, y)
    size = len(model.active_)
    paths = model.reweighted_l1(n_rounds=4, epsilon=0.2)
    assert len(paths) == 4 and all(path.kkt_violation() < 1e-11 for path in paths)
    for _ in range(4):
        twin = wp.Lasso(0.05, penalty_weight=1 / (np.abs(twin.coef_) + 0.2)).fit(X, y)
    assert model.coef_ == pytest.approx(twin.coef_, abs=1e-9)
    assert len(model.active_) < size
    assert len(wp.Lasso(1e6).fit(X, y).reweighted_l1(2)) == 2


def test_event_cap_leaves_the_model_where_it_was():
    X, y, _ = regression(40, 10)
    model = wp.Lasso(0.5).fit(X, y).set_params(max_events=2)
    coef = model.coef_
    calls = [
        lambda: model.move(alpha=0.001),
        lambda: model.slide(X[:20] + 3.0, -3.0 * y[:20], drop=30),
        lambda: model.reweight(np.linspace(0.0, 0.1, 10)),
    ]
    for call in calls:
        with pytest.warns(wp.EventCapWarning, match="stays where it was") as caught:
            path = call()
        assert caught[0].filename == __file__
        assert path.theta[-1] < 1.0 and path.status != "complete"
        assert (
            model.coef_ is coef and model.alpha_ == 0.5 and model.training_set_.X.shape == (40, 10)
        )
