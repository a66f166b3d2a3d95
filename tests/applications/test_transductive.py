"""Transduction: every model on the way is that of a fit from scratch, no switch raises anything."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import svm
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

import weightpath as wp

SCHEDULES = ("doubling", "annealed")


def moons(n=90, n_labelled=10, seed=0):
    X, truth = make_moons(n, noise=0.25, random_state=seed)
    return X, np.where(np.arange(n) < n_labelled, truth, -1), truth


def features(n=80, n_labelled=16, seed=0):
    X, truth = make_classification(n, 6, n_informative=3, flip_y=0.1, random_state=seed)
    return X, np.where(np.arange(n) < n_labelled, truth, -1), truth


def integers(n=70, n_labelled=12, seed=0):
    """Many equal rows, also of labelled and unlabelled ones and with different labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 2)).astype(float)
    truth = (X.sum(axis=1) + rng.integers(0, 2, n) > 2).astype(int)
    truth[:2] = 0, 1
    return X, np.where(np.arange(n) < n_labelled, truth, -1), truth


DATA = (
    (moons, {"C": 10.0, "gamma": 2.0}),
    (moons, {"C": 1000.0, "gamma": 2.0, "C_star": 5.0}),
    (features, {"C": 1.0, "gamma": 0.3}),
    (features, {"C": 10.0, "kernel": "linear"}),
    (integers, {"C": 3.0, "gamma": 0.5}),
)


def replay(model, X, y):
    """Yield labels and weights of all rows after every path, from the record alone."""
    unlabelled = y == -1
    sign = np.where(model.transduction_ == model.classes_[1], 1, -1)
    for step in model.history_:
        sign[list(step.rows)] *= -1
    for step in model.history_:
        if step.rows:
            assert sign[step.rows[0]] == 1 and sign[step.rows[1]] == -1
            assert unlabelled[list(step.rows)].all()
            sign[list(step.rows)] *= -1
        star = np.where(sign > 0, step.C_plus, step.C_minus)
        yield step, sign.copy(), np.where(unlabelled, star, model.C)


def primal(K, sign, weight, beta, bias):
    f = K @ beta + bias
    return 0.5 * beta @ K @ beta + weight @ np.maximum(0.0, 1.0 - sign * f)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("make", "params"), DATA)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_switch_raises_the_objective(make, params, schedule, seed):
    X, y, _ = make(seed=seed)
    model = wp.TransductiveSVC(**params, schedule=schedule).fit(X, y)
    assert model.n_switches_ == sum(step.kind == "switch" for step in model.history_)
    for before, after in pairwise(model.history_):
        if after.kind == "switch":
            assert after.objective < before.objective * (1 + 1e-12)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("make", "params"), DATA[:4])
def test_every_step_is_the_fit_from_scratch(make, params, schedule):
    X, y, _ = make(n=60, n_labelled=6, seed=1)
    model = wp.TransductiveSVC(**params, schedule=schedule, keep_paths=True).fit(X, y)
    assert model.n_switches_ > 0
    options = {"kernel": params.get("kernel", "rbf"), "gamma": params.get("gamma", 1.0)}
    steps = list(replay(model, X, y))
    for (step, sign, weight), path in zip(steps[1:], model.paths_, strict=True):
        assert path.kkt_violation() < 1e-9
        fresh = wp.SVC(1.0, **options).fit(X, sign, sample_weight=weight)
        solution = path.at(1.0)
        np.testing.assert_allclose(
            path.decision_function(X, 1.0), fresh.decision_function(X), atol=1e-6
        )
        assert solution.objective == pytest.approx(step.objective, rel=1e-9)
        assert step.n_events == path.n_events


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_step_agrees_with_scikit_learn(schedule):
    X, y, _ = features(n=60, n_labelled=6, seed=1)
    model = wp.TransductiveSVC(C=1.0, gamma=0.3, schedule=schedule).fit(X, y)
    assert model.n_switches_ > 2
    K = rbf_kernel(X, gamma=0.3)
    for step, sign, weight in replay(model, X, y):
        used = weight > 0
        judge = svm.SVC(C=1.0, kernel="precomputed", tol=1e-10)
        judge.fit(K[np.ix_(used, used)], sign[used], sample_weight=weight[used])
        beta = np.zeros(len(X))
        beta[np.flatnonzero(used)[judge.support_]] = judge.dual_coef_[0]
        value = primal(K, sign, weight, beta, judge.intercept_[0])
        assert step.objective == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("make", "params"), DATA)
