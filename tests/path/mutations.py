"""Damaged and crafted files of paths: made from sound ones, and tried in a process of their own.

``python mutations.py FOLDER FIRST LAST`` tries the mutations FIRST to LAST - 1 of the files in a
folder. Every answer must be a ``ValueError`` or a path that can be used; anything else is printed,
and a signal is seen by whoever has started the process.
"""

from __future__ import annotations

import io
import json
import struct
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np

EXTREMES = (
    *(np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 0.5, 2.0, 1e308, -1e308, 5e-324, 1e-300),
    *(1e9, -1e9, 2.0**31, -(2.0**31), 2.0**53, 7.0, 1e8, 1e7),
)
WHOLE = (-1, 0, 1, 2, 3, 5, 7, -(10**9), 10**7, 10**8, 2**31 - 1, 2**31, -(2**63), 2**63 - 1)
TYPES = (
    *("i1", "u1", "i2", "i4", "u8", "f2", "f4", ">f8", ">i8", "c16"),
    *("?", "U3", "S2", "g", "M8[s]"),
)
LEAVES = (
    *(None, True, False, -1, 0, 1, 2, 3, 10**9, 10**30, 1e308, -1e308, float("nan")),
    *(float("inf"), "", "x", "rbf", "callable", "precomputed", "linear", "lasso", "ranking", "svr"),
    *([], {}, [0, 0], [0, 10**9], {"array": [1], "dtype": "U999999999"}, {"dict": 5}),
    *({"array": [[1], [2, 3]], "dtype": "<f8"}, {"array": 1, "dtype": "V999999999"}, {"tuple": 3}),
)


