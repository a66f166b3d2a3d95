"""The updated factor of the margin system against fresh solves of the bordered system."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from weightpath.engine._factor import FactorProbe

# Roundings allowed, times machine epsilon and the size of the system.
ROUNDINGS = 100.0


class Twin:
    """A factor and the plain list of members that it should stand for."""

    def __init__(self, K, bordered):
        self.K, self.bordered = K, bordered
        self.member = []
        self.probe = FactorProbe(bordered, float(K.diagonal().mean()))

    def kernel_row(self, i):
        return np.ascontiguousarray(self.K[i, self.member])

    def append(self, i):
        code = self.probe.append(self.kernel_row(i), float(self.K[i, i]))
        if code == 0:
            self.member.append(i)
        return code

    def delete(self, at):
        self.probe.delete(at)
        del self.member[at]

    def system(self):
        """The bordered matrix, the sum first."""
        inner = self.K[np.ix_(self.member, self.member)]
        if not self.bordered:
            return inner
        m = len(self.member)
        return np.block([[np.zeros((1, 1)), np.ones((1, m))], [np.ones((m, 1)), inner]])

    def backward_error(self, rhs, total):
        """The residual of the factor's solution relative to the terms it is made of."""
        x, b = self.probe.solve(rhs, total)
        matrix = self.system()
        right, found = rhs, x
        if self.bordered:
            right, found = np.append(total, rhs), np.append(b, x)
        rest = np.abs(matrix @ found - right)
        return float(np.max(rest / (np.abs(matrix) @ np.abs(found) + np.abs(right)).max()))


def well_conditioned(rng, n):
    A = rng.normal(size=(n, 2 * n))
    return A @ A.T / n


def near_singular(rng, n, gamma=0.02):
    X = rng.normal(size=(n, 3))
    return np.exp(-gamma * cdist(X, X, "sqeuclidean"))


def churn(twin, rng, n, changes):
    """Append and delete at random, yielding after each change; dependent rows stay out."""
    for _ in range(changes):
        free = np.setdiff1d(np.arange(n), twin.member)
        if twin.member and (free.size == 0 or rng.random() < 0.4):
            twin.delete(int(rng.integers(len(twin.member))))
        else:
            i = int(rng.choice(free))
            if twin.member:
                delta, threshold, _, _ = twin.probe.pivot(
                    twin.kernel_row(i), float(twin.K[i, i]), float(twin.K[i, i])
                )
                if delta <= threshold:
                    continue
            assert twin.append(i) == 0
        if twin.member:
            yield


