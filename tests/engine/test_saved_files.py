"""Damaged and crafted files of problems are refused; sound ones are read, compressed or not."""

import io
from pathlib import Path

import numpy as np
import pytest

from engine.walks import columns_of
from judges.cases import CASES
from weightpath.engine import Options, SavedProblem, load_problem, solve

SAVED = Path(__file__).parent / "saved" / "cycling_exchanges.npz"


def content_of(arrays, compressed=False) -> io.BytesIO:
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, **arrays)
    stream.seek(0)
    return stream


@pytest.fixture
def arrays() -> dict[str, np.ndarray]:
    case = CASES["tiny-linear"](seed=0)
    start, end = case.staircases()[:2]
    stream = io.BytesIO()
    SavedProblem.of(columns_of(case.K), start, end, None, Options()).save(stream)
    stream.seek(0)
    with np.load(stream) as stored:
        return dict(stored)


@pytest.mark.parametrize("compressed", [True, False])
def test_sound_files(arrays, compressed):
    saved = load_problem(content_of(arrays, compressed))
    np.testing.assert_array_equal(saved.kernel_matrix, arrays["kernel_matrix"])
    assert np.isfinite(solve(saved.columns, saved.start).beta).all()


def test_a_name_without_suffix_is_taken_as_it_is(arrays, tmp_path):
    saved = load_problem(content_of(arrays))
    saved.save(tmp_path / "problem")
    assert [file.name for file in tmp_path.iterdir()] == ["problem"]
    assert len(load_problem(tmp_path / "problem").start) == len(saved.start)


CRAFTED = {
    "matrix not square": ("kernel_matrix", lambda a: a[1:]),
    "matrix NaN": ("kernel_matrix", lambda a: a * np.nan),
    "matrix complex": ("kernel_matrix", lambda a: a + 0j),
    "matrix of objects": ("kernel_matrix", lambda a: a.astype(object)),
    "matrix empty": ("kernel_matrix", lambda a: a[:0, :0]),
    "fewer targets": ("start_target", lambda a: a[1:]),
    "fewer knots": ("end_knots", lambda a: a[:, 1:]),
    "knots falling": ("end_knots", lambda a: a[:, ::-1] + [[1.0, 0.0]]),
    "levels NaN": ("start_levels", lambda a: a * np.nan),
    "levels finite at one end": ("start_levels", lambda a: np.zeros_like(a)),
    "fewer coefficients": ("beta", lambda a: a[1:]),
    "coefficients as text": ("beta", lambda a: a.astype("U5")),
    "ridge negative": ("ridge", lambda a: a - 1.0),
    "bias infinite": ("bias", lambda a: a + np.inf),
    "one total": ("totals", lambda a: a[:1]),
    "format a text": ("format", lambda a: a.astype("U5")),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_files_are_refused(arrays, name):
    array, change = CRAFTED[name]
    arrays[array] = change(arrays[array])
    with pytest.raises(ValueError, match=r"not a file written by error\.save, or it is damaged"):
        load_problem(content_of(arrays))


@pytest.mark.parametrize("name", ["kernel_matrix", "start_knots", "end_levels", "beta", "format"])
def test_missing_arrays(arrays, name):
    del arrays[name]
    with pytest.raises(ValueError, match="damaged"):
        load_problem(content_of(arrays))


def test_damaged_bytes():
    sound = SAVED.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for number in range(200):
        damaged = bytearray(sound)
        if number % 2:
            damaged[rng.integers(len(sound))] ^= int(rng.integers(1, 256))
        else:
            damaged = damaged[: rng.integers(len(sound))]
        try:
            saved = load_problem(io.BytesIO(bytes(damaged)))
        except ValueError:
            refused += 1
        else:
            # Nothing that counts was hit: sums in the archive protect every array.
            np.testing.assert_array_equal(saved.kernel_matrix, load_problem(SAVED).kernel_matrix)
    assert refused > 100


def test_a_compressed_bomb_is_refused(arrays):
    arrays["kernel_matrix"] = np.zeros((8000, 8000))  # 512 MB
    bomb = content_of(arrays, compressed=True)
    assert len(bomb.getvalue()) < 1_000_000
    with pytest.raises(ValueError, match="larger than the file can hold"):
        load_problem(bomb)