def test_at_the_end_no_pair_is_left(make, params, schedule):
    X, y, _ = make()
    model = wp.TransductiveSVC(**params, schedule=schedule).fit(X, y)
    last = model.history_[-1]
    most = params.get("C_star", params["C"])
    assert last.C_minus == last.C_plus == most
    f, unlabelled = model.decision_function(X), y == -1
    plus = unlabelled & (model.transduction_ == model.classes_[1])
    minus = unlabelled & ~plus
    # All pairs, by Joachims' own words.
    slack_plus, slack_minus = np.maximum(0, 1 - f[plus]), np.maximum(0, 1 + f[minus])
    sums = slack_plus[:, None] + slack_minus[None, :]
    both = (slack_plus[:, None] > 1e-8) & (slack_minus[None, :] > 1e-8)
    assert not (both & (sums > 2 + 1e-8)).any()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_labels_keep_their_numbers_and_given_ones_stay(schedule):
    X, y, _ = moons()
    model = wp.TransductiveSVC(C=10, gamma=2.0, schedule=schedule).fit(X, y)
    known = y != -1
    np.testing.assert_array_equal(model.transduction_[known], y[known])
    expected = np.floor((y[known] == 1).mean() * (~known).sum() + 0.5)
    assert (model.transduction_[~known] == 1).sum() == expected
    chosen = wp.TransductiveSVC(C=10, gamma=2.0, positive_fraction=0.3, schedule=schedule)
    assert (chosen.fit(X, y).transduction_[~known] == 1).sum() == np.floor(0.3 * 80 + 0.5)


def test_annealed_switches_where_the_first_pair_appears():
    """On a fine grid of weights before it no pair fulfils the condition; there, one begins to."""
    X, y, _ = moons(seed=3)
    model = wp.TransductiveSVC(C=100, gamma=0.5, schedule="annealed", keep_paths=True).fit(X, y)
    rows = np.flatnonzero(y == -1)
    assert model.n_switches_ >= 5
    checked = 0
    for number, (_, sign, _) in enumerate(replay(model, X, y)):
        if number == 0 or model.history_[number].kind != "weights":
            continue
        path, s = model.paths_[number - 1], sign[rows]
        f = path.decision_function(X[rows], np.linspace(0, 1, 30)[1:-1])
        a, b = f[:, s > 0].min(axis=1), f[:, s < 0].max(axis=1)
        if number > 1:
            assert not ((b - a > 1e-7) & (a < 1 - 1e-7) & (b > -1 + 1e-7)).any()
        if number + 1 < len(model.history_) and model.history_[number + 1].kind == "switch":
            m, l = model.history_[number + 1].rows  # noqa: E741
            end = path.decision_function(X, 1.0)
            if number > 1:
                assert min(end[l] - end[m], 1 - end[m], 1 + end[l]) == pytest.approx(0, abs=1e-6)
                checked += 1
    assert checked >= 3


def test_it_helps_where_classes_are_clusters():
    X, truth = make_blobs(120, centers=[[0, 0], [4, 4]], cluster_std=1.0, random_state=3)
    y = np.full(120, -1)
    first = [np.flatnonzero(truth == k)[0] for k in (0, 1)]
    y[first] = truth[first]
    model = wp.TransductiveSVC(C=10, kernel="linear", positive_fraction=0.5).fit(X, y)
    assert (model.transduction_ == truth).mean() >= (model.initial_svc_.predict(X) == truth).mean()
    assert (model.transduction_ == truth).mean() > 0.98


