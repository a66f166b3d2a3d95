"""Selective inference against fits of another library, another implementation, and the null."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.stats import kstest, norm
from sklearn.linear_model import Lasso as SklearnLasso
from sklearn.linear_model import LassoCV, LinearRegression
from sklearn.model_selection import KFold

import weightpath as wp
from weightpath import inference
from weightpath.inference.lines import lines_of
from weightpath.inference.unions import intersection, joined, where_true


def sample(seed, n=40, p=8, signal=0.4, correlated=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + correlated * rng.normal(size=(n, 1))
    beta = np.zeros(p)
    beta[:2] = signal
    return X, X @ beta + rng.normal(size=n)


def tight(alpha, intercept, weight=None):
    def fit(X, y):
        model = SklearnLasso(alpha=alpha, fit_intercept=intercept, tol=1e-13, max_iter=1_000_000)
        return model.fit(X, y, sample_weight=weight)

    return fit


def lines_for(model, X, y, weight, intercept, sigma):
    n = len(y)
    weight = np.ones(n) if weight is None else weight
    return lines_of(
        X, y, weight, intercept, np.flatnonzero(model.coef_), np.broadcast_to(sigma, (n,))
    )


def inside(union, z):
    return any(a <= z <= b for a, b in union)


def edges_near(union, z, step):
    return any(abs(z - edge) <= step for ends in union for edge in ends)


def check_region(union, z_values, same):
    """The selection is the same exactly on the union, but for points beside its edges."""
    for z in z_values:
        if not edges_near(union, z, 1e-6):
            assert same(z) == inside(union, z), z


CASES = {
    "plain": {},
    "without intercept": {"intercept": False},
    "correlated": {"correlated": 2.0},
    "more features than rows": {"n": 15, "p": 30},
    "weighted rows": {"weighted": True},
    "deviations that differ": {"sigma": np.linspace(0.5, 2.0, 40)},
}


@pytest.mark.parametrize("condition", ["set", "signs"])
@pytest.mark.parametrize("case", CASES)
def test_regions_are_where_refits_select_the_same(case, condition):
    given = dict(CASES[case])
    intercept, sigma = given.pop("intercept", True), given.pop("sigma", 1.0)
    weighted = given.pop("weighted", False)
    X, y = sample(1, **given)
    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(y)) if weighted else None
    alpha = 0.25 if "n" in given else 0.12
    model = wp.Lasso(alpha=alpha, fit_intercept=intercept).fit(X, y, weight)
    found = inference.selective(model, sigma, condition=condition)
    assert len(found) >= 2
    fit = tight(alpha, intercept, weight)
    own = np.sign(fit(X, y).coef_)
    for k, line in enumerate(lines_for(model, X, y, weight, intercept, sigma)):
        assert abs(line.statistic - found.estimates[k]) < 1e-10

        def same(z, line=line):
            sign = np.sign(fit(X, line.targets(z)).coef_)
            same_signs, same_set = sign == own, (sign != 0) == (own != 0)
            return bool((same_signs if condition == "signs" else same_set).all())

        assert inside(found.truncation[k], line.statistic)
        around = line.statistic + line.scale * np.linspace(-12, 12, 41)
        check_region(found.truncation[k], around, same)
        beside = [
            edge + step * line.scale
            for ends in found.truncation[k]
            for edge in ends
            if np.isfinite(edge) and abs(edge) < 15 * line.scale
            for step in (-1e-4, 1e-4)
        ]
        check_region(found.truncation[k], beside, same)


def test_the_estimates_are_those_of_least_squares():
    X, y = sample(2)
    model = wp.Lasso(alpha=0.1).fit(X, y)
    found = inference.selective(model, 1.0)
    least = LinearRegression().fit(X[:, found.features], y)
    assert abs(found.estimates - least.coef_).max() < 1e-10
    centred = X[:, found.features] - X[:, found.features].mean(axis=0)
    variance = np.diag(np.linalg.inv(centred.T @ centred))
    assert abs(found.standard_errors - np.sqrt(variance)).max() < 1e-12
    assert (found.features == model.active_).all()
    assert (found.coef == model.coef_[found.features]).all()


def test_signs_are_the_polyhedron_of_lee_and_others():
    X, y = sample(3)
    n = len(y)
    model = wp.Lasso(alpha=0.1, fit_intercept=False).fit(X, y)
    found = inference.selective(model, 1.0, condition="signs")
    active = found.features
    other = np.setdiff1d(np.arange(X.shape[1]), active)
    A, sign = X[:, active], np.sign(found.coef)
    gram = np.linalg.inv(A.T @ A)
    off = X[:, other].T @ (np.eye(n) - A @ gram @ A.T) / (n * 0.1)
    shift = X[:, other].T @ A @ gram @ sign
    matrix = np.vstack([off, -off, -np.diag(sign) @ gram @ A.T])
    bound = np.concatenate([1 - shift, 1 + shift, -n * 0.1 * sign * (gram @ sign)])
    for k, line in enumerate(lines_for(model, X, y, None, False, 1.0)):
        speed, room = matrix @ line.slope, bound - matrix @ line.base
        noise = abs(speed) < 1e-12
        speed, room = speed[~noise], room[~noise]
        low = max((room / speed)[speed < 0], default=-np.inf)
        high = min((room / speed)[speed > 0], default=np.inf)
        ((a, b),) = found.truncation[k]
        for end, expected in ((a, low), (b, high)):
            # What was not followed is far away.
            assert abs(end - expected) < 1e-8 or abs(expected) > 15 * line.scale


def test_conditioning_on_less_gives_shorter_intervals_on_average():
    lengths = []
    for seed in range(12):
        X, y = sample(seed)
        model = wp.Lasso(alpha=0.15).fit(X, y)
        lengths.append(
            [
                np.median(np.diff(inference.selective(model, 1.0, condition=given).intervals))
                for given in ("set", "signs")
            ]
        )
    by_set, by_signs = np.mean(np.minimum(lengths, 1e3), axis=0)
    assert by_set < by_signs


def test_intervals_are_tests_turned_around():
    X, y = sample(5)
    found = inference.selective(wp.Lasso(alpha=0.1).fit(X, y), 1.0, level=0.9)
    from weightpath.inference._truncated_normal import TruncatedNormal

    for k in range(len(found)):
        normal = TruncatedNormal(found.truncation[k], found.estimates[k], found.standard_errors[k])
        for end in found.intervals[k][np.isfinite(found.intervals[k])]:
            assert abs(normal.two_sided(float(end)) - 0.1) < 1e-8


def test_without_selection_it_is_ordinary_inference():
    X, y = sample(6, signal=5.0, p=2)
    found = inference.selective(wp.Lasso(alpha=1e-6).fit(X, y), 1.0)
    z = found.estimates / found.standard_errors
    assert abs(found.p_values - 2 * norm.sf(abs(z))).max() < 1e-9
    half = norm.ppf(0.975) * found.standard_errors
    assert abs(found.intervals - found.estimates[:, None] - np.outer(half, [-1, 1])).max() < 1e-4


def test_unpenalised_features_are_always_selected():
    X, y = sample(7)
    weight = np.array([1.0, 1, 1, 0, 1, 1, 1, 1])
    model = wp.Lasso(alpha=0.15, penalty_weight=weight).fit(X, y)
    found = inference.selective(model, 1.0)
    k = found.features.tolist().index(3)
    line = lines_for(model, X, y, None, True, 1.0)[k]
    scaled = X.copy()
    scaled[:, 3] *= 1e6  # as good as unpenalised

    def same(z):
        fit = tight(0.15, True)(scaled, line.targets(z))
        return ((fit.coef_ != 0) == (model.coef_ != 0))[weight > 0].all()

    check_region(found.truncation[k], line.statistic + line.scale * np.linspace(-6, 6, 31), same)


# Another implementation ----------------------------------------------------------------------


def parametric_si():
    # It uses a name that NumPy 2 has dropped.
    if not hasattr(np, "Inf"):
        vars(np)["Inf"] = np.inf
    return pytest.importorskip("parametric_si")


@pytest.mark.parametrize("seed", range(20))
def test_p_values_agree_with_the_authors_of_the_method(seed):
    other = parametric_si()
    X, y = sample(seed, n=60, p=8 + seed % 5, signal=0.3)
    model = wp.Lasso(alpha=0.1, fit_intercept=False).fit(X, y)
    found = inference.selective(model, 1.0)
    expected = other.parametric_lasso_si(X, y, 0.1)
    assert found.features.tolist() == expected.A
    # Beyond this its sums of ordinary distribution functions lose their digits.
    near = abs(found.estimates / found.standard_errors) < 5.0
    assert abs(found.p_values - expected.p_values)[near].max(initial=0.0) < 1e-8


# The null --------------------------------------------------------------------------------------


def null_p_values(count, **given):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(30, 6))
    found = []
    while len(found) < count:
        y = rng.normal(size=30)
        model = wp.Lasso(alpha=0.15).fit(X, y)
        if len(model.active_):
            table = inference.selective(model, 1.0, **given)
            found.append(table.p_values[rng.integers(len(table))])
    return np.array(found)


@pytest.mark.parametrize("condition", ["set", "signs"])
def test_p_values_are_uniform_under_the_null(condition):
    assert kstest(null_p_values(400, condition=condition), "uniform").pvalue > 1e-3


@pytest.mark.slow
def test_ten_thousand_p_values_are_uniform_under_the_null():
    assert kstest(null_p_values(10_000), "uniform").pvalue > 1e-3


# A chosen alpha --------------------------------------------------------------------------------

ALPHAS = np.array([0.05, 0.1, 0.2, 0.4])


def chosen(X, y, folds):
    return LassoCV(alphas=ALPHAS, cv=folds, tol=1e-12, max_iter=1_000_000).fit(X, y).alpha_


@pytest.mark.parametrize("seed", [0, 3])
def test_the_choice_of_alpha_is_a_part_of_the_selection(seed):
    X, y = sample(seed, n=36, p=5, signal=0.6)
    folds = KFold(4, shuffle=True, random_state=0)
    alpha = chosen(X, y, folds)
    model = wp.Lasso(alpha=alpha).fit(X, y)
    found = inference.selective(model, 1.0, alphas=ALPHAS, cv=folds)
    assert "choice of alpha" in found.condition
    own = tight(alpha, True)(X, y).coef_ != 0
    for k, line in list(enumerate(lines_for(model, X, y, None, True, 1.0)))[:2]:

        def same(z, line=line):
            moved = line.targets(z)
            return bool(
                np.isclose(chosen(X, moved, folds), alpha)
                and ((tight(alpha, True)(X, moved).coef_ != 0) == own).all()
            )

        assert inside(found.truncation[k], line.statistic)
        check_region(
            found.truncation[k], line.statistic + line.scale * np.linspace(-8, 8, 25), same
        )


def test_p_values_with_a_chosen_alpha_are_uniform_under_the_null():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24, 4))
    alphas, p_values = [0.1, 0.3], []
    while len(p_values) < 120:
        y = rng.normal(size=24)
        alpha = LassoCV(alphas=alphas, cv=3).fit(X, y).alpha_
        model = wp.Lasso(alpha=alpha).fit(X, y)
        if len(model.active_):
            table = inference.selective(model, 1.0, alphas=alphas, cv=3)
            p_values.append(table.p_values[rng.integers(len(table))])
    assert kstest(p_values, "uniform").pvalue > 1e-3


def test_another_alpha_than_the_chosen_one_is_refused():
    X, y = sample(0)
    best = LassoCV(alphas=ALPHAS, cv=5).fit(X, y).alpha_
    wrong = ALPHAS[~np.isclose(ALPHAS, best)][0]
    with pytest.raises(ValueError, match="chooses alpha"):
        inference.selective(wp.Lasso(alpha=wrong).fit(X, y), 1.0, alphas=ALPHAS, cv=5)
    with pytest.raises(ValueError, match="not among alphas"):
        inference.selective(wp.Lasso(alpha=0.3).fit(X, y), 1.0, alphas=ALPHAS, cv=5)


# What is given and shown -----------------------------------------------------------------------


def test_the_model_does_not_move_and_copies_do_as_well():
    X, y = sample(8)
    model = wp.Lasso(alpha=0.1).fit(X, y)
    before = model.coef_.copy()
    found = inference.selective(model, 1.0)
    assert (model.coef_ == before).all()
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert abs(inference.selective(other, 1.0).p_values - found.p_values).max() < 1e-9


def test_units_do_not_matter():
    X, y = sample(9)
    one = inference.selective(wp.Lasso(alpha=0.1).fit(X, y), 1.0)
    for unit in (1e-6, 1e6):
        other = inference.selective(wp.Lasso(alpha=0.1 * unit).fit(X, unit * y), unit)
        assert abs(one.p_values - other.p_values).max() < 1e-7


def test_nothing_selected_is_an_empty_table():
    X, y = sample(0)
    found = inference.selective(wp.Lasso(alpha=100.0).fit(X, y), 1.0)
    assert len(found) == 0 and found.intervals.shape == (0, 2)
    assert "0 features" in repr(found)


def test_tables():
    pd = pytest.importorskip("pandas")
    X, y = sample(0)
    names = [f"gene {k}" for k in range(X.shape[1])]
    found = inference.selective(wp.Lasso(alpha=0.1).fit(pd.DataFrame(X, columns=names), y), 1.0)
    frame = found.to_frame()
    assert frame.index.tolist() == [names[k] for k in found.features]
    assert (frame["p_value"] == found.p_values).all()
    assert "<table>" in found._repr_html_()


def test_what_is_wrong_is_said():
    X, y = sample(0)
    model = wp.Lasso(alpha=0.1).fit(X, y)
    with pytest.raises(TypeError, match=r"weightpath\.Lasso"):
        inference.selective(SklearnLasso().fit(X, y), 1.0)
    with pytest.raises(ValueError, match="positive and finite"):
        inference.selective(model, 0.0)
    with pytest.raises(ValueError, match="shape"):
        inference.selective(model, np.ones(3))
    with pytest.raises(ValueError, match="one of set, signs"):
        inference.selective(model, 1.0, condition="order")
    with pytest.raises(TypeError, match="alphas"):
        inference.selective(model, 1.0, cv=3)
    with pytest.raises(ValueError, match="alpha > 0"):
        inference.selective(wp.Lasso(alpha=0.0).fit(X, y), 1.0)


def test_dependent_features_are_refused():
    X, y = sample(0)
    X[:, 1] = X[:, 0] + 1e-13 * X[:, 2]
    model = wp.Lasso(alpha=0.0001, penalty_weight=[0, 0, *np.ones(6)]).fit(X, y)
    if len(model.active_) > 1 and {0, 1} <= set(model.active_.tolist()):
        with pytest.raises(ValueError, match="depend on one another"):
            inference.selective(model, 1.0)


def test_unions():
    assert joined([(3, 4), (0, 1), (1, 2), (5, 5)]) == [(0, 2), (3, 4)]
    assert intersection([(0, 2), (3, 5)], [(1, 4)]) == [(1, 2), (3, 4)]
    assert where_true([3.0, 2.0, 1.0, 0.0], [True, True, False]) == [(1.0, 3.0)]
