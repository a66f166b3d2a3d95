"""Files of version 0.1 are read; files are replaced whole or not at all; bombs are refused."""

import io
import json
import os
import struct
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import weightpath as wp
from path.kinds_of_paths import KINDS
from path.mutations import read, write
from path.reference_paths import random_path
from weightpath.files import write_whole
from weightpath.path.storage import FORMAT

SAVED = Path(__file__).parent / "saved"


@pytest.fixture
def content() -> bytes:
    stream = io.BytesIO()
    random_path().save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", KINDS)
def test_files_of_the_first_version(name):
    with np.load(SAVED / "expected.npz") as expected:
        theta, values, edges, coef = (
            expected[f"{name}_{what}"] for what in ("theta", "values", "theta_edges", "coef")
        )
    path = wp.load(SAVED / f"{name}.npz")
    assert json.loads(read((SAVED / f"{name}.npz").read_bytes())["about"].item())["format"] < FORMAT
    np.testing.assert_array_equal(path.theta, edges)
    assert path.kkt_violation() < 1e-12
    points = KINDS[name]()[1]
    np.testing.assert_allclose(path.subproblem_values(points, theta), values, atol=1e-12)
    for place, expected_coef in zip(theta, coef, strict=True):
        np.testing.assert_allclose(path.at(place).dual_coef, expected_coef, atol=1e-12)
    model = path.model_at(theta[0])
    assert model.kkt_violation() < 1e-10


@pytest.mark.parametrize("name", KINDS)
def test_round_trip(name):
    path, points = KINDS[name]()
    stream = io.BytesIO()
    path.save(stream)
    stream.seek(0)
    again = wp.load(stream)
    theta = [0.0, float(path.theta[-1]) / 3, float(path.theta[-1])]
    np.testing.assert_array_equal(
        again.decision_function(points, theta), path.decision_function(points, theta)
    )
    np.testing.assert_array_equal(again.events, path.events)
    assert again.kkt_violation() == path.kkt_violation()
    assert again.status == path.status and again.status.message == path.status.message


