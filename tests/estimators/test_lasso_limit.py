"""The lasso at alpha = 0: the limit of its path, certified, and a start for other paths."""

import numpy as np
import pytest

import weightpath as wp
from estimators.lasso_samples import regression
from judges.pursuit import least_cost
from pursuit.generated import generated


def check_limit(model, X, y, weight, least):
    """Check a model at alpha = 0 against the least cost and by its dual vector."""
    told = model.limit_certificate()
    assert told.objective == pytest.approx(weight @ np.abs(model.coef_), rel=1e-12)
    assert abs(told.objective - least) <= 1e-9 * least
    u = told.dual
    assert told.violation < 1e-10
    assert told.gap <= 1e-9 * told.objective + 1e-14 * (np.abs(y) @ np.abs(u))
    size = np.maximum(np.linalg.norm(X, axis=0) * np.linalg.norm(u), weight)
    assert (np.abs(X.T @ u) <= weight + 1e-10 * size).all()
    if model.fit_intercept:
        assert abs(u.sum()) <= 1e-12 * np.abs(u).sum()
    assert abs(y @ u - told.objective) <= 1e-9 * (np.abs(y) @ np.abs(u))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("how", ["fit", "move"])
def test_ends_of_generated_problems(seed, how):
    one = generated(seed)
    X, y, weight = one.A, one.y, one.weight / one.columns
    least = least_cost(X, y, weight, one.rank)
    options = {"penalty_weight": weight, "fit_intercept": False}
    if how == "fit":
        model = wp.Lasso(0.0, **options).fit(X, y)
        path = model.path_
    else:
        size = np.abs(X.T @ y)[weight > 0] / weight[weight > 0]
        model = wp.Lasso(0.1 * (size.max(initial=0.0) or 1.0) / len(y), **options).fit(X, y)
        path = model.move(alpha=0.0)
    check_limit(model, X, y, weight, least)
    assert (path.at(1.0).dual_coef == model.coef_).all()
    assert path.model_at(1.0).limit_certificate().violation < 1e-10
    assert model.kkt_violation() < 1e-10
    up = model.move(alpha=0.3)
    assert up.kkt_violation() < 1e-9
    fresh = wp.Lasso(0.3, **options).fit(X, y)
    assert model.predict(X) == pytest.approx(fresh.predict(X), abs=1e-8 * (np.abs(y).max() or 1.0))


@pytest.mark.parametrize("seed", range(8))
def test_with_intercept_and_sample_weights(seed):
    X, y, share = regression(9, 25, seed=seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 25)
    weight[:2] = 0.0
    root = np.sqrt(share / share.sum())
    mean, offset = np.average(X, axis=0, weights=share), np.average(y, weights=share)
    A, b = root[:, None] * (X - mean), root * (y - offset)
    least = least_cost(A, b, weight, 8)
    for start in (0.0, 0.5):
        model = wp.Lasso(start, penalty_weight=weight).fit(X, y, share)
        path = model.path_to(alpha=0.0)
        assert model.alpha_ == start
        model.move(alpha=0.0)
        check_limit(model, X, y, weight, least)
        assert path.at(1.0).dual_coef == pytest.approx(model.coef_, abs=1e-12)
        assert model.predict(X) == pytest.approx(y, abs=1e-10)


