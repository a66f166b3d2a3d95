import pickle
import sys
from dataclasses import FrozenInstanceError, replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from path.reference_paths import random_part, random_path, several_parts
from weightpath.kernels import Kernel, response
from weightpath.path import Reading, SolutionPath, segment_values, segments


def stopped_path():
    part = random_part()
    arrays = part.record.to_arrays()
    keep = 3
    entries = arrays["offset"][keep]
    short = {
        "theta": arrays["theta"][: keep + 1],
        **{name: arrays[name][: keep + 1] for name in ("offset", "freedom", "rest")},
        **{name: arrays[name][:keep] for name in ("bias", "bias_slope", "event_count")},
        **{name: arrays[name][:entries] for name in ("member", "value", "slope")},
    }
    record = type(part.record)(**{**arrays, **short})
    part = replace(part, record=record)
    return SolutionPath([part], part.X, part.kernel, status="event cap")


def direct(path, X, theta, part=0):
    one = path.parts[part]
    return path.kernel.between(X, one.train) @ one.beta(theta) + one.bias(theta)


def test_face():
    path = random_path()
    part = path.parts[0]
    np.testing.assert_array_equal(path.theta, part.theta)
    assert path.theta[0] == 0.0 and path.theta[-1] == 1.0
    assert len(path) == part.n_segments
    assert path.n_events == len(path.events) == part.record.n_events
    edges, sizes = path.margin_size()
    assert edges.size == sizes.size + 1
    for s in range(len(path)):
        assert sizes[s] == path.at(edges[s]).margin.size
    assert f"14 training rows, {path.n_events} events, {len(path)} segments" in repr(path)


def test_at():
    path = random_path()
    part = path.parts[0]
    solution = path.at(0.37)
    np.testing.assert_array_equal(solution.dual_coef, part.beta(0.37))
    assert solution.intercept == part.bias(0.37)
    np.testing.assert_allclose(solution.weights, np.ptp(part.knots(0.37), axis=1))
    assert solution.objective == part.objective(0.37)
    members = np.concatenate([solution.outside, solution.margin, solution.inside])
    np.testing.assert_array_equal(np.sort(members), np.arange(14))
    assert (solution.dual_coef[solution.outside] == 0).all()
    size = np.abs(solution.dual_coef)
    np.testing.assert_allclose(size[solution.inside], solution.weights[solution.inside])
    assert ((size > 0) & (size < solution.weights))[solution.margin].all()
    assert "theta=0.37" in repr(solution)


def test_events_tell_the_sets():
    path = random_path(4)
    sets = {name: set(getattr(path.at(0.0), name)) for name in ("outside", "margin", "inside")}
    for event in path.events:
        sets[event["from"]].remove(event["index"])
        sets[event["to"]].add(event["index"])
    last = path.at(1.0)
    for name, rows in sets.items():
        assert rows == set(getattr(last, name))
    assert path.events.dtype.names == ("theta", "index", "from", "to")


def test_cannot_be_changed():
    path = random_path()
    with pytest.raises(FrozenInstanceError):
        path.status = "other"
    for array in (path.theta, path.events, path.at(0.5).dual_coef, path.at(0.5).margin):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0


def test_can_be_pickled():
    path = random_path()
    copy = pickle.loads(pickle.dumps(path))
    solution = pickle.loads(pickle.dumps(copy.at(0.5)))
    np.testing.assert_array_equal(solution.dual_coef, path.at(0.5).dual_coef)
    assert solution.objective == path.at(0.5).objective


def test_decision_function():
    path = random_path()
    X = np.random.default_rng(5).normal(size=(6, 2))
    theta = np.array([0.9, 0.0, 0.3, 1.0])
    values = path.decision_function(X, theta)
    assert values.shape == (4, 6)
    for k, t in enumerate(theta):
        np.testing.assert_allclose(values[k], direct(path, X, t), atol=1e-13)
    assert path.decision_function(X, 0.3).shape == (6,)
    assert path.decision_function(X, []).shape == (0, 6)
    np.testing.assert_allclose(path.decision_function(sparse.csr_matrix(X), 0.3), values[2])
    np.testing.assert_allclose(path.decision_function(X.tolist(), 0.3), values[2])