@pytest.mark.parametrize("bordered", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_random_changes_solve_like_a_fresh_factor(bordered, seed):
    rng = np.random.default_rng(seed)
    twin = Twin(well_conditioned(rng, 60), bordered)
    sizes = set()
    for i in rng.permutation(60)[: 15 * seed + 15]:
        assert twin.append(int(i)) == 0
    for _ in churn(twin, rng, 60, 120):
        m = len(twin.member)
        sizes.add(m)
        rhs, total = rng.normal(size=m), float(rng.normal())
        x, b = twin.probe.solve(rhs, total)
        right = np.append(total, rhs) if bordered else rhs
        fresh = np.linalg.solve(twin.system(), right)
        found = np.append(b, x) if bordered else x
        assert found == pytest.approx(fresh, rel=1e-9, abs=1e-9 * np.abs(fresh).max())
        assert twin.backward_error(rhs, total) < 1e-13
    if seed == 0:
        assert min(sizes) <= 24 < max(sizes), "both sides of the switch to BLAS must be seen"


@pytest.mark.parametrize("bordered", [True, False])
@pytest.mark.parametrize("gamma", [1.0, 0.02, 1e-4])
def test_near_singular_matrices_are_solved_to_rounding(bordered, gamma):
    rng = np.random.default_rng(5)
    K = near_singular(rng, 60, gamma)
    twin = Twin(K, bordered)
    largest = 0
    for _ in churn(twin, rng, 60, 300):
        m = len(twin.member)
        largest = max(largest, m)
        # A right-hand side that some moderate solution has, as on a path.
        rhs = K[np.ix_(twin.member, twin.member)] @ rng.normal(size=m)
        assert twin.backward_error(rhs, 0.3) < ROUNDINGS * m * np.finfo(float).eps
    assert largest >= 4


def test_margin_of_a_linear_kernel_may_have_one_member_more_than_features():
    rng = np.random.default_rng(2)
    p = 5
    X = rng.normal(size=(p + 2, p))
    twin = Twin(X @ X.T, bordered=True)
    for i in range(p + 1):
        assert twin.append(i) == 0
    inner = twin.K[: p + 1, : p + 1]
    assert np.linalg.matrix_rank(inner) == p, "the kernel matrix alone is singular"
    rhs = rng.normal(size=p + 1)
    x, b = twin.probe.solve(rhs, 0.7)
    assert np.append(b, x) == pytest.approx(
        np.linalg.solve(twin.system(), np.append(0.7, rhs)), rel=1e-9
    )
    # One more is dependent, and its null direction changes no function value.
    k = twin.kernel_row(p + 1)
    delta, threshold, x, b = twin.probe.pivot(k, float(twin.K[-1, -1]), 1.0)
    assert abs(delta) <= threshold
    v = np.append(-x, 1.0)
    assert v.sum() == pytest.approx(0.0, abs=1e-12)
    assert twin.K @ v - b == pytest.approx(0.0, abs=1e-11 * np.abs(x).max())


@pytest.mark.parametrize("bordered", [True, False])
@pytest.mark.parametrize("m", [1, 2, 10, 24, 25, 26, 59])
def test_pivot_is_the_schur_complement(bordered, m):
    rng = np.random.default_rng(m)
    K = well_conditioned(rng, 60)
    twin = Twin(K, bordered)
    for i in range(m):
        twin.append(i)
    k, kii = twin.kernel_row(m), float(K[m, m])
    delta, threshold, x, b = twin.probe.pivot(k, kii, kii)
    right = np.append(1.0, k) if bordered else k
    fresh = np.linalg.solve(twin.system(), right)
    assert delta == pytest.approx(kii - right @ fresh, rel=1e-10)
    assert (np.append(b, x) if bordered else x) == pytest.approx(fresh, rel=1e-8, abs=1e-10)
    assert 0 < threshold < 1e-9 < delta


@pytest.mark.parametrize("bordered", [True, False])
@pytest.mark.parametrize("m", [3, 30])
def test_a_copy_of_a_member_has_no_pivot(bordered, m):
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, 60))
    X = np.vstack([X, X[1]])
    twin = Twin(X @ X.T, bordered)
    for i in range(m):
        assert twin.append(i) == 0
    kii = float(twin.K[m, m])
    delta, threshold, x, _ = twin.probe.pivot(twin.kernel_row(m), kii, kii)
    assert abs(delta) <= threshold
    assert x == pytest.approx(np.eye(m)[1], abs=1e-10)


def test_negative_definite_row_is_refused():
    twin = Twin(np.array([[1.0, 3.0], [3.0, 1.0]]), bordered=False)
    assert twin.append(0) == 0
    assert twin.append(1) == -1
    assert twin.probe.solve(np.array([2.0]), 0.0)[0].tolist() == [2.0], "the factor is unharmed"


@pytest.mark.parametrize("at", ["first", "last", "middle"])
@pytest.mark.parametrize("m", [2, 17, 40])
def test_deleting_anywhere_and_appending_again(at, m):
    rng = np.random.default_rng(m)
    twin = Twin(well_conditioned(rng, m), bordered=True)
    for i in range(m):
        twin.append(i)
    for _ in range(2 * m):
        where = {"first": 0, "last": m - 1, "middle": m // 2}[at]
        gone = twin.member[where]
        twin.delete(where)
        assert twin.append(gone) == 0
    rhs = rng.normal(size=m)
    assert twin.backward_error(rhs, -1.0) < 1e-13
    before = twin.probe.solve(rhs, -1.0)[0]
    assert twin.probe.refactor() == 0
    assert twin.probe.solve(rhs, -1.0)[0] == pytest.approx(before, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("bordered", [True, False])
def test_rows_in_any_order_survive_growth(bordered):
    # Members that go leave their rows of the triangle to those that come; then room is made.
    rng = np.random.default_rng(11)
    n = 230
    twin = Twin(well_conditioned(rng, n), bordered)
    for i in range(n):
        assert twin.append(i) == 0
        if i % 3 == 2:
            twin.delete(int(rng.integers(len(twin.member))))
        if i % 23 == 22:
            m = len(twin.member)
            assert twin.backward_error(rng.normal(size=m), float(rng.normal())) < 1e-13
    assert len(twin.member) > 150


@pytest.mark.parametrize("m", [25, 26, 27, 28, 33, 63, 64, 65, 100])
def test_solutions_of_every_size(m):
    # Rows of the triangle are read four at a time, and some are left over.
    rng = np.random.default_rng(m)
    twin = Twin(well_conditioned(rng, m), bordered=True)
    for i in range(m):
        assert twin.append(i) == 0
    rhs, total = rng.normal(size=m), 0.4
    x, b = twin.probe.solve(rhs, total)
    fresh = np.linalg.solve(twin.system(), np.append(total, rhs))
    assert np.append(b, x) == pytest.approx(fresh, rel=1e-10, abs=1e-10 * np.abs(fresh).max())
