"""Transformers in files: by skops, with types that are known or trusted by name."""

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import Birch, FeatureAgglomeration
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, SplineTransformer, StandardScaler

import weightpath as wp
from stories.people import passengers, preparation, weights
from weightpath.files import read_arrays, write_arrays
from weightpath.path.preparation import Preparation
from weightpath.path.storage import FORMAT, FORMAT_WITH_TRANSFORMERS
from weightpath.skops_files import dump_object

THETAS = [0.0, 0.4, 1.0]


def saved(path, tmp_path):
    file = tmp_path / "path.npz"
    path.save(file)
    return file


def iris_path(*steps, **options):
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipe = Pipeline([(f"step {k}", step) for k, step in enumerate([*steps, wp.SVC()])], **options)
    return wp.move(pipe.fit(X, y), C=0.1), X


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        SelectKBest(k=2),
        SplineTransformer(n_knots=3),
        FunctionTransformer(np.log1p),
        "passthrough",
        make_pipeline("passthrough", StandardScaler()),
    ],
)
def test_ordinary_transformers_need_no_trust(step, tmp_path):
    path, X = iris_path(step)
    other = wp.load(saved(path, tmp_path))
    np.testing.assert_array_equal(other.predict(X, THETAS), path.predict(X, THETAS))
    assert other.feature_names_in_.tolist() == path.feature_names_in_.tolist() == list(X.columns)
    assert repr(other) == repr(path)
    model = other.model_at(0.4)
    np.testing.assert_array_equal(model.predict(X), path.predict(X, 0.4))
    assert [name for name, _ in model.steps] == ["step 0", "step 1"]


@pytest.mark.second_stage
def test_table_in_another_process(tmp_path):
    (X, y), (X_new, _) = passengers(60), passengers(30, seed=3)
    path = wp.reweight(make_pipeline(preparation(), wp.SVC()).fit(X, y), weights(60))
    file = saved(path, tmp_path)
    X_new.to_pickle(tmp_path / "new.pickle")
    script = (
        "import sys, pandas as pd, weightpath as wp\n"
        "path = wp.load(sys.argv[1])\n"
        "print(*path.predict(pd.read_pickle(sys.argv[2]), 0.4))"
    )
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(file), str(tmp_path / "new.pickle")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == path.predict(X_new, 0.4).tolist()


def test_a_cache_belongs_to_a_machine(tmp_path):
    path, X = iris_path(StandardScaler(), make_pipeline(StandardScaler()), memory=str(tmp_path))
    other = wp.load(saved(path, tmp_path))
    assert path.preparation.pipeline.memory == str(tmp_path)
    assert other.preparation.pipeline.memory is None
    np.testing.assert_array_equal(other.predict(X, 0.5), path.predict(X, 0.5))


class Half(TransformerMixin, BaseEstimator):
    """A transformer of a user."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return 0.5 * np.asarray(X)


def test_other_types_are_named_and_trusted_by_name(tmp_path):
    path, X = iris_path(Half(), FeatureAgglomeration(3))
    file = saved(path, tmp_path)
    own = f"{Half.__module__}.Half"
    with pytest.raises(ValueError, match="not known to be harmless") as caught:
        wp.load(file)
    assert own in str(caught.value) and "numpy.mean" in str(caught.value)
    assert "damaged" not in str(caught.value)
    with pytest.raises(ValueError, match=r"trusted=\['numpy.mean'\]"):
        wp.load(file, trusted=[own])
    other = wp.load(file, trusted=[own, "numpy.mean"])
    np.testing.assert_array_equal(other.predict(X, THETAS), path.predict(X, THETAS))


CALLS = []


def noted(X):
    CALLS.append(X)
    return X


def test_nothing_of_an_untrusted_type_is_made(tmp_path):
    path, _ = iris_path(FunctionTransformer(noted))
    file = saved(path, tmp_path)
    CALLS.clear()
    with pytest.raises(ValueError, match=r"harmless: \S*noted\. If"):
        wp.load(file)
    assert not CALLS


def test_what_cannot_be_written(tmp_path):
    path, _ = iris_path(Birch(n_clusters=None))
    file = tmp_path / "path.npz"
    with pytest.raises(ValueError, match="transformers cannot be written"):
        path.save(file)
    assert not file.exists()


def test_formats(tmp_path):
    path, _ = iris_path(StandardScaler())
    about = read_arrays(saved(path, tmp_path))["about"].item()
    assert f'"format": {FORMAT_WITH_TRANSFORMERS}' in about
    # Paths without transformers can be read by earlier versions.
    arrays = read_arrays(saved(path.on_prepared_rows, tmp_path))
    assert f'"format": {FORMAT}' in arrays["about"].item() and "preparation" not in arrays


def test_without_skops(tmp_path, monkeypatch):
    path, _ = iris_path(StandardScaler())
    file = saved(path, tmp_path)
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match=r"weightpath\[skops\]"):
        path.save(tmp_path / "other.npz")
    with pytest.raises(ImportError, match=r"weightpath\[skops\]"):
        wp.load(file)
    saved(path.on_prepared_rows, tmp_path)


def damaged(data, rng):
    """Yield damaged forms of a file of skops."""
    yield b""
    yield b"PK\x05\x06" + bytes(18)
    yield data[: len(data) // 2]
    for thing in (StandardScaler(), [1, 2], make_pipeline(StandardScaler()), None):
        yield dump_object(thing)
    broken = make_pipeline(StandardScaler(), "passthrough")
    broken.steps = ["a", 3]
    yield dump_object(broken)
    for _ in range(25):
        other = bytearray(data)
        for place in rng.integers(len(data), size=3):
            other[place] = rng.integers(256)
        yield bytes(other)
    yield bomb()


def bomb():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", bytes(1 << 29))
    return stream.getvalue()


def test_damaged_transformers(tmp_path):
    path, _ = iris_path(StandardScaler())
    file = saved(path, tmp_path)
    arrays = read_arrays(file)
    rng = np.random.default_rng(0)
    refused = 0
    for data in damaged(path.preparation.to_bytes(), rng):
        write_arrays(file, {**arrays, "preparation": np.frombuffer(data, dtype=np.uint8)})
        try:
            wp.load(file)
        except ValueError:
            refused += 1
    assert refused >= 9
    for wrong in (np.zeros(3), np.zeros((2, 2), dtype=np.uint8), np.array("text")):
        write_arrays(file, {**arrays, "preparation": wrong})
        with pytest.raises(ValueError, match="no bytes"):
            wp.load(file)


def test_preparation_shows_its_steps():
    path, _ = iris_path(StandardScaler(), SelectKBest(k=2))
    assert repr(path.preparation) == "<Preparation: StandardScaler -> SelectKBest>"
    pipe = make_pipeline(wp.SVC()).fit([[0.0], [1.0]], [0, 1])
    assert repr(Preparation.of(pipe)) == "<Preparation: nothing>"