@pytest.mark.parametrize("matrix_mb", [512, 0])
@pytest.mark.parametrize("size", [1, 2, 128])
def test_segments_are_exact(monkeypatch, matrix_mb, size):
    monkeypatch.setattr(response, "MATRIX_MB", matrix_mb)
    monkeypatch.setattr(segments, "BLOCK_SEGMENTS", size)
    monkeypatch.setattr(segments, "BLOCKS_BETWEEN_FULL_PRODUCTS", 3)
    monkeypatch.setattr(segment_values, "BLOCK_SEGMENTS", size)
    monkeypatch.setattr(segment_values, "BLOCKS_BETWEEN_STARTS", 3)
    path = random_path(7, n=24)
    X = np.random.default_rng(5).normal(size=(6, 2))
    edges = []
    for left, right, value, slope in path.iter_segments(X):
        assert value.shape == slope.shape == (left.size, 6)
        assert left.size <= size
        edges += list(left)
        for k in range(left.size):
            for theta in (left[k], 0.4 * left[k] + 0.6 * right[k], np.nextafter(right[k], 0)):
                line = value[k] + (theta - left[k]) * slope[k]
                np.testing.assert_allclose(line, direct(path, X, theta), atol=1e-12)
    np.testing.assert_array_equal([*edges, 1.0], path.theta)


def test_memory_of_a_block():
    path = random_path(7, n=24)
    blocks = list(path.iter_segments(np.zeros((5, 2)), block_mb=2 * 5 * 16 / 1e6))
    assert max(block[0].size for block in blocks) == 2


def test_certificates():
    path = random_path(2)
    assert path.kkt_violation() < 1e-12
    assert path.kkt_violation(0.5) <= path.kkt_violation() + 1e-12
    assert 0 <= path.duality_gap(0.5) < 1e-12
    assert path.duality_gap(0.5, relative=True) < 1e-12


def test_precomputed_kernel():
    path, given = random_path(), random_path(kernel=Kernel("precomputed"))
    X = np.random.default_rng(5).normal(size=(6, 2))
    K = path.kernel.between(X, path.X)
    expected = path.decision_function(X, [0.2, 0.8])
    np.testing.assert_allclose(given.decision_function(K, [0.2, 0.8]), expected)
    first, second = next(path.iter_segments(X)), next(given.iter_segments(K))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert given.kkt_violation() < 1e-12
    with pytest.raises(ValueError, match="expecting 14 training rows"):
        given.decision_function(X, 0.5)


@pytest.mark.parametrize("theta", [-0.1, 1.1, np.nan, np.inf, "a", None, [0.5, 2.0], [[0.5]], 1j])
def test_theta_out_of_range(theta):
    path = random_path()
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        path.decision_function(np.zeros((1, 2)), theta)
    for method in (path.at, path.duality_gap, path.model_at):
        with pytest.raises(ValueError, match=r"\[0, 1\]"):
            method(theta)


def test_theta_must_be_one_number():
    with pytest.raises(ValueError, match="one number"):
        random_path().at([0.1, 0.2])


def test_wrong_features():
    path = random_path()
    for method in (lambda X: path.decision_function(X, 0.5), lambda X: next(path.iter_segments(X))):
        with pytest.raises(ValueError, match="X has 3 features, but this path is expecting 2"):
            method(np.zeros((4, 3)))
        with pytest.raises(ValueError, match="2D array"):
            method(np.zeros(2))


def test_stopped_path():
    path = stopped_path()
    end = path.theta[-1]
    assert end < 1.0 and len(path) == 3
    assert (path.events["theta"] <= end).all()
    path.at(end)
    assert "stopped at theta" in repr(path)
    assert path.kkt_violation() < 1e-12
    with pytest.raises(ValueError, match=r"stopped at theta=.*event cap.*max_events"):
        path.at(1.0)


