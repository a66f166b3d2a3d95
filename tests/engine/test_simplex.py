"""The parametric simplex method: the core, the ratio test, degenerate programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from weightpath.engine.simplex import Design, first_basis, follow_program, solve_program
from weightpath.engine.simplex.core import Core
from weightpath.engine.simplex.ratio_test import Movers, first_block
from weightpath.path.programs.certificate import Judge, Point
from weightpath.problems import Program, hinge_staircase, tube_staircase


def movers(slack, speed, number=None):
    size = len(slack)
    numbers = np.arange(size) if number is None else np.array(number)
    return Movers("row", np.array(slack), np.array(speed), 1e-11, 0.0, numbers, 1)


def test_the_core_follows_its_pivots():
    random = np.random.default_rng(0)
    design = Design(random.normal(size=(12, 9)))
    core = Core(design, np.array([0, 1, 2]), np.array([3, 4]))

    def check():
        G = np.column_stack([np.ones(12), *(design.column(j) for j in core.features)])[core.rows]
        assert np.allclose(core.inverse @ G, np.eye(core.k), atol=1e-9)
        assert np.array_equal(core.row_values, [design.row(i) for i in core.rows])
        right = random.normal(size=core.k)
        assert np.allclose(G @ core.solve(right), right)
        assert np.allclose(G.T @ core.solve_transposed(right), right)

    check()
    for rows, feature in zip(range(3, 11), (0, 1, 2, 5, 6, 7, 8), strict=False):
        core.grow(rows, feature)
        check()
    core.exchange_row(2, 11)
    check()
    core.shrink(0, 3)
    check()
    core.shrink(core.k - 1, core.k - 1)
    check()
    core.exchange_column(2, int(np.setdiff1d(np.arange(9), core.features)[0]))
    check()


def test_sparse_and_dense_designs_agree():
    matrix = np.random.default_rng(0).normal(size=(10, 6)) * (np.arange(6) > 1)
    dense, few = Design(matrix), Design(sparse.csr_matrix(matrix))
    assert np.array_equal(dense.scale, few.scale)
    assert np.array_equal(dense.row(3), few.row(3))
    assert np.array_equal(dense.column(4), few.column(4))
    assert np.allclose(dense.column_sums(np.ones(10)), few.column_sums(np.ones(10)))


def test_columns_far_from_zero_are_centred():
    design = Design(np.array([[1e6, 1.0], [1e6 + 1, -1.0]]))
    assert design.center.tolist() == [1e6 + 0.5, 0.0]
    assert np.abs(design.matrix).max() <= 1.0
    found = design.original(np.array([[2.0], [3.0]]), np.array([0]))
    assert found[1, 0] * 1e6 + found[0, 0] == pytest.approx(3.0 * design.matrix[0, 0] + 2.0)


def test_the_ratio_test_prefers_large_pivots_among_ties():
    block = first_block([movers([1.0, 1.0, 5.0], [1.0, 2.0, 0.1])])
    assert (block.which, block.step) == (1, 0.5)
    block = first_block([movers([0.0, 1e-13], [1e-3, 1.0])])
    assert block.which == 1
    assert first_block([movers([1.0], [0.0])]) is None


def test_by_blands_rule_the_least_number_leaves():
    tied = [movers([0.0, 0.0], [1.0, 2.0], [4, 7]), movers([0.0], [0.5], [5])]
    assert first_block(tied).which == 1
    assert first_block(tied, least_number=True).which == 0


def test_the_first_basis_is_a_weighted_quantile():
    y, weight = np.array([3.0, 1.0, 2.0, 10.0]), np.array([1.0, 1.0, 1.0, 0.5])
    program = Program(tube_staircase(y, weight, np.zeros(4)), np.full(2, 1e9))
    design = Design(np.random.default_rng(0).normal(size=(4, 2)))
    assert first_basis(program).rows.tolist() == [2]
    w, bias, beta = solve_program(design, program).solution(design, program)
    assert bias == 2.0 and not w.any() and beta.sum() == 0.0


def certified(columns, start, end):
    """Follow a line, and return its trace; every edge and middle is judged from the data."""
    design, judge = Design(columns), Judge(columns)
    trace = follow_program(design, start, end, solve_program(design, start), 10**6)
    record = trace.record
    for k in range(len(record)):
        for share in (0.0, 0.5, 1.0):
            theta = (1 - share) * record.theta[k] + share * record.theta[k + 1]
            rest = (1 - share) * record.rest[k] + share * record.rest[k + 1]
            program, w = start.between(end, theta, rest), np.zeros(columns.shape[1])
            own = slice(record.column_offset[k], record.column_offset[k + 1])
            w[record.column[own]] = (1 - share) * record.column_left[own]
            w[record.column[own]] += share * record.column_right[own]
            bias = (1 - share) * record.bias_left[k] + share * record.bias_right[k]
            position = record.positions(k)
            beta = program.stair.knots[np.arange(len(position)), np.maximum(position - 1, 0) // 2]
            own = slice(record.row_offset[k], record.row_offset[k + 1])
            beta[record.row[own]] = (1 - share) * record.row_left[own]
            beta[record.row[own]] += share * record.row_right[own]
            assert judge.violation(program, Point(w, bias, beta)) < 1e-9
    return trace


@pytest.mark.parametrize("seed", range(6))
def test_grids_full_of_ties(seed):
    random = np.random.default_rng(seed)
    n, p = 60, 4
    X = random.integers(0, 2, (n, p)).astype(float)
    sign = np.where(X.sum(axis=1) + random.integers(-1, 2, n) > 2, 1.0, -1.0)
    weights = [random.integers(0, 3, n).astype(float) for _ in range(2)]
    for weight in weights:
        weight[np.unique(sign, return_index=True)[1]] = 1.0
    start, end = (Program(hinge_staircase(sign, weight), np.ones(p)) for weight in weights)
    assert certified(X, start, end).is_complete


@pytest.mark.parametrize("seed", range(4))
def test_whole_numbers_move_in_everything_at_once(seed):
    random = np.random.default_rng(seed)
    n, p = 40, 3
    X, y = (
        random.integers(-1, 2, (n, p)).astype(float),
        random.integers(-3, 4, (2, n)).astype(float),
    )
    weight = random.integers(1, 3, (2, n)).astype(float)
    start = Program(tube_staircase(y[0], weight[0], np.ones(n)), np.ones(p))
    end = Program(tube_staircase(y[1], weight[1], np.zeros(n)), np.ones(p))
    assert certified(X, start, end).is_complete


def test_many_copies_of_a_few_rows():
    X = np.repeat(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), 30, axis=0)
    sign = np.where(np.arange(90) % 4 < 2, 1.0, -1.0)
    start = Program(hinge_staircase(sign, np.ones(90)), np.ones(2))
    end = Program(hinge_staircase(sign, np.linspace(0, 2, 90)), np.ones(2))
    assert certified(X, start, end).is_complete


def test_from_any_basis_the_same_solution():
    random = np.random.default_rng(1)
    X, sign = random.normal(size=(50, 6)), np.where(random.random(50) > 0.5, 1.0, -1.0)
    program, design = Program(hinge_staircase(sign, np.ones(50)), np.ones(6)), Design(X)
    judge, found = Judge(X), []
    other = solve_program(design, Program(hinge_staircase(-sign, np.ones(50)), np.ones(6)))
    for basis in (None, first_basis(program), other):
        solution = solve_program(design, program, basis).solution(design, program)
        assert judge.violation(program, Point(*solution)) < 1e-12
        found.append(judge.objective(program, Point(*solution)))
    assert np.ptp(found) < 1e-12 * found[0]