def read(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as stored:
        return dict(stored)


def write(arrays: dict[str, np.ndarray], compressed: bool = False) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(stream, **arrays)
    return stream.getvalue()


def flip_bytes(content: bytes, rng) -> bytes:
    damaged = bytearray(content)
    for place in rng.integers(len(damaged), size=rng.integers(1, 9)):
        damaged[place] ^= int(rng.integers(1, 256))
    return bytes(damaged)


def cut(content: bytes, rng) -> bytes:
    first, last = sorted(rng.integers(len(content) + 1, size=2))
    middle = b"\0" * (last - first)
    return [content[:last], content[first:], content[:first] + middle + content[last:]][
        rng.integers(3)
    ]


def craft_directory(content: bytes, rng) -> bytes:
    """Change numbers of the zip directory or of a header, among them sizes and offsets."""
    damaged = bytearray(content)
    marks = [b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"\x93NUMPY"]
    mark = marks[rng.integers(len(marks))]
    places = [i for i in range(len(content)) if content.startswith(mark, i)]
    place = int(rng.choice(places)) + int(rng.integers(4, 46))
    value = [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 10**9, int(rng.integers(2**32))][rng.integers(6)]
    raw = struct.pack("<I", value)
    damaged[place : place + 4] = raw[: max(0, min(4, len(damaged) - place))]
    return bytes(damaged)


def craft_header(content: bytes, rng) -> bytes:
    """Let one array declare another shape or type than it has; the archive is sound otherwise."""
    shapes = ["(1000000000,)", "(-1,)", "(2, 0)", "(3, 3, 3)", "()", "(10**9,)", "(True,)"]
    types = ["<f8", "<i8", "|O", "<U1000000000", "|V8", "<c16", "<U0"]
    order, shape, kind = (rng.choice(some) for some in (["True", "False"], shapes, types))
    header = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        chosen = rng.integers(len(old.namelist()))
        for k, name in enumerate(old.namelist()):
            raw = old.read(name)
            if k == chosen:
                length = struct.unpack("<H", raw[8:10])[0]
                raw = raw[:10] + header.ljust(length - 1) + b"\n" + raw[10 + length :]
            new.writestr(name, raw)
    return stream.getvalue()


def craft_array(content: bytes, rng) -> bytes:
    arrays = read(content)
    name = str(rng.choice([key for key in arrays if key != "about"]))
    arrays[name] = _crafted(arrays, name, rng)
    if arrays[name] is None:
        del arrays[name]
    return write(arrays, compressed=rng.integers(20) == 0)


def _crafted(arrays, name, rng):
    """Return an array that differs from the one of that name; ``None`` for none."""
    way = str(rng.choice([*CHANGES, "one", "one", "bits", "other", "gone"]))
    if way == "gone":
        return None
    if way == "other":
        return arrays[str(rng.choice(list(arrays)))]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CHANGES[way](np.array(arrays[name]), rng)


def _extreme(share):
    def change(array, rng):
        if array.dtype.kind not in "fiu" or array.size == 0:
            return array[..., None]
        values = EXTREMES if array.dtype.kind == "f" else WHOLE
        value = np.array(values[rng.integers(len(values))]).astype(array.dtype)
        array.reshape(-1)[rng.permutation(array.size)[: max(1, int(share * array.size))]] = value
        return array

    return change


def _shift(array, rng):
    if array.dtype.kind not in "fiu":
        return array[..., None]
    return array + array.dtype.type(rng.choice([-3, -2, -1, 1, 2, 3]))


def _bits(array, rng):
    raw = bytearray(array.tobytes())
    for place in rng.integers(len(raw), size=rng.integers(1, 4)) if raw else ():
        raw[place] ^= 1 << int(rng.integers(8))
    return np.frombuffer(bytes(raw), dtype=array.dtype).reshape(array.shape)


def _retyped(array, rng):
    try:
        return array.astype(TYPES[rng.integers(len(TYPES))])
    except (TypeError, ValueError):
        return array.astype(object)


def _reshaped(array, rng):
    forms = [array.reshape(-1), array[None], array.T, array.reshape(-1)[:1]]
    return forms[rng.integers(len(forms))]


CHANGES = {
    "one": _extreme(0.0),
    "some": _extreme(0.5),
    "all": _extreme(1.0),
    "shift": _shift,
    "bits": _bits,
    "short": lambda array, rng: np.atleast_1d(array)[: rng.integers(array.size + 1)],
    "long": lambda array, rng: np.concatenate([np.atleast_1d(array)] * int(rng.integers(2, 4))),
    "empty": lambda array, rng: np.atleast_1d(array)[:0],
    "type": _retyped,
    "shape": _reshaped,
    "order": lambda array, rng: rng.permutation(np.atleast_1d(array)),
}


def craft_text(content: bytes, rng) -> bytes:
    """Change the description."""
    arrays = read(content)
    text = arrays["about"].item()
    about = json.loads(text)
    way = rng.integers(6)
    if way == 0:
        text = text[: rng.integers(len(text))]
    elif way == 1:
        text = ["[" * 100_000, "{}", "null", "9" * 5000, '{"format": 1}', ""][rng.integers(6)]
    else:
        places = list(_places(about))
        table, key = places[rng.integers(len(places))]
        if way == 2:
            del table[key]
        else:
            table[key] = LEAVES[rng.integers(len(LEAVES))]
        text = json.dumps(about)
    arrays["about"] = np.array(text)
    return write(arrays)


def _places(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _places(item)


WAYS = (
    *(flip_bytes, cut, craft_directory, craft_header),
    *(craft_array, craft_array, craft_array, craft_array, craft_text, craft_text),
)


def mutate(content: bytes, number: int) -> tuple[str, bytes]:
    """Return the name of a mutation and the file that it makes."""
    rng = np.random.default_rng([12, number])
    way = WAYS[number % len(WAYS)]
    return way.__name__, way(content, rng)


def use(path) -> list[np.ndarray]:
    """Ask a path everything; return some of its answers."""
    from scipy import sparse

    theta = path.theta
    end = float(theta[-1])
    repr(path), len(path), path.events, path.n_events, path.margin_size()
    coef = [path.at(place).dual_coef for place in (0.0, 0.4 * end, end)]
    path.at(0.5 * end).objective, path.duality_gap(0.5 * end)
    path.kkt_violation(), path.kkt_violation([0.0, 0.3 * end, end])
    p = path.X.shape[1]
    rows = path.X[:2]
    if sparse.issparse(rows):
        rows = sparse.csr_matrix(rows)
    assert rows.shape[1] == p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = path.decision_function(rows, [0.0, 0.7 * end])
        trace_curve(path, rows)
    return [theta, *coef, values]


def trace_curve(path, rows) -> None:
    """Trace a metric; where numbers are very large, it may say that they overflow."""
    kind = path.parts[0].reading.kind
    if path.classes is not None:
        path.curve(rows, path.classes[:2], "zero_one")
    elif kind == "ranking":
        path.curve(rows, [1.0, 0.0], "ndcg")
    elif kind != "one-class":
        try:
            path.curve(rows, [1.0, 0.0], "absolute")
        except ValueError as error:
            if "overflows" not in str(error):
                raise


def make_model(path) -> None:
    """Make a model on a path; a ``ValueError`` may say that there is none."""
    try:
        path.model_at(0.5 * float(path.theta[-1]))
    except ValueError:
        return


def try_all(folder: Path, first: int, last: int) -> dict[str, int]:
    """Try mutations in this process; return how many were refused and how many were not."""
    import weightpath as wp

    files = sorted(folder.glob("*.npz"))
    sound = [file.read_bytes() for file in files]
    answers = [use(wp.load(io.BytesIO(content))) for content in sound]
    counts = {"refused": 0, "used": 0}
    for number in range(first, last):
        # Number 3 is always another kind of mutation than number 4: files change more slowly.
        which = (number // len(WAYS)) % len(files)
        name, content = mutate(sound[which], number)
        print(f"{number} {files[which].name} {name}", file=sys.stderr, flush=True)
        try:
            path = wp.load(io.BytesIO(content))
        except ValueError as error:
            if "damaged" not in str(error) and "newer weightpath" not in str(error):
                raise
            counts["refused"] += 1
            continue
        with np.errstate(all="ignore"):
            found = use(path)
            make_model(path)
        counts["used"] += 1
        if name in ("flip_bytes", "cut", "craft_directory"):
            # Sums in the archive protect every byte that matters.
            for ours, theirs in zip(answers[which], found, strict=True):
                np.testing.assert_array_equal(ours, theirs)
    return counts


def limit_memory(megabytes: int) -> None:
    """Let an allocation that a file asks for in vain fail."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    with open("/proc/self/statm") as pages:
        limit = (megabytes << 20) + int(pages.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    import weightpath  # noqa: F401  # before the limit, as native libraries reserve memory

    if sys.platform == "linux":
        limit_memory(512)
    warnings.simplefilter("ignore")
    print(json.dumps(try_all(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
