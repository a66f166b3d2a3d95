"""What a model and its paths share cannot be written to; what is the caller's stays so."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone

import weightpath as wp

N = 24


def data(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=N) > 0).astype(int), rng.uniform(0.2, 2.0, N)


def classifier(X, y, weight):
    model = wp.SVC(gamma=0.5).fit(X, y)
    return model, model.reweight(weight)


def linear(X, y, weight):
    model = wp.SVC(kernel="linear").fit(X, y)
    return model, model.reweight(weight)


def several_classes(X, y, weight):
    model = wp.SVC(gamma=0.5).fit(X, np.arange(N) % 3)
    return model, model.reweight(weight)


def regression(X, y, weight):
    model = wp.SVR().fit(X, y)
    return model, model.reweight(weight)


def quantile(X, y, weight):
    model = wp.QuantileSVR().fit(X, y)
    return model, model.reweight(weight)


def one_class(X, y, weight):
    model = wp.OneClassSVM().fit(X)
    return model, model.reweight(weight)


def ranking(X, y, weight):
    model = wp.RankingSVM(gamma=0.5).fit(X, y)
    return model, model.move(C=2.0)


def lasso(X, y, weight):
    model = wp.Lasso(alpha=0.01).fit(X, y)
    return model, model.path_


MODELS = (classifier, linear, several_classes, regression, quantile, one_class, ranking, lasso)
FORMS = {"dense": np.array, "sparse": sparse.csr_matrix}


def arrays_in(thing, name="it", seen=None):
    """Yield all arrays that an object holds, with names that say where."""
    seen = set() if seen is None else seen
    if id(thing) in seen or isinstance(thing, type):
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield name, thing
    elif sparse.issparse(thing):
        for part in ("data", "indices", "indptr"):
            yield f"{name}.{part}", getattr(thing, part)
    elif isinstance(thing, dict):
        for key, item in thing.items():
            # What a path has computed from its arrays is its own.
            if key not in ("train", "replay"):
                yield from arrays_in(item, f"{name}[{key!r}]", seen)
    elif isinstance(thing, (list, tuple)):
        for key, item in enumerate(thing):
            yield from arrays_in(item, f"{name}[{key}]", seen)
    elif type(thing).__module__.startswith("weightpath"):
        yield from arrays_in(getattr(thing, "__dict__", {}), name, seen)


def shared_arrays(model, path):
    """Return the names of arrays of the path that share memory with the model and can change."""
    # Attributes of a model are made when they are read.
    dir(model)
    ours = [array for _, array in arrays_in(model) if array.size]
    return [
        name
        for name, array in arrays_in(path)
        if array.size
        and any(np.may_share_memory(array, other) for other in ours)
        and array.flags.writeable
    ]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", MODELS)
def test_nothing_shared_can_be_written_to(make, form):
    X, y, weight = data()
    X = FORMS[form](X)
    model, path = make(X, y, weight)
    assert shared_arrays(model, path) == []
    assert shared_arrays(path, model) == []
    for name, array in arrays_in(X):
        assert array.flags.writeable, name
        assert not any(np.may_share_memory(array, other) for _, other in arrays_in(path))
    for name, array in arrays_in(path.X):
        assert not array.flags.writeable, name
    values = path.X.data if sparse.issparse(path.X) else path.X[0]
    with pytest.raises(ValueError, match="read-only"):
        values[0] += 1.0


@pytest.mark.parametrize("make", MODELS)
def test_the_callers_data_are_the_callers(make):
    X, y, weight = data()
    model, path = make(X, y, weight)
    before = path.decision_function(X[:5], 0.4), path.kkt_violation(), model.kkt_violation()
    points = X[:5].copy()
    X += 5.0
    y += 1
    weight *= 3.0
    np.testing.assert_array_equal(path.decision_function(points, 0.4), before[0])
    assert (path.kkt_violation(), model.kkt_violation()) == before[1:]


@pytest.mark.parametrize("make", [make for make in MODELS if make is not lasso])
def test_frames_are_copied(make):
    X, y, weight = data()
    frame = pd.DataFrame(X, columns=list("abc"))
    _, path = make(frame, y, weight)
    frame.iloc[0, 0] = 1e6
    np.testing.assert_array_equal(path.X, X)


def test_frames_are_copied_by_the_lasso():
    X, y, weight = data()
    frame = pd.DataFrame(X, columns=list("abc"))
    _, path = lasso(frame, y, weight)
    frame.iloc[0, 0] = 1e6
    np.testing.assert_array_equal(path.X, X)


@pytest.mark.parametrize("make", MODELS)
def test_read_only_arrays_are_not_copied(make):
    X, y, weight = data()
    X.setflags(write=False)
    _, path = make(X, y, weight)
    assert np.shares_memory(path.X, X)
    assert path.kkt_violation() < 1e-9


@pytest.mark.parametrize("make", MODELS)
def test_read_only_views_of_what_can_change_are_copied(make):
    X, y, weight = data()
    view = X.view()
    view.setflags(write=False)
    _, path = make(view, y, weight)
    assert not np.shares_memory(path.X, X)


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
@pytest.mark.parametrize("make", MODELS)
def test_mapped_arrays_are_not_copied(tmp_path, make, mode):
    X, y, weight = data()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode=mode)
    _, path = make(mapped, y, weight)
    assert np.shares_memory(path.X, mapped)
    assert not path.X.flags.writeable and mapped.flags.writeable == (mode != "r")
    assert path.kkt_violation() < 1e-9


def test_read_only_sparse_matrices_are_not_copied():
    X, y, weight = data()
    X = sparse.csr_matrix(X)
    for name in ("data", "indices", "indptr"):
        own = getattr(X, name).copy()
        own.setflags(write=False)
        setattr(X, name, own)
    _, path = classifier(X, y, weight)
    assert np.shares_memory(path.X.data, X.data)
    assert path.kkt_violation() < 1e-9


def test_read_only_kernel_matrices_are_not_copied():
    X, y, weight = data()
    K = X @ X.T
    K = 0.5 * (K + K.T)
    K.setflags(write=False)
    model = wp.SVC(kernel="precomputed", ridge=1e-3).fit(K, y)
    path = model.reweight(weight)
    assert np.shares_memory(path.X, K) and path.kkt_violation() < 1e-9


COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("make", MODELS)
def test_copies_hold_it_too(make, way, form):
    X, y, weight = data()
    model, path = COPIES[way](make(FORMS[form](X), y, weight))
    assert shared_arrays(model, path) == [] and shared_arrays(path, model) == []
    for name, array in [*arrays_in(path.X), *arrays_in(path.parts), *arrays_in(path.theta)]:
        assert not array.flags.writeable, name
    path = COPIES[way](path)
    for name, array in arrays_in(path.X):
        assert not array.flags.writeable, name
    model = COPIES[way](model)
    later = model.move(C=3.0) if hasattr(model, "C") else path
    assert later.kkt_violation() < 1e-9
    assert shared_arrays(model, later) == []
    assert not hasattr(clone(model), "n_features_in_")


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_come_and_go(form):
    X, y, _ = data()
    model = wp.SVC(gamma=0.5).fit(FORMS[form](X), y)
    for path in (
        model.add(FORMS[form](X[:2] + 0.1), y[:2]),
        model.remove([0, 3]),
        model.slide(FORMS[form](X[:2] - 0.1), y[:2], drop=2),
    ):
        assert shared_arrays(model, path) == []
        assert not any(array.flags.writeable for _, array in arrays_in(path.X))
        assert path.kkt_violation() < 1e-9
    fresh = wp.SVC(gamma=0.5).fit(model.training_set_.X, model.classes_[model.training_set_.labels])
    points = FORMS[form](X[:5])
    np.testing.assert_allclose(
        model.decision_function(points), fresh.decision_function(points), atol=1e-9
    )


def test_models_on_a_path_share_nothing_that_can_change():
    X, y, weight = data()
    _, path = classifier(X, y, weight)
    there = path.model_at(0.5)
    assert shared_arrays(there, path) == []
    there.classes_ = np.array([5, 6])
    assert path.classes.tolist() == [0, 1]


def test_paths_of_files_cannot_be_written_to(tmp_path):
    X, y, weight = data()
    for form in FORMS.values():
        _, path = classifier(form(X), y, weight)
        path.save(tmp_path / "path.npz")
        again = wp.load(tmp_path / "path.npz")
        assert not any(array.flags.writeable for _, array in arrays_in(again.X))
        assert not any(array.flags.writeable for _, array in arrays_in(again.parts))
