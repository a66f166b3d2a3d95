"""A new problem is one small file: its staircase and its Kind. Everything else then works."""

from pathlib import Path

import numpy as np
import pytest

import weightpath as wp
from problems.lad import LAD, lad_staircase
from weightpath.engine import follow, solve
from weightpath.kernels import Kernel
from weightpath.path import PathPart, Reading, SolutionPath
from weightpath.problems import Kind, kinds, register_kind

N = 40


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.standard_t(2, size=N)
    return X, y, rng.lognormal(size=N), rng.lognormal(size=N)


@pytest.fixture(scope="module")
def path(problem):
    X, y, before, after = problem
    kernel = Kernel("linear")
    columns = kernel.columns(X)
    start, end = lad_staircase(y, before), lad_staircase(y, after)
    trace = follow(columns, start, end, solve(columns, start))
    part = PathPart(kernel, X, None, start, end, trace.record, Reading("lad", np.ones(N)))
    return SolutionPath([part], X, kernel, status=trace.status)


def test_the_file_is_short():
    assert len(Path(__file__).with_name("lad.py").read_text().splitlines()) <= 40


def test_the_registry_is_open_and_has_one_kind_of_a_name():
    assert kinds()["lad"] is LAD
    assert register_kind(LAD) is LAD
    with pytest.raises(ValueError, match="another kind of problem called 'lad'"):
        register_kind(Kind("lad"))
    with pytest.raises(TypeError):
        kinds()["other"] = LAD


def test_the_path_is_exact(path, problem):
    X, y, before, after = problem
    assert path.n_events > 0
    assert path.kkt_violation() < 1e-9
    for theta in (0.0, 0.37, 1.0):
        solution = path.at(theta)
        weight = (1 - theta) * before + theta * after
        np.testing.assert_allclose(solution.weights, weight, rtol=1e-12)
        loss = weight @ np.abs(y - path.decision_function(X, theta))
        coef = X.T @ solution.dual_coef
        assert solution.objective == pytest.approx(0.5 * coef @ coef + loss, rel=1e-9)


def test_it_has_exact_curves(path, problem):
    X, y, *_ = problem
    curve = path.curve(X, y, "absolute")
    for theta in (0.0, 0.2, 0.9, 1.0):
        expected = np.mean(np.abs(y - path.decision_function(X, theta)))
        assert curve(theta) == pytest.approx(expected, rel=1e-9)


def test_it_is_drawn_and_written_in_its_own_words(path, tmp_path):
    pytest.importorskip("matplotlib")
    assert path.plot(indices=[0, 1]).wording is LAD.wording
    path.to_html(tmp_path / "path.html")
    assert "rows fitted exactly" in (tmp_path / "path.html").read_text(encoding="utf-8")


def test_it_is_saved_and_loaded(path, problem, tmp_path):
    path.save(tmp_path / "path.npz")
    other = wp.load(tmp_path / "path.npz")
    assert other.parts[0].reading.meaning is LAD
    X = problem[0]
    np.testing.assert_array_equal(other.decision_function(X, 0.3), path.decision_function(X, 0.3))
