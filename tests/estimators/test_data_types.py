"""Whatever holds the numbers, the model is the same; and it never touches what it is given."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix

import weightpath as wp
from estimators.samples import Kind, assert_same_model, fingerprint, overlapping, random_weights

N = 40


def reference(X, y, **params):
    return wp.SVC(gamma=0.4, **params).fit(np.asarray(X, dtype=float), y)


@pytest.mark.parametrize(
    "given",
    [
        np.asfortranarray,
        np.ndarray.tolist,
        lambda X: X[::-1][::-1],
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        csr_matrix,
        csr_array,
        csc_matrix,
        coo_matrix,
    ],
)
def test_containers(given):
    X, y = overlapping(N)
    model = wp.SVC(gamma=0.4).fit(given(X), y)
    assert_same_model(model, reference(X, y), X, tolerance=1e-9)
    model.predict(given(X))
    model.add(given(X[:3]), y[:3])
    assert model.kkt_violation() < 1e-9


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.uint16, np.float16, bool])
def test_numbers(dtype):
    X, y = overlapping(N)
    X = np.round(3 * np.abs(X)).astype(dtype)
    model = wp.SVC(gamma=0.4).fit(X, y, sample_weight=np.ones(N, dtype=np.float32))
    assert_same_model(model, reference(X, y), X, tolerance=1e-9)
    model.reweight(np.arange(1, N + 1))
    assert model.weights_.dtype == np.float64


def test_wide_indices_and_untidy_sparse_matrices():
    X, y = overlapping(N)
    clean = csr_matrix(X)
    wide = csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    untidy = csr_matrix(
        (np.repeat(clean.data, 2) / 2, np.repeat(clean.indices, 2), 2 * clean.indptr),
        clean.shape,
    )
    backwards = csr_matrix(
        (
            clean.data.reshape(N, 3)[:, ::-1].ravel(),
            clean.indices.reshape(N, 3)[:, ::-1].ravel(),
            clean.indptr,
        ),
        clean.shape,
    )
    for matrix in (wide, untidy, backwards):
        model = wp.SVC(gamma=0.4).fit(matrix, y)
        assert_same_model(model, reference(X, y), X, tolerance=1e-9)
        model.predict(matrix)
        model.add(matrix[:4], y[:4])
        assert model.kkt_violation() < 1e-9
    assert untidy.nnz == 2 * clean.nnz and not untidy.has_canonical_format
    assert wide.indices.dtype == np.int64


def test_frames_and_series():
    pandas = pytest.importorskip("pandas")
    X, y = overlapping(N)
    frame = pandas.DataFrame(X, columns=list("abc"), index=np.arange(N)[::-1])
    weight = pandas.Series(random_weights(N), index=frame.index)
    model = wp.SVC(gamma=0.4).fit(frame, pandas.Series(y, index=frame.index), weight)
    plain = wp.SVC(gamma=0.4).fit(X, y, random_weights(N))
    assert_allclose(model.decision_function(frame), plain.decision_function(X))
    model.reweight(weight * 2)
    model.add(frame[:2], pandas.Series(y[:2]), pandas.Series([1.0, 2.0]))
    assert_allclose(model.weights_[-2:], [1.0, 2.0])


@pytest.mark.parametrize("name", ["dense", "sparse", "precomputed", "callable"])
def test_what_is_given_is_not_changed_and_not_kept(name):
    kind = Kind(name)
    plain, y = overlapping(N)
    X, new = kind.training(plain), kind.arrivals(plain[:3] + 0.1, plain)
    weight, margin = random_weights(N, 1), np.linspace(0.5, 1.0, N)
    target = random_weights(N, 2)
    labels, y_new = y.copy(), np.array([0, 1, 1])
    given = [getattr(A, "data", A) if name == "sparse" else A for A in (X, new)]
    given += [weight, margin, target, labels, y_new]
    for array in given:
        array.setflags(write=False)
    before = [array.copy() for array in given]
    model = kind.model().fit(X, labels, weight, margin)
    model.reweight(target)
    path = model.add(new, y_new)
    for array, old in zip(given, before, strict=True):
        assert (array == old).all()
    state, values = fingerprint(model), path.decision_function(path.X, 0.5)
    for array in given:
        array.setflags(write=True)
        array[...] = 0
    assert fingerprint(model) == state
    assert (path.decision_function(path.X, 0.5) == values).all()
    model.move(C=3.0)
    model.remove([0])
    assert model.kkt_violation() < 1e-9


def test_almost_symmetric_matrices_are_made_so():
    kind = Kind("precomputed")
    X, y = overlapping(N)
    K = kind.training(X)
    noisy = K + 1e-9 * np.random.default_rng(0).normal(size=K.shape) + 1e-7 * np.eye(N)
    path = kind.model().fit(noisy, y).reweight(random_weights(N))
    assert (path.X == path.X.T).all()
    assert path.kkt_violation() < 1e-9


def test_labels():
    X, y = overlapping(N)
    model = wp.SVC().fit(X, y.astype(bool))
    assert model.predict(X).dtype == bool
    model.add(X[:2], [True, False])
    model = wp.SVC().fit(X, (10 * y).astype(np.int8))
    model.add(X[:2], [10, 0.0])
    assert model.predict(X).dtype == np.int8


def test_constant_features():
    X, y = np.ones((N, 2)), overlapping(N)[1]
    model = wp.SVC().fit(X, y, np.where(y == 1, 3.0, 1.0))
    assert model.gamma_ == 1.0
    assert model.kkt_violation() < 1e-9
    assert (model.predict(X) == 1).all()


def test_two_instances():
    model = wp.SVC(C=10.0, kernel="linear").fit([[0.0], [2.0]], ["left", "right"])
    assert_allclose(model.coef_, [[1.0]])
    assert_allclose(model.intercept_, [-1.0])
    model.move(C=0.1)
    assert model.kkt_violation() < 1e-12
