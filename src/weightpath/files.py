"""Files of arrays: written whole or not at all, and read without trusting what they declare.

A file is NumPy's ``.npz``: a zip archive with one ``.npy`` member for each array. Its headers
may promise more than the file holds, so sizes are compared with the size of the file
before anything is read, and only plain numbers and texts are accepted.
"""

from __future__ import annotations

import math
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

__all__ = ["most_unpacked", "read_arrays", "write_arrays", "write_whole"]

# Of compressed members at most this many bytes are read, or this many times the size of the file if
# that is more. Members that are not compressed can be no larger than the file.
_MOST_UNPACKED = 1 << 28
_MOST_PACKED = 100

# Booleans, whole and real numbers, texts. No objects, no structures, no complex numbers, and no
# real numbers that are infinite as doubles.
_KINDS = "biufUS"

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def write_whole(file: str | os.PathLike[str], write: Callable[[Path], Any]) -> None:
    """Let a function write a file beside ``file``, then replace ``file`` by it.

    If the function fails, an existing ``file`` stays.

    Parameters
    ----------
    file : path-like
        The name; a link is followed. A device or a pipe is written to directly.
    write : callable
        ``write(path)`` writes the file ``path``, which ends as ``file`` does.
    """
    target = Path(os.path.realpath(file))
    there = target.exists()
    if there and not target.is_file():
        write(target)
        return
    partial = target.with_name(f".part-{secrets.token_hex(8)}{target.suffix}")
    try:
        write(partial)
        if there:
            shutil.copymode(target, partial)
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def most_unpacked(size: int) -> int:
    """Return how many bytes the compressed members of an archive of so many may have."""
    return max(_MOST_UNPACKED, _MOST_PACKED * size)


def write_arrays(file: str | os.PathLike[str] | IO[bytes], arrays: dict[str, Any]) -> None:
    """Write arrays, without compression, to a name or an open binary file."""
    if not isinstance(file, (str, os.PathLike)):
        np.savez(file, **arrays)
        return

    def write(path: Path) -> None:
        # Opened here, as NumPy would add a suffix to the name.
        with open(path, "wb") as stream:
            np.savez(stream, **arrays)

    write_whole(file, write)


def read_arrays(
    file: str | os.PathLike[str] | IO[bytes], packed: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file, by name; they are read-only.

    Parameters
    ----------
    file : path-like or open binary file
    packed : bool, default=False
        Whether members may be compressed.

    Raises
    ------
    ValueError
        If the file is not a sound archive of plain arrays.
    OSError
        If it cannot be opened.
    """
    if not isinstance(file, (str, os.PathLike)):
        return _read(file, packed)
    with open(file, "rb") as stream:
        return _read(stream, packed)


def _read(stream: IO[bytes], packed: bool) -> dict[str, NDArray[Any]]:
    try:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        with ZipFile(stream) as archive:
            members = archive.infolist()
            _check_members(members, size, packed)
            return {info.filename[: -len(".npy")]: _read_member(archive, info) for info in members}
    except (MemoryError, ValueError):
        raise
    except Exception as error:
        # zipfile and zlib report damage by a dozen types, among them OSError and RuntimeError.
        raise ValueError(f"the archive cannot be read ({error})") from error


def _check_members(members: list[ZipInfo], size: int, packed: bool) -> None:
    """Raise unless the directory of the archive promises no more than the file can hold."""
    names = [info.filename for info in members]
    if len(set(names)) < len(names) or not all(name.endswith(".npy") for name in names):
        raise ValueError("the archive has members that are no arrays, or several of one name")
    allowed = (ZIP_STORED, ZIP_DEFLATED) if packed else (ZIP_STORED,)
    if any(info.compress_type not in allowed or info.flag_bits & 1 for info in members):
        raise ValueError("the archive has members that are compressed or encrypted")
    most = most_unpacked(size) if packed else size
    if sum(info.file_size for info in members) > most:
        raise ValueError("the arrays would be larger than the file can hold")


def _read_member(archive: ZipFile, info: ZipInfo) -> NDArray[Any]:
    with archive.open(info) as member:
        version = npy.read_magic(member)
        if version not in _HEADERS:
            raise ValueError(f"the array {info.filename} has an unknown version {version}")
        shape, fortran_order, dtype = _HEADERS[version](member)
        if dtype.kind not in _KINDS or (dtype.kind == "f" and dtype.itemsize > 8):
            raise ValueError(f"the array {info.filename} has values of type {dtype}")
        if min(shape, default=0) < 0:
            raise ValueError(f"the array {info.filename} has the shape {shape}")
        n_bytes = math.prod(shape) * dtype.itemsize
        if n_bytes != info.file_size - member.tell():
            raise ValueError(f"the array {info.filename} has another size than it declares")
        content = member.read()
    if len(content) != n_bytes:
        raise ValueError(f"the array {info.filename} is cut off")
    if n_bytes == 0:
        return np.zeros(shape, dtype=dtype)
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if fortran_order else "C")