# Damage that has crashed the process, or was taken for a path, before it was looked for.
CRAFTED = {
    "event of a row far away": ("part0_event_index", lambda a: np.full_like(a, -(10**9))),
    "margin far away": ("part0_offset", lambda a: np.append(a[:-1], 10**8)),
    "position far away": ("part0_initial_position", lambda a: np.full_like(a, 10**7)),
    "member far away": ("part0_member", lambda a: a + 10**6),
    "member not free": ("part0_member", lambda a: np.roll(a, 1)),
    "member twice": ("part0_member", lambda a: np.full_like(a, a[0])),
    "event count far away": ("part0_event_count", lambda a: a + 10**6),
    "event count falling": ("part0_event_count", lambda a: a[::-1]),
    "two steps at once": ("part0_event_to", lambda a: a + 1),
    "theta falling": ("part0_theta", lambda a: a[::-1]),
    "theta beyond one": ("part0_theta", lambda a: 2.0 * a),
    "theta short": ("part0_theta", lambda a: a[1:]),
    "value NaN": ("part0_value", lambda a: np.full_like(a, np.nan)),
    "whole numbers as text": ("part0_member", lambda a: a.astype("U5")),
    "whole numbers as real ones": ("part0_member", lambda a: a.astype(float)),
    "real numbers as complex ones": ("part0_bias", lambda a: a.astype(complex)),
    "real numbers that are too long": ("X", lambda a: a.astype(np.longdouble)),
    "objects": ("part0_bias", lambda a: a.astype(object)),
    "knots falling": ("part0_start_knots", lambda a: a[:, ::-1] + [[1.0, 0.0]]),
    "levels NaN": ("part0_end_levels", lambda a: a * np.nan),
    "level infinite at one end": ("part0_end_levels", lambda a: np.full_like(a, np.inf)),
    "signs": ("part0_sign", lambda a: 2.0 * a),
    "rows NaN": ("X", lambda a: a * np.nan),
    "fewer rows": ("X", lambda a: a[1:]),
    "equal classes": ("classes", lambda a: np.zeros(2)),
    "more classes": ("classes", lambda a: np.arange(3)),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_arrays_are_refused(content, name):
    array, change = CRAFTED[name]
    arrays = read(content)
    arrays[array] = change(arrays[array])
    with pytest.raises(ValueError, match=r"is not a file written by .* damaged"):
        wp.load(io.BytesIO(write(arrays)))


SPARSE = {
    "column far away": ("X_indices", lambda a: a + 10**6),
    "column negative": ("X_indices", lambda a: a - 1),
    "rows overlap": ("X_indptr", lambda a: np.r_[a[0], a[-1], a[2:]]),
    "rows beyond the end": ("X_indptr", lambda a: a + 1),
    "another width": ("X_shape", lambda a: a * [1, 10**6]),
    "no width": ("X_shape", lambda a: a * 0),
}


@pytest.mark.parametrize("name", SPARSE)
def test_crafted_sparse_rows_are_refused(name):
    array, change = SPARSE[name]
    stream = io.BytesIO()
    KINDS["sparse_rows"]()[0].save(stream)
    arrays = read(stream.getvalue())
    arrays[array] = change(arrays[array])
    with pytest.raises(ValueError, match="damaged"):
        wp.load(io.BytesIO(write(arrays)))


def test_tables_of_pairs_cannot_ask_for_more_than_the_file_has():
    stream = io.BytesIO()
    KINDS["ranking"]()[0].save(stream)
    arrays = read(stream.getvalue())
    many = 200_000  # 4e10 pairs, 320 GB
    for side in ("upper", "lower"):
        arrays[f"part0_pair_{side}"] = np.zeros(many, dtype=np.int32)
        arrays[f"part0_pair_{side}_start"] = np.array([0, many])
    with pytest.raises(ValueError, match="damaged"):
        wp.load(io.BytesIO(write(arrays)))


def peak_of_refusal(content: bytes) -> int:
    """Return the memory that it takes to refuse a file."""
    stream = io.BytesIO(content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="damaged"):
            wp.load(stream)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_compressed_bomb_is_refused_before_it_is_read(content):
    arrays = read(content)
    arrays["X"] = np.zeros((10_000, 1000))  # 80 MB, compressed to a thousandth
    bomb = write(arrays, compressed=True)
    del arrays
    assert len(bomb) < 1_000_000
    assert peak_of_refusal(bomb) < 20_000_000


def with_header(content: bytes, member: str, header: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            raw = old.read(name)
            if name == member:
                length = struct.unpack("<H", raw[8:10])[0]
                raw = raw[:10] + header.ljust(length - 1) + b"\n" + raw[10 + length :]
            new.writestr(name, raw)
    return stream.getvalue()


@pytest.mark.parametrize("shape", ["(100000, 100000)", "(-14, -2)", "(14, 2, 1000000000)"])
def test_a_declared_size_is_refused_before_it_is_allocated(content, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    assert peak_of_refusal(with_header(content, "X.npy", header)) < 20_000_000


def test_texts_cannot_ask_for_more_than_the_file_has(content):
    arrays = read(content)
    about = json.loads(arrays["about"].item())
    about["params"] = {"array": ["x" * 40_000, *[""] * 40_000], "dtype": "<U1"}  # 6.4 GB
    arrays["about"] = np.array(json.dumps(about))
    assert peak_of_refusal(write(arrays)) < 40_000_000


def test_the_width_of_texts_is_their_own():
    from weightpath.path.plain_values import decode

    assert decode({"array": ["a", "bc"], "dtype": "<U99999999"}).tolist() == ["a", "bc"]
    with pytest.raises(ValueError, match="array of type"):
        decode({"array": [1], "dtype": "V999999999"})


def full_disk(monkeypatch, room: int) -> None:
    """Let every file that is opened for writing have room for so many bytes."""
    import builtins

    plain = builtins.open

    def limited(file, mode="r", *more, **options):
        stream = plain(file, mode, *more, **options)
        if "w" in mode:
            write, left = stream.write, [room]

            class Full(io.RawIOBase):
                def write(self, data):
                    left[0] -= len(data)
                    if left[0] < 0:
                        raise OSError(28, "No space left on device")
                    return write(data)

                def seekable(self):
                    return True

                seek, tell, flush, close = stream.seek, stream.tell, stream.flush, stream.close

            return Full()
        return stream

    monkeypatch.setattr(builtins, "open", limited)


@pytest.mark.parametrize("room", [0, 1000, 8000])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, room):
    file = tmp_path / "path.npz"
    random_path(seed=0).save(file)
    before = file.read_bytes()
    with monkeypatch.context() as patch:
        full_disk(patch, room)
        with pytest.raises(OSError, match="No space left"):
            random_path(seed=1).save(file)
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["path.npz"]
    random_path(seed=1).save(file)
    assert file.read_bytes() != before and wp.load(file).kkt_violation() < 1e-12


def test_a_failing_writer_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "path.npz"
    random_path(seed=0).save(file)
    before = file.read_bytes()

    def interrupted(stream, **arrays):
        stream.write(b"half a file")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", interrupted)
        with pytest.raises(KeyboardInterrupt):
            random_path(seed=1).save(file)
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["path.npz"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links, modes and devices")
def test_links_modes_and_devices_stay(tmp_path):
    file, link = tmp_path / "path.npz", tmp_path / "link.npz"
    random_path(seed=0).save(file)
    file.chmod(0o640)
    link.symlink_to(file)
    random_path(seed=1).save(link)
    assert link.is_symlink() and file.stat().st_mode & 0o777 == 0o640
    np.testing.assert_array_equal(wp.load(file).theta, random_path(seed=1).theta)
    write_whole(os.devnull, lambda path: path.write_bytes(b"gone"))
    assert Path(os.devnull).is_char_device()