def test_several_parts():
    path = several_parts()
    first, second = path.parts
    np.testing.assert_array_equal(path.theta, np.union1d(first.theta, second.theta))
    assert path.n_events == first.record.n_events + second.record.n_events
    assert path.events.dtype.names == ("theta", "index", "from", "to", "part")
    assert (np.diff(path.events["theta"]) >= 0).all()
    assert (path.events["index"][path.events["part"] == 1] >= 12).all()
    solution = path.at(0.6)
    assert solution.dual_coef.shape == (2, 24) and solution.intercept.shape == (2,)
    np.testing.assert_array_equal(solution.dual_coef[0, 12:], 0.0)
    np.testing.assert_array_equal(solution.dual_coef[1, 12:], second.beta(0.6))
    np.testing.assert_allclose(solution.weights[12:], second.weights(0.6))
    assert all(rows.min() >= 12 for rows in (solution.margin[1], solution.inside[1]))
    assert solution.objective == pytest.approx(first.objective(0.6) + second.objective(0.6))
    X = np.random.default_rng(5).normal(size=(6, 2))
    assert path.subproblem_values(X, 0.6).shape == (6, 2)
    values = path.subproblem_values(X, [0.6, 0.7])
    assert path.decision_function(X, 0.6).shape == (6, 3)  # one value for each class
    assert values.shape == (2, 6, 2)
    np.testing.assert_allclose(values[0, :, 1], direct(path, X, 0.6, part=1))
    left, _, value, _ = next(path.iter_segments(X, part=1))
    np.testing.assert_allclose(value[2], direct(path, X, left[2], part=1))
    assert path.kkt_violation() < 1e-12
    _, sizes = path.margin_size()
    s = len(path) // 2
    middle = path.at(0.5 * (path.theta[s] + path.theta[s + 1]))
    assert sizes[s] == sum(rows.size for rows in middle.margin)
    assert "2 parts" in repr(path)


def test_parts_and_pairs_must_fit():
    path = several_parts()
    with pytest.raises(ValueError, match="as many pairs"):
        SolutionPath(path.parts, path.X, path.kernel, pairs=[(0, 1)])
    with pytest.raises(ValueError, match="at least one part"):
        SolutionPath([], path.X, path.kernel)


def test_model_comes_from_the_template():
    template = SimpleNamespace(model_from=lambda path, theta: ("model", path, theta))
    path = random_path(template=template)
    assert path.model_at(0.25) == ("model", path, 0.25)


def test_model_is_rebuilt_without_a_template(monkeypatch):
    template = SimpleNamespace(model_from=lambda path, theta: ("rebuilt", theta))
    module = SimpleNamespace(rebuild=lambda params: template if params == {"C": 2.0} else None)
    monkeypatch.setitem(sys.modules, "weightpath.estimators", module)
    assert random_path(params={"C": 2.0}).model_at(0.5) == ("rebuilt", 0.5)


def test_upward_calls(monkeypatch):
    path = random_path()
    metrics = SimpleNamespace(trace_curve=lambda *args, **options: (args, options))
    plots = SimpleNamespace(plot_path=lambda p, **o: (p, o))
    calls = []
    pages = SimpleNamespace(
        write_html=lambda *args, **o: calls.append((args, o)),
        show_path=lambda *args, **o: (args, o),
        path_widget=lambda *args, **o: (args, o),
    )
    monkeypatch.setitem(sys.modules, "weightpath.metrics", metrics)
    monkeypatch.setitem(sys.modules, "weightpath.plotting", plots)
    monkeypatch.setitem(sys.modules, "weightpath.page", pages)
    args, options = path.curve("X", "y", "zero_one", k=3)
    assert args == (path, "X", "y", "zero_one")
    assert options == {"sample_weight": None, "qid": None, "k": 3}
    assert path.plot(ax=1) == (path, {"ax": 1})
    assert path.to_html("file", title="A path") is None
    assert calls == [((path, "file", None, None, None), {"title": "A path"})]
    assert path.show("curve", height=300) == ((path, "curve", None, None), {"height": 300})
    assert path.widget("curve", "X", "y") == ((path, "curve", "X", "y"), {})


def test_reading_of_negative_rows():
    reading = Reading("svc", np.array([1.0, -1.0]))
    assert reading.words([1, 1]).tolist() == ["outside", "inside"]
    assert reading.words([3, 1, 2], [1, 1, 0]).tolist() == ["outside", "inside", "margin"]