def test_full_column_rank_is_least_squares():
    X, y, _ = regression(40, 6)
    model = wp.Lasso(0.3, fit_intercept=False).fit(X, y)
    model.move(alpha=0.0)
    assert model.coef_ == pytest.approx(np.linalg.lstsq(X, y, rcond=None)[0], abs=1e-12)
    assert model.limit_certificate().violation < 1e-13


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_limit_belongs_to_the_penalty_weights_however_it_is_reached(fit_intercept):
    X, y, _ = regression(8, 25, seed=1)
    g = np.random.default_rng(0)
    first, last = g.uniform(0.2, 2.0, (2, 25))
    new_y = g.normal(size=8)
    options = {"fit_intercept": fit_intercept}
    fresh = wp.Lasso(0.0, penalty_weight=last, **options).fit(X, new_y)
    model = wp.Lasso(0.2, penalty_weight=first, **options).fit(X, y)
    path = model.move(alpha=0.0, penalty_weight=last, y=new_y)
    assert model.coef_ == pytest.approx(fresh.coef_, abs=1e-10)
    # The path itself ends where its own penalties lead to: another least-squares solution.
    left = path.at(1.0, side="left").dual_coef
    other = wp.Lasso(0.0, penalty_weight=first, **options).fit(X, new_y)
    assert left == pytest.approx(other.coef_, abs=1e-8)
    # Targets, weights and observations move at alpha = 0, too.
    model = wp.Lasso(0.0, penalty_weight=first, **options).fit(X[:7], y[:7])
    for move in (
        lambda: model.reweight(last),
        lambda: model.add(X[7:], y[7:]),
        lambda: model.move(y=new_y),
    ):
        assert move().kkt_violation() < 1e-9
        assert model.limit_certificate().violation < 1e-10
    assert model.coef_ == pytest.approx(fresh.coef_, abs=1e-10)


def test_up_from_zero_at_other_weights_and_targets():
    X, y, _ = regression(8, 25, seed=2)
    g = np.random.default_rng(0)
    weight = g.uniform(0.2, 2.0, 25)
    model = wp.Lasso(0.0).fit(X, y)
    path = model.move(alpha=0.1, penalty_weight=weight, y=y[::-1])
    assert path.kkt_violation() < 1e-11
    fresh = wp.Lasso(0.1, penalty_weight=weight).fit(X, y[::-1])
    assert model.coef_ == pytest.approx(fresh.coef_, abs=1e-10)


def test_an_early_end_of_the_path_leaves_the_limit():
    X, y, _ = regression(8, 25)
    with pytest.warns(wp.EventCapWarning, match="path_ ends early"):
        model = wp.Lasso(0.0, max_events=3).fit(X, y)
    assert model.coef_ == pytest.approx(wp.Lasso(0.0).fit(X, y).coef_, abs=1e-11)
    assert model.limit_certificate().violation < 1e-12


def test_tiny_observations_and_features_count():
    """They are invisible in products of features, beside large ones."""
    X = np.diag([1.0, 1e-9, 1e9, 1.0]) @ np.random.default_rng(0).normal(size=(4, 6))
    y = X @ [1.0, 0.0, 0.0, -2.0, 0.0, 0.0]
    model = wp.Lasso(0.0, fit_intercept=False).fit(X, y)
    assert model.limit_certificate().violation < 1e-10
    assert model.predict(X) == pytest.approx(y, rel=1e-9)


def test_only_limits_have_certificates():
    X, y, _ = regression(20, 5)
    for model in (wp.Lasso(0.1), wp.Lasso(0.0, ridge=0.1)):
        with pytest.raises(ValueError, match="Only a model at alpha = 0"):
            model.fit(X, y).limit_certificate()
    told = wp.Lasso(0.0).fit(X, y).limit_certificate()
    assert "gap" in repr(told) and "violation" in told._repr_html_()


@pytest.mark.parametrize(("seed", "spread"), [(2, 12), (91, 12), (43, 20), (126, 20), (376, 20)])
def test_features_of_very_different_size(seed, spread):
    """Where the path fails with the features as they are, it is followed with scaled ones."""
    one = generated(seed)
    size = 2.0 ** np.random.default_rng(seed).integers(-spread, spread + 1, one.A.shape[1])
    X, y, weight = one.A * size, one.y, one.weight / one.columns * size
    least = least_cost(one.A, y, one.weight / one.columns, one.rank)
    correlation = np.abs(X.T @ y)[weight > 0] / weight[weight > 0]
    alpha = 0.1 * (correlation.max(initial=0.0) or 1.0) / len(y)
    model = wp.Lasso(alpha, penalty_weight=weight, fit_intercept=False).fit(X, y)
    path = model.move(alpha=0.0)
    assert path.kkt_violation() < 1e-9
    for found in (model, wp.Lasso(0.0, penalty_weight=weight, fit_intercept=False).fit(X, y)):
        assert weight @ np.abs(found.coef_) == pytest.approx(least, rel=1e-9)
        assert found.limit_certificate().violation < 1e-10
    assert model.move(alpha=alpha).kkt_violation() < 1e-9