def test_rows_given_apart_equal_rows_marked():
    X, y, _ = moons()
    known = y != -1
    marked = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    signs = np.where(y[known] == 1, 1, -1)
    apart = wp.TransductiveSVC(C=10, gamma=2.0).fit(X[known], signs, X_unlabelled=X[~known])
    np.testing.assert_array_equal(apart.classes_, [-1, 1])
    np.testing.assert_array_equal(apart.transduction_ == 1, marked.transduction_ == 1)
    np.testing.assert_allclose(apart.decision_function(X), marked.decision_function(X), atol=1e-9)
    words = np.array(["no", "yes"])[(signs + 1) // 2]
    named = wp.TransductiveSVC(C=10, gamma=2.0).fit(X[known], words, X_unlabelled=X[~known])
    np.testing.assert_array_equal(named.predict(X) == "yes", apart.predict(X) == 1)


def test_sparse_and_precomputed_give_the_same():
    X, y, _ = features()
    dense = wp.TransductiveSVC(C=2.0, gamma=0.3).fit(X, y)
    sparse = wp.TransductiveSVC(C=2.0, gamma=0.3).fit(csr_matrix(X), y)
    K = rbf_kernel(X, gamma=0.3)
    ready = wp.TransductiveSVC(C=2.0, kernel="precomputed").fit(K, y)
    for other, points in ((sparse, csr_matrix(X)), (ready, K)):
        np.testing.assert_array_equal(other.transduction_, dense.transduction_)
        np.testing.assert_allclose(
            other.decision_function(points), dense.decision_function(X), atol=1e-8
        )


def test_without_unlabelled_rows_it_is_an_svc():
    X, _, truth = moons()
    model = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, truth)
    plain = wp.SVC(C=10, gamma=2.0).fit(X, truth)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert model.n_iter_ == model.n_switches_ == 0
    np.testing.assert_array_equal(model.transduction_, truth)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("fraction", "label"), [(0.0, 0), (1.0, 1)])
def test_all_unlabelled_rows_of_one_class(schedule, fraction, label):
    X, y, _ = moons()
    model = wp.TransductiveSVC(C=1, gamma=2.0, positive_fraction=fraction, schedule=schedule)
    model.fit(X, y)
    assert (model.transduction_[y == -1] == label).all()
    assert model.n_switches_ == 0
    assert model.svc_.kkt_violation() < 1e-9


def test_equal_rows_are_not_switched_without_end():
    X = np.array([[0.0], [1.0], *[[0.5]] * 6, [0.1], [0.9]])
    y = np.array([0, 1, *[-1] * 8])
    for schedule in SCHEDULES:
        model = wp.TransductiveSVC(C=1.0, gamma=1.0, schedule=schedule, max_switches=50).fit(X, y)
        assert (model.transduction_[2:] == 1).sum() == 4
        assert model.n_switches_ < 50


def test_gamma_scale_uses_all_rows():
    X, y, _ = features()
    model = wp.TransductiveSVC().fit(X, y)
    assert model.svc_.gamma_ == pytest.approx(1.0 / (X.shape[1] * X.var()))
    assert model.initial_svc_.gamma_ == model.svc_.gamma_


def test_the_model_is_an_ordinary_one():
    X, y, _ = moons()
    model = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    path = model.svc_.reweight(np.where(y == -1, 0.1, 1.0))
    assert path.kkt_violation() < 1e-9
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


