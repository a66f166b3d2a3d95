"""Many paths end where single calls on copies of the model end."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array, csr_matrix, eye
from sklearn.datasets import load_iris

import weightpath as wp

N = 60


def data(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + 0.7 * rng.normal(size=n)
    return X, y, rng


def fitted(kind, seed=0, weight=None):
    X, y, rng = data(seed)
    if weight is None:
        weight = rng.uniform(0.3, 2.0, N)
    models = {
        "svc": (wp.SVC(C=3.0, gamma=0.5), np.where(y > 0, "b", "a")),
        "weighted": (wp.SVC(C=3.0, gamma=0.5, class_weight={1: 2.0}), (y > 0).astype(int)),
        "balanced": (wp.SVC(C=3.0, gamma=0.5, class_weight="balanced"), (y > 0).astype(int)),
        "three": (wp.SVC(C=3.0, gamma=0.5), np.digitize(y, [-0.5, 0.5])),
        "svr": (wp.SVR(C=2.0, gamma=0.5, epsilon=0.2), y),
        "closed": (wp.SVR(C=2.0, gamma=0.5, epsilon=0.0), y),
        "quantile": (wp.QuantileSVR(C=2.0, gamma=0.5, quantile=0.3), y),
        "one class": (wp.OneClassSVM(nu=0.3, gamma=0.5), y),
        "linear": (wp.SVC(C=3.0, kernel="linear"), (y > 0).astype(int)),
        "ridge": (wp.SVR(C=2.0, gamma=0.5, ridge=0.1), y),
    }
    model, target = models[kind]
    return model.fit(X, target, sample_weight=weight), X, target, weight


KINDS = ["svc", "weighted", "balanced", "three", "svr", "closed", "quantile", "one class"]
KINDS += ["linear", "ridge"]
REGRESSORS = ["svr", "closed", "quantile", "ridge"]


def dense_coef(model, n=N):
    """Coefficients of all functions of a model, of shape (n_functions, n)."""
    coef = np.zeros((len(model.subproblems_), n))
    for own, subproblem in zip(coef, model.subproblems_, strict=True):
        own[subproblem.rows] = subproblem.state.beta
    return coef


def assert_like(model, many, k, X, atol=1e-9):
    """The end of path k is where a model is."""
    n = many.dual_coef.shape[-1]
    coef = many.dual_coef[k].reshape(-1, n)
    np.testing.assert_allclose(coef, dense_coef(model, n), rtol=0, atol=10 * atol)
    bias = [subproblem.state.bias for subproblem in model.subproblems_]
    np.testing.assert_allclose(np.atleast_1d(many.intercept[k]), bias, rtol=0, atol=10 * atol)
    if isinstance(model, wp.SVC) and len(model.classes_) > 2:
        model = copy.copy(model).set_params(decision_function_shape="ovo")
    function = getattr(model, "decision_function", model.predict)
    values = many.decision_values[k]
    np.testing.assert_allclose(values, function(X), rtol=0, atol=10 * atol)


def weights_at_ends(weight, rng):
    ends = [np.where(np.arange(N) == i, weight * f, weight) for i, f in enumerate([0, 0.3, 2, 5])]
    ends += [weight * rng.uniform(0.5, 2.0, N), np.where(np.arange(N) % 5 == 0, 0.0, weight)]
    return np.array([*ends, weight])


@pytest.mark.parametrize("kind", KINDS)
def test_weights_as_single_reweights(kind):
    model, X, _, weight = fitted(kind)
    ends = weights_at_ends(weight, np.random.default_rng(1))
    before = pickle.dumps([model.subproblems_, dict(model.quantities_)])
    many = wp.follow_many(model, ends, X=X[:7])
    assert pickle.dumps([model.subproblems_, dict(model.quantities_)]) == before
    assert len(many) == len(ends)
    assert set(many.status) == {"complete"}
    assert (many.theta == 1.0).all()
    for k, end in enumerate(ends):
        other = copy.copy(model)
        other.reweight(end)
        assert_like(other, many, k, X[:7])
        assert other.kkt_violation() < 1e-9
    if kind != "balanced":
        # The last goes nowhere; balanced weights come out of divisions that round.
        assert many.n_events[-1] == 0
        assert all(change[[len(ends) - 1]].nnz == 0 for change in many.changes)
    # The same as changes.
    changes = wp.follow_many(model, csr_array(ends - weight), X=X[:7])
    np.testing.assert_allclose(changes.dual_coef, many.dual_coef, rtol=0, atol=1e-10)
    np.testing.assert_allclose(changes.decision_values, many.decision_values, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", REGRESSORS)
def test_targets_as_single_moves(kind):
    model, X, y, weight = fitted(kind)
    rng = np.random.default_rng(2)
    ends = np.array([np.where(np.arange(N) == i, y + 0.5, y) for i in range(4)])
    ends = np.vstack([ends, y + rng.normal(size=N), 1.5 * y])
    many = wp.follow_many(model, y=ends, X=X[:7])
    for k, end in enumerate(ends):
        other = copy.copy(model)
        other.move(y=end)
        assert_like(other, many, k, X[:7])
    changes = wp.follow_many(model, y=csr_matrix(ends - y), X=X[:7])
    np.testing.assert_allclose(changes.dual_coef, many.dual_coef, rtol=0, atol=1e-9)
    # Both at once, where different instances change.
    w = np.tile(weight, (2, 1))
    w[0, 5] = 0.0
    w[1, :9] *= 1.5
    many = wp.follow_many(model, w, y=ends[:2], X=X[:7])
    for k in range(2):
        other = copy.copy(model)
        other.move(sample_weight=w[k], y=ends[k])
        assert_like(other, many, k, X[:7])


@pytest.mark.parametrize("kind", KINDS)
def test_new_rows_as_single_adds(kind):
    model, X, y, _ = fitted(kind)
    rng = np.random.default_rng(3)
    # More than one block of them.
    X_new, y_new = rng.normal(size=(21, 3)), rng.choice(y, 21)
    many = wp.follow_many(model, X_new=X_new, y_new=y_new, X=X[:7])
    assert many.dual_coef.shape[-1] == N + 1
    for k in range(21):
        other = copy.deepcopy(model)
        other.add(X_new[[k]], y_new[[k]])
        assert_like(other, many, k, X[:7])
    # The model can still do everything.
    model.add(X_new[:2], y_new[:2])
    assert model.kkt_violation() < 1e-9


def test_new_rows_of_a_precomputed_kernel():
    X, y, rng = data()
    X_new = rng.normal(size=(3, 3))
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    K_new = np.exp(-0.5 * ((X_new[:, None] - X) ** 2).sum(axis=2))
    rows = np.column_stack([K_new, np.ones(3)])
    plain = wp.SVR(gamma=0.5).fit(X, y)
    model = wp.SVR(kernel="precomputed").fit(K, y)
    y_new = [0.0, 3.0, -3.0]
    expected = wp.follow_many(plain, X_new=X_new, y_new=y_new)
    many = wp.follow_many(model, X_new=rows, y_new=y_new)
    np.testing.assert_allclose(many.dual_coef, expected.dual_coef, rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="precomputed"):
        wp.follow_many(model, X_new=rows, y_new=y_new, X=K)
    values = wp.follow_many(model, eye(N), X=K).decision_values
    expected = wp.follow_many(plain, eye(N), X=X).decision_values
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


# Ugly problems -----------------------------------------------------------------------------------


def test_duplicates_zero_weights_and_ties():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 3, size=(N, 2)).astype(float)
    y = np.where(X.sum(axis=1) + rng.integers(0, 2, N) > 2, 1, -1)
    weight = np.where(np.arange(N) % 4 == 0, 0.0, 1.0)
    for kernel in ("linear", "rbf"):
        model = wp.SVC(C=2.0, kernel=kernel, gamma=0.5).fit(X, y, sample_weight=weight)
        ends = np.array([np.where(np.arange(N) == i, 1.0 - weight, weight) for i in range(N)])
        many = wp.follow_many(model, ends, X=X)
        for k in range(0, N, 5):
            other = copy.copy(model)
            other.reweight(ends[k])
            # Coefficients of equal rows are not unique, the function is.
            np.testing.assert_allclose(
                many.decision_values[k], other.decision_function(X), rtol=0, atol=1e-8
            )


def test_a_new_row_that_is_there_already():
    model, X, y, _ = fitted("svr")
    many = wp.follow_many(model, X_new=X[:9], y_new=y[:9], X=X)
    for k in range(9):
        other = copy.deepcopy(model)
        other.add(X[[k]], y[[k]])
        # Either of the two may have the coefficient.
        np.testing.assert_allclose(many.decision_values[k], other.predict(X), rtol=0, atol=1e-9)
        both = many.dual_coef[k, k] + many.dual_coef[k, N]
        coef = dense_coef(other, N + 1)[0]
        assert abs(both - coef[k] - coef[N]) < 1e-9


def test_empty_margin_has_the_middle_of_the_bias():
    # Far from one another: every coefficient is at its bound, and the bias is free.
    X = 10.0 * np.arange(8.0)[:, None]
    y = np.array([1, -1] * 4)
    model = wp.SVC(C=0.5, gamma=1.0).fit(X, y)
    ends = np.array([np.where(np.isin(np.arange(8), [i, i + 1]), 0.3, 1.0) for i in range(7)])
    ends = np.vstack([ends, np.where(np.arange(8) == 2, 0.4, 1.0)])
    many = wp.follow_many(model, ends, X=X)
    for k, end in enumerate(ends):
        other = copy.copy(model)
        other.reweight(end)
        assert_like(other, many, k, X)


def test_weights_over_orders_of_magnitude():
    model, X, _, weight = fitted("svr")
    ends = np.array([weight * 1e5, np.where(np.arange(N) == 3, 1e4, weight), weight * 1e-3])
    many = wp.follow_many(model, ends, X=X)
    for k, end in enumerate(ends):
        other = copy.copy(model)
        other.reweight(end)
        assert_like(other, many, k, X, atol=1e-7)


def test_a_fit_beside_a_path():
    # A judge that shares nothing with the loop but its answer: a fit with a tight tolerance.
    model, X, y, weight = fitted("svc")
    ends = weights_at_ends(weight, np.random.default_rng(5))
    many = wp.follow_many(model, ends, X=X)
    for k, end in enumerate(ends):
        fresh = wp.SVC(C=3.0, gamma=0.5).fit(X, y, sample_weight=end)
        np.testing.assert_allclose(
            many.decision_values[k], fresh.decision_function(X), rtol=0, atol=1e-9
        )


# Threads -----------------------------------------------------------------------------------------


def assert_same(one, other):
    for name in ("theta", "n_events", "intercept", "decision_values", "dual_coef"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.status == other.status
    for a, b in zip(one.changes, other.changes, strict=True):
        np.testing.assert_array_equal(a.toarray(), b.toarray())


@pytest.mark.parametrize("cache_size", [200, 1e-3])
@pytest.mark.parametrize("kind", ["svc", "three", "svr", "one class"])
def test_threads_make_no_difference(kind, cache_size):
    model, X, y, weight = fitted(kind)
    model.set_params(cache_size=cache_size).fit(X, y, sample_weight=weight)
    rng = np.random.default_rng(6)
    ends = weight * np.where(rng.random((150, N)) < 0.1, rng.uniform(0, 2, (150, N)), 1.0)
    one = wp.follow_many(model, ends, X=X)
    for n_jobs in (2, 5):
        assert_same(wp.follow_many(model, ends, X=X, n_jobs=n_jobs), one)
    # Nor does the order of the paths.
    back = wp.follow_many(model, ends[::-1], X=X)
    np.testing.assert_array_equal(back.dual_coef[::-1], one.dual_coef)
    X_new, y_new = rng.normal(size=(40, 3)), rng.choice(y, 40)
    added = [wp.follow_many(model, X_new=X_new, y_new=y_new, X=X, n_jobs=j) for j in (1, 3)]
    assert_same(*added)


def test_large_margin_in_threads():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(400, 20))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=400) > 0, 1, -1)
    model = wp.SVC(gamma=0.05).fit(X, y)
    assert model.subproblems_[0].state.margin.size > 64
    ends = np.where(rng.random((60, 400)) < 0.01, rng.uniform(0, 2, (60, 400)), 1.0)
    one = wp.follow_many(model, ends, X=X[:5])
    assert_same(wp.follow_many(model, ends, X=X[:5], n_jobs=3), one)
    for k in range(0, 60, 10):
        other = copy.copy(model)
        other.reweight(ends[k])
        np.testing.assert_allclose(
            one.decision_values[k], other.decision_function(X[:5]), rtol=0, atol=1e-10
        )


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_share_what_is_hard(n_jobs):
    """Of some paths the bias is not unique, others are followed again where they were lost."""
    model, X, _, weight = fitted("svc")
    ends = np.repeat(weight[None], 2 * N, axis=0)
    rows = np.arange(N)
    ends[rows, rows] = np.where(rows % 3, 0.0, 1e8)
    ends[N + rows, rows] = 1e-9
    one = wp.follow_many(model, ends, X=X)
    for _ in range(5):
        assert_same(wp.follow_many(model, ends, X=X, n_jobs=n_jobs), one)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_a_rule_that_fails_in_a_thread(n_jobs):
    model, _, _, _ = fitted("svc")

    def rule(theta, coef, intercept):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        wp.follow_many(model, eye(N), stop=rule, n_jobs=n_jobs)
    # Nothing is left behind.
    assert_same(wp.follow_many(model, eye(N), n_jobs=n_jobs), wp.follow_many(model, eye(N)))


@pytest.mark.second_stage
@pytest.mark.parametrize("cache_size", [200, 1e-3])
def test_processes(cache_size):
    model, X, y, weight = fitted("svc")
    model.set_params(cache_size=cache_size).fit(X, y, sample_weight=weight)
    one = wp.follow_many(model, eye(N), X=X)
    with parallel_config("loky"):
        assert_same(wp.follow_many(model, eye(N), X=X, n_jobs=2), one)
        stopped = wp.follow_many(model, eye(N), stop=wp.StopAt(np.arange(N)), n_jobs=2)
    alone = wp.follow_many(model, eye(N), stop=wp.StopAt(np.arange(N)))
    np.testing.assert_array_equal(stopped.theta, alone.theta)


# Rules to stop -----------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("where", ["bound", "margin", "change"])
@pytest.mark.parametrize("kind", ["svc", "svr", "quantile", "one class"])
def test_stops_where_an_instance_arrives(kind, where, record):
    model, X, _, weight = fitted(kind)
    end = weight * np.random.default_rng(8).uniform(0.3, 3.0, N)
    ends, rows = np.tile(end, (N, 1)), np.arange(N)
    many = wp.follow_many(model, ends, X=X, stop=wp.StopAt(rows, where), record=record)
    path = copy.copy(model).reweight(end)
    bound = np.abs(path.at(0.0).weights)
    for k in range(N):
        theta = many.theta[k]
        solution = path.at(theta, side="left" if theta > 0 else None)
        np.testing.assert_allclose(many.dual_coef[k], solution.dual_coef, rtol=0, atol=1e-8)
        assert many.status[k] == ("complete" if theta == 1.0 else "stopped on request")
        if where == "bound" and 0.0 < theta < 1.0 and kind != "svr":
            # It is at a bound now, and was not before.
            at = np.abs(many.dual_coef[k, k])
            assert np.isclose(at, 0.0, atol=1e-9) or at > 1e-3
            before = path.at(0.5 * theta)
            assert k in before.margin or not np.isclose(bound[k], 0.0)
        if where == "margin" and theta == 0.0:
            assert k in path.at(0.0).margin
    assert {"complete", "stopped on request"} >= set(many.status)
    assert "stopped on request" in many.status
    if record:
        np.testing.assert_allclose(many[0].at(1.0).dual_coef, many.dual_coef[0], atol=1e-10)


def test_new_row_is_the_last_to_watch():
    model, X, y, _ = fitted("svr")
    rng = np.random.default_rng(9)
    X_new, y_new = rng.normal(size=(25, 3)), 2.0 * rng.choice(y, 25)
    seen = []

    def rule(theta, coef, intercept):
        seen.append(coef.shape)
        return coef[-1] != 0.0 and theta > 0.1

    many = wp.follow_many(model, X_new=X_new, y_new=y_new, stop=wp.StopAt(-1, "margin"), X=X[:3])
    each = wp.follow_many(
        model, X_new=X_new, y_new=y_new, stop=wp.StopAt(np.full(25, N), "margin"), X=X[:3]
    )
    assert_same(many, each)
    for k in range(25):
        other = copy.deepcopy(model)
        path = other.add(X_new[[k]], y_new[[k]])
        solution = path.at(many.theta[k])
        np.testing.assert_allclose(many.dual_coef[k], solution.dual_coef, rtol=0, atol=1e-8)
    asked = wp.follow_many(model, X_new=X_new, y_new=y_new, stop=rule)
    assert set(seen) == {(N + 1,)}
    stopped = asked.theta < 1.0
    assert (asked.dual_coef[stopped, -1] != 0.0).all()
    assert (asked.theta[stopped] > 0.1).all()


def test_function_is_asked_and_may_fail():
    model, _, _, weight = fitted("svc")
    ends = weight * np.random.default_rng(10).uniform(0.3, 3.0, (4, N))

    def rule(theta, coef, intercept):
        assert coef.shape == (N,)
        return theta > 0.5

    many = wp.follow_many(model, ends, stop=rule)
    recorded = wp.follow_many(model, ends, stop=rule, record=True)
    np.testing.assert_allclose(many.theta, recorded.theta, rtol=0, atol=1e-10)
    assert ((many.theta > 0.5) & (many.theta <= 1.0)).all()

    def fails(theta, coef, intercept):
        raise KeyError("no")

    with pytest.raises(KeyError, match="no"):
        wp.follow_many(model, ends, stop=fails)


# Records -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["svc", "balanced", "three", "svr", "one class"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_records(kind, n_jobs):
    model, X, y, weight = fitted(kind)
    ends = weights_at_ends(weight, np.random.default_rng(11))
    plain = wp.follow_many(model, ends, X=X[:4])
    many = wp.follow_many(model, ends, X=X[:4], record=True, n_jobs=n_jobs)
    np.testing.assert_allclose(many.dual_coef, plain.dual_coef, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.decision_values, plain.decision_values, rtol=0, atol=1e-9)
    for k in (0, 4, len(ends) - 1):
        assert isinstance(many[k], wp.SolutionPath)
        assert many[k].kkt_violation() < 1e-9
        single = copy.copy(model).reweight(ends[k])
        np.testing.assert_allclose(many[k].theta, single.theta, rtol=0, atol=1e-9)
        moved = many[k].model_at(1.0)
        np.testing.assert_allclose(moved.weights_, many[k].at(1.0).weights)
    added = wp.follow_many(model, X_new=X[:2] + 0.1, y_new=y[:2], X=X[:4], record=True)
    plain = wp.follow_many(model, X_new=X[:2] + 0.1, y_new=y[:2], X=X[:4])
    np.testing.assert_allclose(added.dual_coef, plain.dual_coef, rtol=0, atol=1e-9)
    np.testing.assert_allclose(added.decision_values, plain.decision_values, rtol=0, atol=1e-9)


def test_events_are_limited():
    model, _, _, weight = fitted("svc")
    model.set_params(max_events=3)
    ends = weight * np.random.default_rng(12).uniform(0.3, 3.0, (3, N))
    for record in (False, True):
        with pytest.warns(wp.EventCapWarning, match="3 of 3 paths"):
            many = wp.follow_many(model, ends, record=record)
        assert set(many.status) == {"stopped at the event cap"}
        assert (many.theta < 1.0).all()


# Words -------------------------------------------------------------------------------------------


def test_looks():
    model, _, _, weight = fitted("svc")
    many = wp.follow_many(model, np.tile(weight, (3, 1)))
    assert repr(many) == "<ManyPaths: 3 paths, 0 events, all complete>"
    assert "<td" in many._repr_html_()
    assert many.decision_values is None
    with pytest.raises(TypeError, match="record=True"):
        many[0]
    with pytest.raises(ValueError, match="read-only"):
        many.dual_coef[0] = 0.0
    stopped = wp.follow_many(
        model, [2 * weight, weight], stop=wp.StopAt([model.support_[0], 0], "margin")
    )
    assert "stopped on request" in repr(stopped) or "complete" in repr(stopped)
    none = wp.follow_many(model, np.empty((0, N)), X=model.training_set_.X)
    assert len(none) == 0
    assert none.decision_values.shape == (0, N)
    assert none.dual_coef.shape == (0, N)
    assert repr(none) == "<ManyPaths: 0 paths, 0 events, none>"


def test_refusals():
    model, X, y, weight = fitted("svc")
    regressor, _, target, _ = fitted("svr")
    with pytest.raises(TypeError, match="sample_weight or y"):
        wp.follow_many(model)
    with pytest.raises(TypeError, match="sample_weight or y"):
        wp.follow_many(model, [weight], X_new=X, y_new=y)
    with pytest.raises(TypeError, match="regressors"):
        wp.follow_many(model, y=[np.ones(N)])
    with pytest.raises(ValueError, match=r"expected \(k, 60\)"):
        wp.follow_many(model, weight)
    with pytest.raises(ValueError, match="NaN"):
        wp.follow_many(model, [np.full(N, np.nan)])
    with pytest.raises(ValueError, match="negative"):
        wp.follow_many(model, [-weight])
    with pytest.raises(ValueError, match="negative"):
        wp.follow_many(model, csr_array([-2 * weight]))
    with pytest.raises(ValueError, match="All weights of class 'b' are zero"):
        wp.follow_many(model, [weight, np.where(y == "b", 0.0, weight)])
    with pytest.raises(ValueError, match="All weights are zero"):
        wp.follow_many(regressor, csr_array([-weight]))
    with pytest.raises(ValueError, match="one per path"):
        wp.follow_many(regressor, [weight], y=[target, target])
    with pytest.raises(ValueError, match="y_new has shape"):
        wp.follow_many(model, X_new=X, y_new=y[:3])
    with pytest.raises(TypeError, match="weightpath"):
        wp.follow_many(object(), [weight])
    with pytest.raises(TypeError, match="Lasso"):
        wp.follow_many(wp.Lasso().fit(X, target), [weight])
    three, *_ = fitted("three")
    with pytest.raises(ValueError, match="one function"):
        wp.follow_many(three, [weight], stop=wp.StopAt(0))
    with pytest.raises(TypeError, match="StopAt or a function"):
        wp.follow_many(model, [weight], stop=3)
    with pytest.raises(IndexError, match="no instance 60"):
        wp.follow_many(model, [weight], stop=wp.StopAt(N))
    with pytest.raises(ValueError, match="whole number"):
        wp.follow_many(model, [weight], stop=wp.StopAt([1, 2]))
    with pytest.raises(ValueError, match="where must be"):
        wp.StopAt(0, "there")


def test_after_pickle_and_iris():
    X, y = load_iris(return_X_y=True)
    model = pickle.loads(pickle.dumps(wp.SVC().fit(X, y)))
    many = wp.follow_many(model, eye(150), X=X[:5])
    assert many.decision_values.shape == (150, 5, 3)
    assert many.dual_coef.shape == (150, 3, 150)
    assert many.intercept.shape == (150, 3)
    other = pickle.loads(pickle.dumps(model))
    other.reweight(1.0 + np.eye(150)[77])
    assert_like(other, many, 77, X[:5])


def test_rows_are_added_to_a_model_from_a_file():
    model, X, *_ = fitted("svr")
    rng = np.random.default_rng(1)
    new, targets = rng.normal(size=(4, 3)), rng.normal(size=4)
    plain = wp.follow_many(model, X_new=new, y_new=targets, X=X)
    read = pickle.loads(pickle.dumps(model))
    many = wp.follow_many(read, X_new=new, y_new=targets, X=X)
    np.testing.assert_allclose(many.decision_values, plain.decision_values, atol=1e-9)
