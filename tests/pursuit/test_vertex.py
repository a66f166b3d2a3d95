"""Bases, vertices and their repair; tiny programs against enumeration in rational numbers."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import weightpath as wp
from weightpath.pursuit import Program
from weightpath.pursuit.basis import Basis, first_members
from weightpath.pursuit.system import reduced_equations
from weightpath.pursuit.vertex import StalledError, Vertex


def solve_exactly(columns, right):
    """Return the solution of a square system of fractions; None if it is singular."""
    n = len(right)
    rows = [[*(column[i] for column in columns), right[i]] for i in range(n)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def least_over_all_bases(A, y, weight):
    """Return the least cost over all basic solutions, in fractions; A has full row rank."""
    columns = [[Fraction(int(v)) for v in column] for column in A.T]
    right, best = [Fraction(int(v)) for v in y], None
    for chosen in combinations(range(len(columns)), len(right)):
        x = solve_exactly([columns[j] for j in chosen], right)
        if x is not None:
            cost = sum(int(weight[j]) * abs(v) for j, v in zip(chosen, x, strict=True))
            best = cost if best is None else min(best, cost)
    return best


@pytest.mark.parametrize("seed", range(40))
def test_tiny_programs_in_rational_numbers(seed):
    g = np.random.default_rng(seed)
    m = int(g.integers(1, 4))
    A = g.integers(-2, 3, (m, int(g.integers(m, 8)))).astype(float)
    if np.linalg.matrix_rank(A) < m:
        A = np.hstack([A, np.eye(m)])
    y, weight = g.integers(-4, 5, m).astype(float), g.integers(0, 4, A.shape[1]).astype(float)
    model = wp.BasisPursuit(weight).fit(A, y)
    assert model.objective_ == pytest.approx(float(least_over_all_bases(A, y, weight)), abs=1e-13)


def test_a_basis_after_many_exchanges():
    g = np.random.default_rng(0)
    matrix = g.normal(size=(6, 40))
    basis = Basis(matrix, first_members(matrix))
    for column in range(100):
        column %= 40
        if column in basis.members:
            continue
        image, bound = basis.solve(matrix[:, column])
        basis.exchange(int(np.argmax(np.abs(image))), column, image)
        right = g.normal(size=6)
        x, bound = basis.solve(right)
        exact = np.linalg.solve(matrix[:, basis.members], right)
        assert (np.abs(x - exact) <= bound + 1e-13 * np.abs(exact)).all()
        u, _ = basis.solve_transposed(right)
        assert matrix[:, basis.members].T @ u == pytest.approx(right, abs=1e-10)


def test_preferred_columns_come_first():
    matrix = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    assert set(first_members(matrix, np.array([0, 1]))) in ({0, 2}, {1, 2}, {0, 3}, {1, 3})
    assert set(first_members(matrix, np.array([2]))) > {2}
    assert first_members(np.zeros((0, 3))).size == 0


def test_ties_that_would_cycle_are_broken():
    """All members but one are at zero, and every edge has length zero."""
    g = np.random.default_rng(1)
    matrix = g.integers(-1, 2, (8, 60)).astype(float)
    target = matrix[:, 0].copy()
    vertex = Vertex(reduced_equations(matrix, target))
    vertex.optimise(np.ones(60))
    assert np.abs(vertex.coefficients).sum() <= 1.0 + 1e-12 and len(vertex.members) == 8
    assert matrix @ vertex.coefficients == pytest.approx(target, abs=1e-12)


def test_a_stalled_search_begins_again_with_highs(monkeypatch):
    g = np.random.default_rng(2)
    Phi, y = g.normal(size=(10, 30)), g.normal(size=10)
    plain = wp.BasisPursuit().fit(Phi, y)
    optimise, calls = Vertex.optimise, []

    def stalls_once(self, *args):
        calls.append(1)
        if len(calls) == 1:
            raise StalledError
        return optimise(self, *args)

    monkeypatch.setattr(Vertex, "optimise", stalls_once)
    repaired = wp.BasisPursuit().fit(Phi, y)
    assert len(calls) == 2 and repaired.coef_ == pytest.approx(plain.coef_, abs=1e-12)


def test_what_cannot_be_solved_is_an_error_and_the_model_stays(monkeypatch):
    g = np.random.default_rng(2)
    Phi, y = g.normal(size=(10, 30)), g.normal(size=10)
    model = wp.BasisPursuit().fit(Phi, y)
    before = model.coef_

    def stalls(self, *args):
        raise StalledError

    monkeypatch.setattr(Vertex, "optimise", stalls)
    with pytest.raises(wp.PathError, match="No exact solution was found"):
        model.fit(Phi, 2 * y)
    with pytest.raises(wp.PathError, match="dependent to within rounding"):
        model.reweight(g.uniform(1, 2, 30))
    assert (model.coef_ == before).all() and (model.penalty_weight_ == 1.0).all()


def test_a_wrong_solution_is_found_out(monkeypatch):
    g = np.random.default_rng(2)
    monkeypatch.setattr(Vertex, "optimise", lambda self, *args: [])
    monkeypatch.setattr(Program, "_by_highs", lambda self, weight: None)
    with pytest.raises(wp.PathError, match="No exact solution"):
        Program(g.normal(size=(10, 30)), g.normal(size=10)).solve(g.uniform(1, 2, 30))


@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (4, 2)])
def test_a_matrix_of_zeros(shape):
    model = wp.BasisPursuit().fit(np.zeros(shape), np.arange(1.0, shape[0] + 1))
    assert not model.coef_.any() and not model.is_consistent_ and model.kkt_violation() == 0.0
    path = model.reweight(2.0)
    assert len(path) == 1 and path.kkt_violation() == 0.0
