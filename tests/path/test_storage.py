import io
import json

import numpy as np
import pytest
from scipy import sparse

from path.reference_paths import random_path, several_parts
from weightpath.kernels import Kernel
from weightpath.path import PathPart, SolutionPath, load
from weightpath.path.plain_values import decode, encode
from weightpath.record.record import Record
from weightpath.record.status import STOPPED_AT_CAP


def assert_same(path, other):
    assert repr(path) == repr(other)
    assert other.status == path.status and other.params == path.params
    assert other.pairs == path.pairs and other.kernel == path.kernel
    np.testing.assert_array_equal(other.classes, path.classes)
    np.testing.assert_array_equal(other.theta, path.theta)
    np.testing.assert_array_equal(other.events, path.events)
    for theta in (0.0, 0.33, 1.0):
        a, b = path.at(theta), other.at(theta)
        np.testing.assert_array_equal(a.dual_coef, b.dual_coef)
        np.testing.assert_array_equal(a.intercept, b.intercept)
        assert a.objective == b.objective
    for part, copy in zip(path.parts, other.parts, strict=True):
        for name in Record.names():
            np.testing.assert_array_equal(getattr(part.record, name), getattr(copy.record, name))


PARAMS = {"C": 2.5, "class_weight": {0: 1.0, 1: 3.0}, "gamma": "scale", "shape": (1, 2)}


@pytest.mark.parametrize("name", ["rbf", "precomputed"])
def test_round_trip(tmp_path, name):
    kernel = Kernel("rbf", gamma=0.7) if name == "rbf" else Kernel("precomputed")
    path = random_path(kernel=kernel, params=PARAMS, status=STOPPED_AT_CAP)
    file = tmp_path / "path.without-suffix"
    path.save(file)
    assert_same(path, load(file))
    assert load(file).status.message == STOPPED_AT_CAP.message


def test_round_trip_in_memory_and_of_several_parts():
    path = several_parts()
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    assert_same(path, load(stream))


def test_round_trip_of_sparse_rows(tmp_path):
    path = random_path()
    X = sparse.csr_matrix(path.X)
    part = path.parts[0]
    part = PathPart(part.kernel, X, None, part.start, part.end, part.record, part.reading)
    path = SolutionPath([part], X, path.kernel, classes=np.array(["no", "yes"], dtype=object))
    path.save(tmp_path / "path.npz")
    other = load(tmp_path / "path.npz")
    assert sparse.issparse(other.X) and other.classes.dtype == object
    assert_same(path, other)
    assert other.kkt_violation() < 1e-12


def test_callable_kernel_cannot_be_saved(tmp_path):
    kernel = Kernel("callable", function=lambda A, B: A @ B.T)
    path = random_path()
    path = SolutionPath(path.parts, path.X, kernel)
    with pytest.raises(ValueError, match="callable kernel cannot be saved"):
        path.save(tmp_path / "path.npz")
    assert not (tmp_path / "path.npz").exists()


def test_parameters_that_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="object"):
        random_path(params={"C": object()}).save(tmp_path / "path.npz")


def test_other_files_are_refused(tmp_path):
    text, arrays, newer = (tmp_path / name for name in ("text", "arrays.npz", "newer.npz"))
    text.write_text("not a path")
    np.savez(arrays, X=np.zeros(3))
    for file in (text, arrays):
        with pytest.raises(ValueError, match="is not a file written by"):
            load(file)
    np.savez(newer, about=np.array(json.dumps({"format": 1000})))
    with pytest.raises(ValueError, match="newer weightpath"):
        load(newer)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "absent.npz")


def test_encoding():
    value = {1: [1.5, None], "a": (True, {"dict": "x"}), 2.5: np.arange(3), None: np.float64(2)}
    again = decode(json.loads(json.dumps(encode(value))))
    np.testing.assert_array_equal(again.pop(2.5), np.arange(3))
    del value[2.5]
    assert again == value