def test_kept_paths_say_what_they_can(tmp_path):
    X, y, _ = moons()
    model = wp.TransductiveSVC(C=10, gamma=2.0, keep_paths=True).fit(X, y)
    kinds = [step.kind for step in model.history_[1:]]
    weights, switch = model.paths_[kinds.index("weights")], model.paths_[kinds.index("switch")]
    half = weights.model_at(0.5)
    np.testing.assert_allclose(
        half.decision_function(X), weights.decision_function(X, 0.5), atol=1e-9
    )
    assert switch.at(0.5).dual_coef.shape == (len(X),)
    with pytest.raises(ValueError, match="both"):
        switch.model_at(0.5)
    for number, path in enumerate((weights, switch)):
        path.save(tmp_path / f"{number}.npz")
        again = wp.load(tmp_path / f"{number}.npz")
        assert again.kkt_violation() < 1e-9
        np.testing.assert_array_equal(again.at(0.3).dual_coef, path.at(0.3).dual_coef)
    with pytest.raises(ValueError, match="no models"):
        again.model_at(0.5)
    assert not hasattr(model.set_params(keep_paths=False).fit(X, y), "paths_")


def test_progress_is_shown_only_if_asked_for(capsys):
    X, y, _ = moons()
    wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    assert capsys.readouterr() == ("", "")
    wp.TransductiveSVC(C=10, gamma=2.0, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == "" and "switches" in shown.err


def test_plot_shows_the_history():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    X, y, _ = moons()
    model = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    display = model.plot()
    assert len(display.objective) == len(model.history_)
    assert display.switch.sum() == model.n_switches_
    pyplot.close("all")


def test_switches_are_capped_with_a_warning():
    X, y, _ = moons(seed=2)
    free = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    assert free.n_switches_ > 2
    with pytest.warns(ConvergenceWarning, match="max_switches=2"):
        model = wp.TransductiveSVC(C=10, gamma=2.0, max_switches=2).fit(X, y)
    assert model.n_switches_ == 2


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1, 2, -1], "Only binary classification is supported"),
        ([1, 1, 1, 1], "needs two classes"),
        ([-1, -1, -1, -1], "needs two classes"),
        ([0.5, 1.5, 0.25, -1], "[Uu]nknown label type|continuous"),
    ],
)
def test_wrong_labels_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        wp.TransductiveSVC().fit(np.arange(8.0).reshape(4, 2), y)


def test_minus_one_beside_one_other_label_is_a_class_with_a_warning():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.warns(UserWarning, match="give the rows without a label apart"):
        model = wp.TransductiveSVC().fit(X, [-1, 1, -1, 1])
    assert model.classes_.tolist() == [-1, 1]
    assert model.transduction_.tolist() == [-1, 1, -1, 1]
    expected = wp.SVC(gamma=model.svc_.gamma_).fit(X, [-1, 1, -1, 1])
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=1e-9)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"C": 0.0}, "C must be"),
        ({"C_star": -1.0}, "C_star must be"),
        ({"start": 0.0}, "start must be"),
        ({"start": 2.0}, "start must be"),
        ({"positive_fraction": 1.5}, "positive_fraction"),
        ({"positive_fraction": -0.5}, "positive_fraction"),
        ({"schedule": "tripling"}, "schedule must be"),
        ({"max_switches": -1}, "max_switches"),
        ({"max_events": 1}, "max_events"),
    ],
)
def test_wrong_parameters_are_refused(params, message):
    X, y, _ = moons()
    with pytest.raises(ValueError, match=message):
        wp.TransductiveSVC(**params).fit(X, y)


def test_wrong_shapes_are_refused():
    X, y, _ = moons()
    with pytest.raises(NotFittedError):
        wp.TransductiveSVC().predict(X)
    model = wp.TransductiveSVC(C=10, gamma=2.0).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :1])
    with pytest.raises(ValueError, match="features"):
        wp.TransductiveSVC().fit(X[:10], y[:10], X_unlabelled=X[10:, :1])
    K = rbf_kernel(X)
    with pytest.raises(ValueError, match="precomputed"):
        wp.TransductiveSVC(kernel="precomputed").fit(K, y, X_unlabelled=K)
